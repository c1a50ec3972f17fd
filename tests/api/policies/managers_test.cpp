// The policy `managers` on real workers: every kind of task, and more workers than cores. No worker accesses the queue of
// another worker.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fork_until.hpp"
#include "tests/support/until.hpp"

namespace managers_test {
namespace {

using clock_type = std::chrono::steady_clock;

void spin(std::chrono::microseconds how_long) {
  const auto until = clock_type::now() + how_long;
  while (clock_type::now() < until) {
  }
}

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = skua::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void tree_of_tasks(skua::task_group& tasks, std::atomic<int>& ran, int depth) {
  ++ran;
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) tasks.run([&, depth] { tree_of_tasks(tasks, ran, depth - 1); });
}

struct machine {
  const char* policy;
  std::int64_t workers;
  const char* topology;
};

std::ostream& operator<<(std::ostream& out, const machine& m) {
  return out << m.policy << " on " << m.workers << " workers of " << m.topology;
}

class api_managers : public testing::TestWithParam<machine> {
 protected:
  skua::scheduler pool{{.workers = GetParam().workers,
                        .policy = GetParam().policy,
                        .topology = skua::topology::synthetic(GetParam().topology),
                        .park_after_us = 50}};
};

constexpr const char* pair = "core:2 pu:1";
constexpr const char* sixteen = "package:4 core:4 pu:1";
constexpr const char* many = "package:8 core:8 pu:1";
INSTANTIATE_TEST_SUITE_P(
    on, api_managers,
    testing::Values(machine{"managers", 1, pair}, machine{"managers", 2, pair},
                    machine{"managers(rescue=no)", 2, pair}, machine{"managers(steal=one)", 4, "core:4 pu:1"},
                    machine{"managers", 16, sixteen}, machine{"managers(radix=4, rescue=no)", 16, sixteen},
                    machine{"managers(radix=2, steal=one, rescue=no)", 16, sixteen},
                    machine{"managers(radix=16, underflow=3)", 16, sixteen},
                    machine{"managers(radix=4)", 64, many}, machine{"managers(radix=4, rescue=no)", 64, many},
                    machine{"managers(dedicated=1)", 2, pair},
                    machine{"managers(dedicated=7, rescue=no)", 2, pair},
                    machine{"managers(radix=4, dedicated=3, rescue=no)", 16, sixteen},
                    machine{"mix(0.5, managers, random)", 16, sixteen}));

TEST_P(api_managers, joins) {
  for (int i = 0; i < 5; ++i) EXPECT_EQ(pool.run([] { return fib(20); }), 6765u);
}

TEST_P(api_managers, loops) {
  std::vector<std::uint32_t> seen(100000, 0);
  for (int i = 0; i < 3; ++i)
    pool.run([&] { skua::parallel_for(0, 100000, [&](int at) { ++seen[static_cast<std::size_t>(at)]; }); });
  for (const std::uint32_t n : seen) ASSERT_EQ(n, 3u);
}

TEST_P(api_managers, groups_of_tasks) {
  for (int i = 0; i < 5; ++i) {
    std::atomic<int> ran{0};
    pool.run([&] {
      skua::task_group tasks;
      tree_of_tasks(tasks, ran, 6);
      tasks.wait();
    });
    ASSERT_EQ(ran, 1093);
  }
}

TEST_P(api_managers, more_tasks_than_a_pool_holds) {
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < 40000; ++i) tasks.run([&] { ++ran; });
    tasks.wait();
  });
  EXPECT_EQ(ran, 40000);
}

TEST_P(api_managers, groups_waited_for_by_another_task) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> ran{0};
    pool.run([&] {
      skua::task_group tasks;
      for (int k = 0; k < 20; ++k) tasks.run([&] { ++ran; });
      skua::join([&] { tasks.wait(); }, [] { spin(std::chrono::microseconds(20)); });
      tasks.wait();
    });
    ASSERT_EQ(ran, 20);
  }
}

TEST_P(api_managers, exceptions) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(pool.run([] { skua::join([] { fib(10); }, [] { throw std::runtime_error("thrown"); }); }),
                 std::runtime_error);
    EXPECT_THROW(pool.run([] {
      skua::task_group tasks;
      for (int k = 0; k < 50; ++k)
        tasks.run([k] {
          fib(5);
          if (k == 25) throw k;
        });
      tasks.wait();
    }),
                 int);
  }
}

TEST_P(api_managers, isolated_regions) {
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::task_group outer;
    for (int i = 0; i < 64; ++i)
      outer.run([&] {
        skua::isolate([&] {
          skua::task_group inner;
          for (int k = 0; k < 8; ++k)
            inner.run([&] {
              fib(6);
              ++ran;
            });
          inner.wait();
          fib(8);
        });
      });
    outer.wait();
  });
  EXPECT_EQ(ran, 64 * 8);
}

TEST_P(api_managers, mutexes_and_blocking_calls) {
  skua::mutex m;
  int counted = 0;
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < 200; ++i)
      tasks.run([&, i] {
        if (i % 50 == 0) skua::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
        const std::lock_guard lock(m);
        ++counted;
        fib(5);
      });
    tasks.wait();
  });
  EXPECT_EQ(counted, 200);
}

TEST_P(api_managers, regions_have_no_effect) {
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::shaped({.boundary_level = 3}, [&] {
      skua::join(skua::inter([&] { ran += static_cast<int>(fib(10)); }),
                 skua::inter([&] { ran += static_cast<int>(fib(10)); }));
    });
  });
  EXPECT_EQ(ran, 110);
}

TEST_P(api_managers, external_threads) {
  std::vector<std::thread> external_threads;
  std::atomic<int> ran{0};
  for (int t = 0; t < 4; ++t)
    external_threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        pool.run([&] { ran += fib(12) == 144; });
        pool.run([&] {
          skua::task_group tasks;
          for (int k = 0; k < 10; ++k) tasks.run([&] { ran += fib(5) == 5; });
          tasks.wait();
        });
        if (i % 8 == 7) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  for (std::thread& g : external_threads) g.join();
  EXPECT_EQ(ran, 4 * 20 * 11);
}

TEST_P(api_managers, phases) {
  for (int i = 0; i < 3; ++i) {
    std::atomic<int> ran{0};
    pool.run([&] {
      skua::phase<int> p;
      p.enqueue(0);
      p.run([&](int depth) {
        ++ran;
        if (depth < 8) {
          p.enqueue(depth + 1);
          p.enqueue(depth + 1);
        }
      });
    });
    ASSERT_EQ(ran, 511);
  }
}

// ---- cases that need two workers at once

/// Long leaves. Each lasts until two of them run at once, however late the other one begins if other programs use the CPUs.
struct leaves {
  void operator()() {
    ++running;
    if (!within(std::chrono::seconds(60), [&] { return running == 2; })) never_met = true;
  }
  std::atomic<int> running{0};
  std::atomic<bool> never_met{false};
};

template <class Program>
bool always_at_once(Program program) {
  skua::scheduler pool({.workers = 2, .policy = "managers"});
  for (int i = 0; i < 20; ++i) {
    leaves leaf;
    pool.run([&] { program(leaf); });
    if (leaf.never_met) return false;
  }
  return true;
}

// The tiny fork reports tasks to the managers, but the queue is empty again when the leaves are forked.
TEST(api_managers_starvation, two_long_leaves_after_a_tiny_fork_run_side_by_side) {
  EXPECT_TRUE(always_at_once([](leaves& leaf) {
    skua::join([] { skua::join([] {}, [] {}); }, [] {});
    skua::join(std::ref(leaf), std::ref(leaf));
  }));
}

// The other worker has a task when the second leaf is forked, so the record of that leaf stays private. Then no message
// reaches its owner.
TEST(api_managers_starvation, private_tasks_below_a_long_leaf_are_rescued) {
  EXPECT_TRUE(always_at_once([](leaves& leaf) {
    skua::join([&] { skua::join(std::ref(leaf), std::ref(leaf)); },
               [] { spin(std::chrono::milliseconds(10)); });
  }));
}

TEST(api_managers_starvation, a_queue_that_forks_is_shared_by_messages_alone) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  skua::scheduler pool({.workers = 2, .policy = "managers(rescue=no)"});
  for (patience left; left && pool.report().total.steals == 0;) pool.run([] { return fib(27); });
  EXPECT_GT(pool.report().total.steals, 0u);
}

TEST(api_managers_dedicated, dedicated_workers_ask_for_no_tasks) {
  // There is only one manager, so no steal brings tasks for a whole part of the machine.
  skua::scheduler pool({.workers = 4,
                        .policy = "managers(radix=64, dedicated=2)",
                        .topology = skua::topology::synthetic("core:4 pu:1")});
  for (int i = 0; i < 20; ++i)
    pool.run([] {
      const int mine = skua::worker_index();  // an external thread may have attached to a dedicated worker
      std::atomic<int> strayed{0};
      skua::parallel_for(
          0, 200,
          [&](int) {
            const int here = skua::worker_index();
            if (here >= 2 && here != mine) ++strayed;
            spin(std::chrono::microseconds(20));
          },
          skua::loop{.grain = 1});
      EXPECT_EQ(strayed, 0);
    });
}

TEST(api_managers_words, wrong_options_say_what_is_allowed) {
  for (const char* wrong : {"managers(radix=1)", "managers(radix=4097)", "managers(steal=all)",
                            "managers(underflow=0)", "managers(dedicated=-1)"})
    EXPECT_THROW(skua::make_policy(wrong), skua::bad_input) << wrong;
}

// Without the rescue only the worker that queued the late task could run it, and that worker is in a long leaf.
TEST(api_managers, an_isolated_wait_rescues_late_tasks) {
  skua::scheduler pool({.workers = 2, .policy = "managers"});
  pool.run([&] {
    skua::isolate([&] {
      std::atomic<bool> begun = false, late_ran = false;
      bool in_time = false;
      skua::task_group tasks;
      tasks.run([&] {
        begun = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        tasks.run([&] { late_ran = true; });
        in_time = within(std::chrono::seconds(60), [&] { return late_ran.load(); });
      });
      // This forks until the other worker has the task, because forks send the messages to the manager.
      fork_until([&] { return begun.load(); });
      tasks.wait();
      EXPECT_TRUE(in_time);
    });
  });
}

}  // namespace
}  // namespace managers_test
