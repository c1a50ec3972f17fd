// A library that programs load at run time. It uses skua and is linked with it.
#include <skua/skua.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace {

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

struct nearest_first : skua::steal_policy {
  skua::stolen acquire(skua::thief& self) override {
    for (std::size_t level = 0; level < self.levels(); ++level)
      for (const skua::worker_id victim : self.at_distance(level))
        if (skua::stolen task = self.try_steal(victim)) return task;
    return {};
  }
};
SKUA_POLICY(nearest_first, "policy_of_plugin", "comes with a library that is loaded late");

// This scheduler is created when the library is loaded. It is destroyed when the library is unloaded or the process ends.
skua::scheduler static_pool({.workers = 2, .policy = "policy_of_plugin"});
const int from_the_start = static_pool.run([] { return fib(15); });

/// Returns the number of the first part with a wrong result, or 0 if all results are right.
int run_all() {
  std::atomic<long> sum{0};
  skua::parallel_for(0, 1000, [&](int i) { sum += i; });
  if (sum != 499500) return 1;
  if (skua::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>{}) != 499500) return 2;
  std::atomic<int> ran{0};
  skua::task_group tasks;
  for (int i = 0; i < 100; ++i) tasks.run([&] { ran += fib(5); });
  tasks.wait();
  if (ran != 500) return 3;
  try {
    tasks.run([] { throw std::runtime_error("of the plug-in"); });
    tasks.wait();
    return 4;
  } catch (const std::runtime_error&) {
  }
  skua::phase<long> numbers;
  numbers.enqueue_range(0, 100);
  if (numbers.run([](long i, long& part) { part += i; }, 0L, std::plus<>{}) != 4950) return 5;
  skua::mutex mutex;
  int counted = 0;
  skua::parallel_for(0, 100, [&](int) {
    const std::lock_guard lock(mutex);
    ++counted;
  });
  return counted == 100 ? 0 : 6;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int fib_of_plugin(int n) {
  skua::scheduler pool({.workers = 2});
  return pool.run([=] { return fib(n); });
}

extern "C" [[gnu::visibility("default")]] int all_of_plugin() {
  if (from_the_start != 610 || static_pool.run([] { return fib(15); }) != 610) return 10;
  if (const int wrong = run_all()) return wrong + 20;
  skua::scheduler pool({.workers = 3, .policy = "policy_of_plugin"});
  return pool.run(&run_all);
}
