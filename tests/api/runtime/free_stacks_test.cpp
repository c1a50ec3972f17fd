// The scheduler reuses a stack that ends on a worker other than the one that took it.
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "tests/support/sanitizers.hpp"

namespace free_stacks_test {
namespace {

std::size_t mappings() {
  std::ifstream file("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(file, line);) ++lines;
  return lines;
}

void nap(int microseconds) { std::this_thread::sleep_for(std::chrono::microseconds(microseconds)); }

// Four tasks at a time wait for inner tasks. With continuation::free each continues on the worker where its last inner task
// has ended.
void expect_few_stacks(skua::continuation where) {
  if constexpr (under_thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer makes mappings of its own for each stack";
  constexpr std::size_t workers = 16;
  skua::scheduler pool({.workers = workers, .bind = false, .continuation = where});
  const std::size_t before = mappings();
  pool.run([&] {
    for (int round = 0; round < 3000; ++round) {
      skua::task_group tasks;
      for (int i = 0; i < 4; ++i)
        tasks.run([] {
          skua::task_group inner;
          inner.run([] { nap(30); });
          inner.run([] { nap(5); });
          inner.wait();
        });
      tasks.wait();
    }
  });
  // A worker keeps up to eight stacks, and each stack has two mappings. Without balancing there would be more than a
  // thousand mappings here.
  EXPECT_LE(mappings() - before, 2 * (8 * workers + 4 + workers));
}

TEST(free_stacks, are_balanced_between_workers) { expect_few_stacks(skua::continuation::free); }
TEST(free_stacks, of_tasks_that_continue_at_home_are_few) { expect_few_stacks(skua::continuation::home); }

}  // namespace
}  // namespace free_stacks_test
