// Simulated workers with a real thread each: each thread has its own thread_local variables, and everything else is the
// same.
#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace own_threads_test {
namespace {

skua::scheduler_options on(bool own_threads, const std::string& machine = "opteron-8380-4s") {
  return {.simulate = skua::simulation{
              .machine = machine, .level = skua::detail_level::lines, .own_threads = own_threads}};
}

long fib(int n) {
  if (n < 2) return skua::costs(50), n;
  const auto [a, b] = skua::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void work() {
  skua::parallel_for(0, 300, [](int) { skua::costs(2000); });
  skua::task_group tasks;
  for (int i = 0; i < 30; ++i) tasks.run([i] { skua::costs(300 * i), fib(4); });
  tasks.wait();
  skua::mutex m;
  skua::parallel_for(0, 20, [&](int) {
    const std::lock_guard lock(m);
    skua::costs(500);
  });
  skua::blocking([] { skua::costs(100); });
  EXPECT_THROW(skua::join([] { fib(5); }, [] { throw std::runtime_error("leaves"); }), std::runtime_error);
}

skua::simulation_report report_of(bool own_threads) {
  skua::scheduler pool(on(own_threads));
  for (int i = 0; i < 3; ++i) pool.run(work);
  return pool.simulated();
}

TEST(own_threads, are_the_same_run_to_the_bit) {
  const auto stacks = report_of(false), threads = report_of(true);
  EXPECT_EQ(stacks.stream, threads.stream);
  EXPECT_EQ(stacks.cycles, threads.cycles);
  EXPECT_EQ(stacks.events, threads.events);
}

skua::simulation_report report_of_a_mutex() {
  skua::scheduler pool(on(false));
  for (int i = 0; i < 3; ++i)
    pool.run([] {
      skua::mutex m;
      skua::parallel_for(0, 20, [&](int) {
        const std::lock_guard lock(m);
        skua::costs(500);
      });
    });
  return pool.simulated();
}

// The thread keeps a worker of the real scheduler. A worker of the simulated one may then be at the same address.
TEST(simulated_runs, do_not_depend_on_earlier_calls_of_a_real_scheduler) {
  const auto first = report_of_a_mutex();
  // The simulated workers have one thread, and ThreadSanitizer seldom gives memory that was freed just before.
  constexpr int rounds = under_thread_sanitizer ? 5 : 30;
  for (int round = 0; round < rounds; ++round) {
    {
      skua::scheduler real({.workers = 16, .bind = false});
      for (int i = 0; i < 20; ++i) real.run([] {});
    }
    EXPECT_EQ(first.stream, report_of_a_mutex().stream) << "round " << round;
  }
}

thread_local long mine = 0;

/// Returns the addresses of the thread_local variables that the tasks have used.
std::set<long*> variables_of(bool own_threads) {
  skua::scheduler pool(on(own_threads));
  std::set<long*> all;
  std::set<int> workers;
  pool.run([&] {
    skua::parallel_for(0, 800, [&](int) {
      skua::costs(5000);
      ++mine;
      all.insert(&mine);
      workers.insert(skua::worker_index());
    });
    long sum = 0;
    for (const long* one : all) sum += *one;
    EXPECT_EQ(sum, 800);
    mine = 0;
  });
  EXPECT_GT(workers.size(), 12u);
  if (own_threads)
    EXPECT_GE(all.size(), workers.size()) << "the external thread takes the place of one worker";
  else
    EXPECT_EQ(all.size(), 1u);
  return all;
}

TEST(own_threads, have_thread_local_variables_of_their_own) {
  EXPECT_TRUE(variables_of(true).contains(&mine))
      << "an external thread keeps its own thread_local variables";
  variables_of(false);
}

TEST(own_threads, may_be_many) {
  skua::scheduler pool(on(true, "package:4 core:24 pu:1"));
  EXPECT_EQ(pool.workers(), 96u);
  std::set<std::thread::id> threads;
  pool.run([&] {
    skua::parallel_for(0, 200, [&](int) {
      skua::costs(20'000);
      threads.insert(std::this_thread::get_id());
    });
  });
  EXPECT_GT(threads.size(), 64u);
}

TEST(own_threads, end_with_exceptions_and_with_unused_schedulers) {
  {
    const skua::scheduler unused(on(true));
  }
  skua::scheduler pool(on(true));
  EXPECT_THROW(pool.run([] {
    skua::parallel_for(0, 100, [](int i) {
      skua::costs(100);
      if (i == 50) throw std::runtime_error("fifty");
    });
  }),
               std::runtime_error);
  EXPECT_EQ(pool.run([] { return fib(10); }), 55);
}

TEST(own_threads, enter_another_machine) {
  skua::scheduler outer(on(true)), inner(on(true, "xeon-x5650-2s-westmere"));
  long sum = 0;
  outer.run([&] {
    skua::parallel_for(0, 10, [&](int) {
      const long one = inner.run([] { return fib(6); });
      sum += one;
    });
  });
  EXPECT_EQ(sum, 80);
}

TEST(own_threads, are_entered_from_any_thread) {
  skua::scheduler pool(on(true));
  std::vector<std::thread> threads;
  std::vector<long> got(4);
  for (long& one : got) threads.emplace_back([&, &one = one] { one = pool.run([] { return fib(9); }); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(got, std::vector<long>(4, 34));
}

}  // namespace
}  // namespace own_threads_test
