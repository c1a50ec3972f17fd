// A program forbids itself membarrier(2) by seccomp while a scheduler works. From then on no thread may take records by
// force, because the fence would be missing. So owners publish the records that they push.
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "bench/forbid_membarrier.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace membarrier_refused_test {
namespace {

constexpr int not_here = 77;

/// Forbids membarrier(2) in all threads of this process.
void forbid_membarrier_here() {
  if (!forbid_membarrier(true)) std::_Exit(not_here);
}

bool works_here() { return syscall(SYS_membarrier, 0, 0, 0) > 0; }

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

/// One of two workers queues a task while the other one is busy, and computes on. If membarrier(2) is allowed, the other
/// worker takes the task by force. If it is refused, the other worker takes the task only when it is public.
void private_task_beside_a_long_leaf(bool refused) {
  skua::scheduler pool({.workers = 2, .bind = false});
  std::atomic<bool> busy{false}, done{false}, ran{false}, second_ran{false};
  pool.run([&] {
    skua::task_group other, tasks;
    other.run([&] {
      busy = true;
      until([&] { return done.load(); }, "the other worker to queue a task");
    });
    until([&] { return busy.load(); });  // on the other worker
    sleep_ms(50);  // until the own thread of this worker sleeps too, which may have begun late
    tasks.run([&] { ran = true; });  // no worker is idle, so the task is private
    if (refused) forbid_membarrier_here();
    done = true;
    if (!refused) {
      until([&] { return ran.load(); });  // it is taken by force
      return;
    }
    sleep_ms(300);
    expect(!ran, "a private task was taken by force, without its fence");
    tasks.run([&] { second_ran = true; });
    until([&] { return ran && second_ran; });  // both tasks are public now
    for (int i = 0; i < 100; ++i) {
      std::atomic<bool> next{false};
      skua::task_group one;
      one.run([&] { next = true; });
      until([&] { return next.load(); });
      one.wait();
    }
  });
}

/// There are more workers than CPUs. The second record that a worker pushes must be public too, because the worker then
/// computes on.
void each_record_is_public_where_workers_share_cpus() {
  forbid_membarrier_here();
  skua::scheduler pool(
      {.workers = 2 * static_cast<std::int64_t>(std::thread::hardware_concurrency()), .bind = false});
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> second{false};
    sleep_ms(20);  // until the other workers sleep
    pool.run([&] {
      skua::join([&] { skua::join([&] { until([&] { return second.load(); }); }, [&] { second = true; }); },
                 [] {});
    });
  }
}

/// A task waits for a group whose tasks another thread has queued as private tasks.
void wait_for_a_group_of_another_stack() {
  skua::scheduler pool({.workers = 2, .bind = false});
  std::atomic<bool> queued{false}, waits{false}, go{false};
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::task_group* shared = nullptr;
    skua::task_group waiter;
    waiter.run([&] {
      waits = true;
      until([&] { return queued.load(); });
      go = true;
      shared->wait();
      expect(ran == 100, "a wait ended before the tasks of its group");
    });
    until([&] { return waits.load(); });
    skua::task_group tasks;
    shared = &tasks;
    for (int i = 0; i < 100; ++i) tasks.run([&] { ++ran; });  // these tasks are private
    forbid_membarrier_here();
    queued = true;
    until([&] { return go.load(); });
    waiter.wait();
  });
}

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

/// Runs joins, loops and groups while a filter is installed. The leaves are so long that thieves use force.
void work_goes_on() {
  skua::scheduler pool({.workers = 8, .bind = false});
  std::atomic<bool> forbidden{false};
  std::thread later([&] {
    sleep_ms(150);
    forbid_membarrier_here();
    forbidden = true;
  });
  const auto start = std::chrono::steady_clock::now();
  bool seen = false;
  while (!seen || seconds_since(start) < 0.6) {
    seen = forbidden;
    pool.run([&] {
      expect(fib(16) == 987, "a join");
      std::vector<std::atomic<int>> runs(5000);
      skua::parallel_for(0, 5000, [&](int i) {
        ++runs[static_cast<std::size_t>(i)];
        if (i % 500 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
      });
      for (auto& r : runs) expect(r == 1, "each position once");
      std::atomic<int> ran{0};
      skua::task_group tasks;
      for (int i = 0; i < 100; ++i)
        tasks.run([&, i] {
          ++ran;
          if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
        });
      tasks.wait();
      expect(ran == 100, "each task once");
      expect(skua::parallel_reduce(0, 1000, 0, [](int i) { return i; }, std::plus<>{}) == 499'500, "a sum");
    });
  }
  later.join();
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Under a sanitizer each look at the queues takes longer: an idle process uses 4 to 7% of a CPU with AddressSanitizer. It
// used 74% without a sanitizer when each worker that woke searched for work.
constexpr double max_cpu_share = under_thread_sanitizer ? 0.25 : under_address_sanitizer ? 0.1 : 0.05;

/// Many sleeping workers have timers, and each looks for work when its timer ends.
void an_idle_process_rests() {
  forbid_membarrier_here();
  skua::scheduler pool({.workers = 32, .bind = false});
  expect(pool.run([] { return fib(20); }) == 6765, "forks before the rest");
  sleep_ms(1000);
  double used = 1;
  for (patience left; left && used > max_cpu_share;) {  // other programs may use the CPUs
    const double before = cpu_seconds();
    const auto start = std::chrono::steady_clock::now();
    sleep_ms(500);
    used = (cpu_seconds() - before) / seconds_since(start);
  }
  std::fprintf(stderr, "an idle process uses %.1f%% of a CPU\n", 100 * used);
  expect(used <= max_cpu_share, "an idle process uses hardly any of a CPU");
  expect(pool.run([] { return fib(20); }) == 6765, "forks after the rest");
}

/// The thread that keeps the only worker between its calls never calls again. Another thread gets the worker.
void take_back_a_kept_worker() {
  skua::scheduler pool({.workers = 1, .bind = false});
  const auto begin = std::chrono::steady_clock::now();
  while (seconds_since(begin) < 0.003) pool.run([] {});  // by then the worker's own thread is displaced
  forbid_membarrier_here();
  bool ran = false;
  std::thread([&] { pool.run([&] { ran = true; }); }).join();
  expect(ran, "a call of another thread");
}

/// The lines about membarrier that f() writes to stderr.
template <class F>
int warnings_of(F f) {
  std::FILE* const written = std::tmpfile();
  expect(written && dup2(fileno(written), STDERR_FILENO) == STDERR_FILENO, "a file for stderr");
  f();
  std::fflush(stderr);
  std::rewind(written);
  int found = 0;
  for (char line[1000]; std::fgets(line, sizeof line, written);)
    found +=
        std::string_view(line).starts_with("skua: the kernel refuses membarrier(2), so a fork takes about ");
  return found;
}

void a_program_says_once_that_forks_are_slow() {
  forbid_membarrier_here();
  const auto schedulers = [](const char* policy) {
    for (int i = 0; i < 3; ++i) skua::scheduler({.workers = 2, .policy = policy, .bind = false}).run([] {});
  };
  const int by_chase_lev = warnings_of([&] { schedulers("chase_lev"); });
  const int by_nearest = warnings_of([&] { schedulers("nearest"); });
  if (by_chase_lev != 0) std::_Exit(2);  // its forks need no membarrier
  if (by_nearest != 1) std::_Exit(3);
}

/// Runs code() in a child process.
template <class F>
void in_child(F code) {
  if (!works_here()) GTEST_SKIP() << "this kernel has no membarrier(2)";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        code();
        std::_Exit(0);
      },
      [](int status) {
        return WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == not_here);
      },
      "");
}

TEST(membarrier_refused, a_private_task_beside_a_long_leaf_is_taken_by_force_if_allowed) {
  in_child([] { private_task_beside_a_long_leaf(false); });
}
TEST(membarrier_refused, nothing_is_taken_by_force_and_owners_publish) {
  in_child([] { private_task_beside_a_long_leaf(true); });
}
TEST(membarrier_refused, owners_publish_each_record_where_workers_share_cpus) {
  in_child([] { each_record_is_public_where_workers_share_cpus(); });
}
TEST(membarrier_refused, a_wait_for_private_tasks_of_another_stack_ends_after_them) {
  in_child([] { wait_for_a_group_of_another_stack(); });
}
TEST(membarrier_refused, a_worker_that_a_thread_keeps_is_taken_back) {
  in_child([] { take_back_a_kept_worker(); });
}
TEST(membarrier_refused, an_idle_process_rests) {
  in_child([] { an_idle_process_rests(); });
}
TEST(membarrier_refused, a_program_says_it_once) {
  in_child([] { a_program_says_once_that_forks_are_slow(); });
}
TEST(membarrier_refused, work_goes_on) {
  in_child([] { work_goes_on(); });
}

}  // namespace
}  // namespace membarrier_refused_test
