// A lock for rare and short critical sections. Far more threads want it than there are CPUs.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "core/locks/guard_word.hpp"
#include "core/queue/shared_words.hpp"

namespace skua::core {
namespace {
namespace spin_lock_test {

constexpr int threads = 64, times = 10'000;

/// count_one() adds 1 to `count` under a lock.
template <class F>
void expect_exclusive(F count_one, const int& count) {
  std::vector<std::jthread> all;
  for (int i = 0; i < threads; ++i)
    all.emplace_back([&] {
      for (int k = 0; k < times; ++k) count_one();
    });
  all.clear();
  EXPECT_EQ(count, threads * times);
}

// Under ThreadSanitizer, 64 threads that exchanged the word without a pause never let the lock's holder access it. Without
// ThreadSanitizer, the test only checks that no two threads hold the lock.
TEST(spin_lock, works_with_many_threads) {
  spin_lock guard;
  int count = 0;
  expect_exclusive(
      [&] {
        const std::lock_guard lock(guard);
        ++count;
      },
      count);
}

TEST(guard_word, works_with_many_threads) {
  std::atomic<int> guard{0};
  int count = 0;
  expect_exclusive(
      [&] {
        take_guard<host_platform>(guard);
        ++count;
        leave_guard(guard);
      },
      count);
}

}  // namespace spin_lock_test
}  // namespace
}  // namespace skua::core
