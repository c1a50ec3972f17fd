// tsan: ThreadSanitizer: data race
// Two tasks were suspended, each on its own worker, and then write one variable without asking each other.
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <atomic>
#include <chrono>
#include <thread>

int main() {
  skua::scheduler pool({.workers = 2});
  volatile int shared = 0;
  std::atomic<int> arrived{0};
  // relaxed: so that the meetings themselves order nothing
  const auto meet = [&](int number) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < number) std::this_thread::yield();
  };
  const auto writes = [&] {
    meet(2);  // on two workers
    skua::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    meet(4);  // both again, after the suspension
    for (int i = 0; i < 1000; ++i) {
      shared = shared + 1;
      std::this_thread::yield();
    }
  };
  skua::task_group tasks;
  pool.run([&] {
    tasks.run(writes);
    tasks.run(writes);
  });
  tasks.wait();
}
