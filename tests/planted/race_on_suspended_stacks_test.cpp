// tsan: ThreadSanitizer: data race
// Two tasks are suspended on two workers. Then both write one variable without synchronization.
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
  // The accesses are relaxed, so that meet() does not order the writes.
  const auto meet = [&](int number) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < number) std::this_thread::yield();
  };
  const auto writes = [&] {
    meet(2);  // each task is on a worker of its own
    skua::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    meet(4);  // both tasks have been continued
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
