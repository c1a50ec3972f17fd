// The locks that fork() takes, and the functions that run in the child.
#include "core/platform/process_fork.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/locks/guard_word.hpp"
#include "core/locks/lock_line.hpp"
#include "core/platform/platform.hpp"
#include "tests/support/until.hpp"

namespace process_fork_test {
namespace {

using namespace skua::core;

/// Returns the exit code of a child that runs code(), or -1.
template <class F>
int code_of_child(F code) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(code());
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(process_fork, a_child_finds_locks_free_and_their_data_consistent) {
  struct guarded {
    fork_safe_lock lock;
    volatile int first = 0, second = 0;  // always equal while no thread holds the lock
  };
  std::vector<std::unique_ptr<guarded>> all;
  for (int i = 0; i < 100; ++i) all.push_back(std::make_unique<guarded>());
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!over)
        for (auto& one : all) {
          const std::lock_guard hold(one->lock);
          one->first = one->first + 1;
          for (int pause = 0; pause < 20; ++pause) std::atomic_signal_fence(std::memory_order_seq_cst);
          one->second = one->second + 1;
        }
    });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(code_of_child([&] {
                for (auto& one : all) {
                  const std::lock_guard hold(one->lock);
                  if (one->first != one->second) return 1;
                }
                return 0;
              }),
              0);
  over = true;
  for (std::thread& t : threads) t.join();
}

// Another thread holds the guard of a lock's line while this thread forks.
TEST(process_fork, a_child_takes_the_guard_that_a_missing_thread_holds) {
  using words = skua::detail::lock_words<skua::detail::host_atomics>;
  words lock;
  lock.locked.store(true);
  take_guard<host_platform>(lock.guard);
  words::entry half_linked;
  lock.in_line.store(1);
  lock.first = &half_linked;
  EXPECT_EQ(code_of_child([&] {
              lock_line<host_platform, words> line(lock);
              words::entry own;
              if (!line.enter(own)) return 1;  // in the child the lock is still taken
              if (!line.unlock()) return 2;
              int told = 0;
              line.tell_next([&](void*) { return ++told, true; });
              return told == 1 && lock.in_line.load() == 0 && line.try_again(own) ? 0 : 3;
            }),
            0);
  leave_guard(lock.guard);
}

// fork() must not take a lock that was destroyed, because its memory may be gone.
TEST(process_fork, destroyed_locks_are_left_out) {
  for (const int destroyed_first : {0, 1, 2}) {
    std::unique_ptr<fork_safe_lock> locks[3];
    for (auto& lock : locks) lock = std::make_unique<fork_safe_lock>();
    locks[destroyed_first].reset();
    EXPECT_EQ(code_of_child([&] {
                for (auto& lock : locks)
                  if (lock) const std::lock_guard hold(*lock);
                return 0;
              }),
              0);
  }
}

TEST(process_fork, waits_while_another_thread_makes_a_scheduler) {
  std::atomic<bool> makes{false}, made{false}, child_ended{false};
  std::thread other([&] {
    {
      const making_scheduler now;
      makes = true;
      sleep_ms(100);
      made = true;
    }
    until([&] {
      return child_ended.load();
    });  // otherwise ThreadSanitizer reports a thread that has ended and was not joined
  });
  until([&] { return makes.load(); });
  EXPECT_EQ(code_of_child([&] {
              const making_scheduler now;
              return made ? 0 : 1;
            }),
            0);
  child_ended = true;
  other.join();
}

TEST(process_fork, does_not_wait_for_a_scheduler_that_the_same_thread_makes) {
  std::optional<making_scheduler> now(std::in_place);
  {
    const making_scheduler inside;
    EXPECT_EQ(code_of_child([] {
                const making_scheduler again;
                return 0;
              }),
              0);
  }
  std::atomic<bool> makes{false};
  std::thread other([&] {
    const making_scheduler later;
    makes = true;
  });
  sleep_ms(20);
  EXPECT_FALSE(makes);
  now.reset();
  other.join();
}

TEST(process_fork, counts_the_processes) {
  const std::uint32_t here = process_generation();
  EXPECT_EQ(code_of_child([&] {
              if (process_generation() != here + 1) return 1;
              return code_of_child([&] { return process_generation() == here + 2 ? 0 : 2; });
            }),
            0);
  EXPECT_EQ(process_generation(), here);
}

int runs_in_child = 0;
const in_child counts([]() noexcept { ++runs_in_child; });

TEST(process_fork, runs_functions_in_the_child_only) {
  EXPECT_EQ(code_of_child([] { return runs_in_child == 1 ? 0 : 1; }), 0);
  EXPECT_EQ(runs_in_child, 0);
}

}  // namespace
}  // namespace process_fork_test
