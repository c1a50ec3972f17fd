// External threads call a scheduler while tasks block all of its workers in the kernel. Each call comes to its end. If no
// worker is free for a call, it runs alone on its thread.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace blocked_workers_test {
namespace {

int workers() { return static_cast<int>(skua::default_scheduler().workers()); }

/// Runs one task on each worker. Each task waits until f() has ended on another thread.
template <class F>
void wait_in_all_tasks(F f) {
  skua::task_group tasks;
  for (int i = 0; i < workers(); ++i) tasks.run([&f] { std::async(std::launch::async, std::ref(f)).get(); });
  tasks.wait();
}

long sum_of(skua::per_worker<long>& parts) { return parts.combine(0L, std::plus<>{}); }

TEST(blocked_workers, a_task_waits_for_an_async_that_joins) {
  std::atomic<int> ran{0};
  wait_in_all_tasks([&] { skua::join([&] { ++ran; }, [&] { ++ran; }); });
  EXPECT_EQ(ran, 2 * workers());
}

TEST(blocked_workers, a_task_waits_for_an_async_with_a_loop) {
  skua::per_worker<long> parts;
  wait_in_all_tasks([&] { skua::parallel_for(0, 1000, [&](int i) { parts.local() += i; }); });
  EXPECT_EQ(sum_of(parts), workers() * 499'500L);
}

TEST(blocked_workers, a_task_waits_for_an_async_with_a_group) {
  std::atomic<int> ran{0};
  wait_in_all_tasks([&] {
    skua::task_group inside;
    for (int i = 0; i < 100; ++i) inside.run([&] { ++ran; });
    inside.wait();
  });
  EXPECT_EQ(ran, 100 * workers());
}

TEST(blocked_workers, a_task_waits_for_an_async_that_waits_for_a_group_of_the_task) {
  std::atomic<int> ran{0};
  skua::task_group tasks;
  for (int i = 0; i < workers(); ++i)
    tasks.run([&] {
      skua::task_group mine;
      for (int k = 0; k < 10; ++k) mine.run([&] { ++ran; });
      std::async(std::launch::async, [&] { mine.wait(); }).get();
    });
  tasks.wait();
  EXPECT_EQ(ran, 10 * workers());
}

// The worker takes both tasks and runs the newer one first.
TEST(blocked_workers, a_queued_task_beneath_the_blocked_one_runs) {
  for (int round = 0; round < 3; ++round) {
    std::atomic<int> ran{0};
    skua::task_group few, blocked;
    for (int i = 0; i < workers(); ++i) {
      few.run([&] { ++ran; });
      blocked.run([&] { until([&] { return ran == workers(); }); });
    }
    few.wait();
    EXPECT_EQ(ran, workers());
    blocked.wait();
  }
}

TEST(blocked_workers, each_call_that_runs_alone_has_a_worker_of_its_own) {
  skua::scheduler pool({.workers = 1});
  pool.run([&] {
    std::promise<void> slept;
    auto first = std::async(std::launch::async, [&] {
      pool.run([&] {
        skua::blocking([] { sleep_ms(400); });
        slept.set_value();
      });
    });
    auto second = std::async(std::launch::async, [&, future = slept.get_future()]() mutable {
      sleep_ms(50);
      pool.run([&] { future.get(); });
    });
    first.get();
    second.get();
  });
}

// A worker whose task is blocked leaves its CPU to one other thread, not to all of them.
TEST(blocked_workers, few_threads_compute) {
  skua::scheduler pool({.workers = 2});
  std::atomic<bool> ends{false};
  std::atomic<int> computing{0}, most{0};
  std::jthread sleeper([&] { pool.run([&] { until([&] { return ends.load(); }); }); });
  std::vector<std::jthread> outside;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 12; ++i)
    outside.emplace_back([&] {
      while (seconds_since(start) < 1)
        pool.run([&] {
          const int now = ++computing;
          for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {
          }
          const auto begun = std::chrono::steady_clock::now();
          while (seconds_since(begun) < 0.001) {
          }
          --computing;
        });
    });
  outside.clear();
  ends = true;
  EXPECT_LE(most, 4);
}

// A thread that has blocked gets its worker back, although another thread calls again and again. The other thread makes
// more calls if this thread loses its CPU meanwhile, so the test repeats the batch of rounds until that happens in none.
TEST(blocked_workers, a_blocked_thread_gets_its_worker_back_beside_busy_callers) {
  skua::scheduler pool({.workers = 1});
  std::atomic<bool> ends{false};
  std::atomic<int> calls{0};
  std::jthread busy([&] {
    while (!ends) {
      ++calls;
      pool.run([] {
        const auto begun = std::chrono::steady_clock::now();
        while (seconds_since(begun) < 0.001) {
        }
      });
    }
  });
  until([&] { return calls > 3; });
  const auto max_calls_in_a_round = [&] {
    int worst = 0;
    for (int round = 0; round < 20; ++round) {
      int before = 0;
      pool.run([&] {
        skua::blocking([&] {
          sleep_ms(5);
          before = calls;
        });
        worst = std::max(worst, calls - before);
      });
    }
    return worst;
  };
  int most = max_calls_in_a_round();
  for (patience left; left && most > 10;) most = max_calls_in_a_round();
  ends = true;
  EXPECT_LE(most, 10) << "calls of the other thread";
}

TEST(blocked_workers, a_call_that_runs_alone_calls_its_scheduler_again) {
  std::atomic<int> ran{0};
  wait_in_all_tasks([&] {
    skua::default_scheduler().run([&] {
      for (int i = 0; i < 10; ++i) skua::default_scheduler().run([&] { ++ran; });
      EXPECT_GE(skua::worker_index(), 0);
    });
  });
  EXPECT_EQ(ran, 10 * workers());
}

TEST(blocked_workers, more_threads_than_workers_meet_at_a_barrier_in_their_loops) {
  const int threads = workers() + 2;
  std::barrier all(threads);
  std::atomic<int> ran{0};
  std::vector<std::jthread> outside;
  for (int i = 0; i < threads; ++i)
    outside.emplace_back([&] {
      skua::parallel_for(0, 10, [&](int k) {
        if (k == 0) all.arrive_and_wait();
        ++ran;
      });
    });
  outside.clear();
  EXPECT_EQ(ran, 10 * threads);
}

TEST(blocked_workers, two_schedulers_call_each_other) {
  skua::scheduler a({.workers = 1}), b({.workers = 1});
  std::atomic<int> ran{0};
  std::barrier both(2);
  const auto call = [&](skua::scheduler& first, skua::scheduler& second) {
    first.run([&] {
      both.arrive_and_wait();
      second.run([&] { ++ran; });
    });
  };
  std::jthread other([&] { call(b, a); });
  call(a, b);
  other.join();
  EXPECT_EQ(ran, 2);
}

/// A stand-in does not begin while the task of a worker computes.
TEST(blocked_workers, a_call_waits_for_workers_that_compute) {
  skua::scheduler pool({.workers = 1});
  std::atomic<bool> computes{false}, ended{false};
  std::jthread other([&] {
    pool.run([&] {
      computes = true;
      const auto start = std::chrono::steady_clock::now();
      while (seconds_since(start) < 0.4) {
      }
      ended = true;
    });
  });
  until([&] { return computes.load(); });
  pool.run([&] { EXPECT_TRUE(ended); });
}

/// Binds the calling thread to one of the CPUs of this process; 0 is the first.
bool bind_to(std::size_t nth) {
  cpu_set_t allowed, one;
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &allowed) && nth-- == 0) CPU_SET(cpu, &one);
  return CPU_COUNT(&one) == 1 && sched_setaffinity(0, sizeof one, &one) == 0;
}

// A thread that is ready and gets no CPU has no work to leave to another thread. Here its CPU computes for a thread of a higher
// priority.
TEST(blocked_workers, a_call_waits_for_a_worker_that_gets_no_cpu) {
  skua::scheduler pool({.workers = 1, .bind = false});
  std::atomic<bool> may_bind{true}, starves{false}, ended{false};
  std::jthread starved([&] {
    const sched_param none{};
    may_bind = bind_to(0) && sched_setscheduler(0, SCHED_IDLE, &none) == 0;
    pool.run([&] {
      starves = true;
      const auto start = std::chrono::steady_clock::now();
      while (seconds_since(start) < 1) {
      }
      ended = true;
    });
  });
  until([&] { return starves.load(); });
  std::jthread computes([&] {
    if (!bind_to(0)) may_bind = false;
    until([&] { return ended.load(); }, "a starved thread", no_pause);
  });
  bool waited = false;
  pool.run([&] { waited = ended; });
  if (!may_bind) GTEST_SKIP() << "the system does not let a thread choose its CPU or its priority";
  EXPECT_TRUE(waited);
}

TEST(blocked_workers, a_call_that_runs_alone_forks_the_process) {
  if constexpr (under_thread_sanitizer)
    GTEST_SKIP() << "ThreadSanitizer does not support threads in a child of fork()";
  skua::scheduler pool({.workers = 1});
  std::atomic<int> status{-1};
  pool.run([&] {
    std::async(std::launch::async, [&] {
      pool.run([&] {
        const pid_t child = fork();
        if (child == 0) {
          int ran = 0;
          skua::join([&] { ++ran; }, [&] { ++ran; });
          _exit(ran);
        }
        int how = 0;
        waitpid(child, &how, 0);
        status = WIFEXITED(how) ? WEXITSTATUS(how) : -2;
      });
    }).get();
  });
  EXPECT_EQ(status, 2);
}

TEST(blocked_workers, exceptions_leave_a_call_that_runs_alone) {
  skua::scheduler pool({.workers = 1});
  pool.run([&] {
    auto thrown =
        std::async(std::launch::async, [&] { pool.run([] { throw std::runtime_error("from the call"); }); });
    EXPECT_THROW(thrown.get(), std::runtime_error);
  });
}

}  // namespace
}  // namespace blocked_workers_test
