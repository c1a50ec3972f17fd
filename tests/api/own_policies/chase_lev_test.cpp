// Chase-Lev deques on real workers, with many more workers than cores. Every program gives the same results as with the
// split queue.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/until.hpp"

namespace chase_lev_test {
namespace {

struct seen {
  static inline std::atomic<int> right{0}, wrong{0}, refusals{0}, steals{0};
  static void forget() { right = wrong = refusals = steals = 0; }
};

struct wide {
  int value;
  std::array<int, 40> rest;
};

// Looks at every worker's next task and refuses some of them. Takes one task and half of the tasks in turn.
struct judge_on_deques : skua::steal_policy {
  skua::queue_kind queue() const override { return skua::queue_kind::chase_lev; }
  skua::stolen acquire(skua::thief& t) override {
    const auto accept = [](const skua::hint& h) {
      const auto w = h.as<wide>();
      if (!w) return true;
      bool whole = true;
      for (const int r : w->rest) whole &= r == w->value;
      ++(whole ? seen::right : seen::wrong);
      if (w->value % 3 != 0) return true;
      ++seen::refusals;
      return false;
    };
    for (const skua::worker_id v : t.random_workers(t.workers())) {
      if (const auto h = t.peek(v)) accept(*h);
      const skua::amount how_much = t.random(2) ? skua::amount::half : skua::amount::one;
      if (skua::stolen task = t.try_steal(v, how_much, accept)) {
        ++seen::steals;
        return task;
      }
    }
    return {};
  }
};
SKUA_POLICY(judge_on_deques, "judge_on_deques", "peeks and confirms on Chase-Lev deques");

skua::scheduler machine(const char* policy = "chase_lev",
                        skua::continuation form = skua::continuation::home) {
  return skua::scheduler({.workers = 16,
                          .policy = policy,
                          .topology = skua::topology::synthetic("package:4 core:4 pu:1"),
                          .park_after_us = 50,
                          .continuation = form});
}

void spin_us(int us) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

TEST(api_chase_lev, forks) {
  for (const auto form : {skua::continuation::home, skua::continuation::free}) {
    auto pool = machine("chase_lev", form);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(pool.run([] { return fib(20); }), 6765);
  }
}

TEST(api_chase_lev, work_reaches_other_workers) {
  auto pool = machine();
  std::vector<std::atomic<int>> ran(16);
  int rounds = 0, all = 0, busy = 0;
  for (patience left; left && busy < 2; ++rounds) {  // other programs may use the CPUs
    pool.run([&] {
      skua::parallel_for(0, 400, [&](int) {
        spin_us(200);
        ++ran[static_cast<std::size_t>(skua::worker_index())];
      });
    });
    all = busy = 0;
    for (const auto& n : ran) all += n, busy += n != 0;
  }
  EXPECT_EQ(all, 400 * rounds);
  EXPECT_GT(busy, 1);
}

TEST(api_chase_lev, loops_run_every_position_once) {
  auto pool = machine();
  std::vector<int> hits(20000);
  for (int round = 0; round < 10; ++round)
    pool.run([&] {
      skua::parallel_for(0, 200, [&](int i) {
        skua::parallel_for(100 * i, 100 * (i + 1), [&](int k) { ++hits[static_cast<std::size_t>(k)]; });
      });
    });
  for (const int h : hits) ASSERT_EQ(h, 10);
  const long sum = pool.run([] {
    return skua::parallel_reduce(0, 100000, 0L, [](int i) { return static_cast<long>(i); }, std::plus<>());
  });
  EXPECT_EQ(sum, 100000L * 99999 / 2);
}

TEST(api_chase_lev, groups_wait_for_tasks_that_joins_made) {
  auto pool = machine();
  std::atomic<int> ran{0};
  pool.run([&] {
    for (int round = 0; round < 50; ++round) {
      skua::task_group tasks;
      skua::join(
          [&] {
            for (int i = 0; i < 20; ++i)
              tasks.run([&] { skua::join([&] { ++ran; }, [&] { tasks.run([&] { ++ran; }); }); });
          },
          [&] { tasks.run([&] { ++ran; }); });
      tasks.wait();
      ASSERT_EQ(ran, 41 * (round + 1));
    }
  });
}

TEST(api_chase_lev, exceptions_pass_joins_loops_and_groups) {
  auto pool = machine();
  for (int i = 0; i < 50; ++i) {
    EXPECT_THROW(pool.run([] { skua::join([] { spin_us(20); }, [] { throw std::string("second"); }); }),
                 std::string);
    EXPECT_THROW(pool.run([] { skua::join([] { throw 1; }, [] { return std::string("dropped"); }); }), int);
    EXPECT_THROW(pool.run([] {
      skua::parallel_for(0, 1000, [](int k) {
        if (k == 777) throw k;
      });
    }),
                 int);
    EXPECT_THROW(pool.run([] {
      skua::task_group tasks;
      for (int k = 0; k < 10; ++k)
        tasks.run([k] {
          if (k == 5) throw k;
        });
      tasks.wait();
    }),
                 int);
  }
}

TEST(api_chase_lev, a_deque_that_is_full_runs_children_at_their_joins) {
  auto pool = skua::scheduler({.workers = 2, .policy = "chase_lev", .stack_bytes = 256 << 20});
  struct deep {
    static long run(int n) {
      if (n == 0) return 1;
      auto [a, b] = skua::join([=] { return run(n - 1); }, [] { return 1L; });
      return a + b;
    }
  };
  const long stolen = pool.run([] {
    std::atomic<bool> taken{false};
    auto [a, b] = skua::join(
        [&] {
          until([&] { return taken.load(); }, "a thief");
          return 0L;
        },
        [&] {  // runs on a worker's stack, which is large enough
          taken = true;
          return deep::run(17'000);
        });
    return a + b;
  });
  EXPECT_EQ(stolen, 17'001);
  EXPECT_EQ(pool.run([] { return fib(15); }), 610);
}

TEST(api_chase_lev, regions_and_isolation_change_nothing) {
  auto pool = machine();
  std::atomic<int> leaves{0};
  pool.run([&] {
    skua::shaped({.input_bytes = 1 << 30, .branching = 2}, [&] {
      skua::join(skua::inter([&] { leaves += static_cast<int>(fib(12)); }),
                 skua::inter([&] { leaves += static_cast<int>(fib(12)); }));
    });
    for (int round = 0; round < 2; ++round)
      skua::shaped(skua::learn("api_chase_lev"), [&] { leaves += static_cast<int>(fib(10)); });
    skua::parallel_for(0, 100, [&](int) { skua::isolate([&] { leaves += static_cast<int>(fib(5)); }); });
  });
  EXPECT_EQ(leaves, 2 * 144 + 2 * 55 + 100 * 5);
}

TEST(api_chase_lev, waits_suspend_stacks_whose_records_stay_stealable) {
  auto pool = machine();
  skua::mutex one_at_a_time;
  int held = 0;
  pool.run([&] {
    skua::parallel_for(0, 200, [&](int) {
      skua::join(
          [&] {
            std::lock_guard lock(one_at_a_time);
            ++held;
            skua::join([] { spin_us(5); }, [] { spin_us(5); });
          },
          [] { spin_us(5); });
    });
  });
  EXPECT_EQ(held, 200);
}

TEST(api_chase_lev, external_threads_run_forks) {
  auto pool = machine();
  std::vector<std::thread> external_threads;
  std::atomic<long> sum{0};
  for (int t = 0; t < 4; ++t)
    external_threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) sum += pool.run([] { return fib(15); });
    });
  for (auto& g : external_threads) g.join();
  EXPECT_EQ(sum, 20 * 610);
}

int tree(int depth, int value) {
  if (depth == 0) {
    spin_us(2);
    return 1;
  }
  wide hint{value, {}};
  hint.rest.fill(value);
  auto [a, b] = skua::join([=] { return tree(depth - 1, 2 * value); },
                           skua::hinted(hint, [=] { return tree(depth - 1, 2 * value + 1); }));
  return a + b;
}

TEST(api_chase_lev, hints_are_seen_whole_and_refused_tasks_run_where_they_were) {
  seen::forget();
  auto pool = machine("judge_on_deques");
  const auto all_seen = [] { return seen::right > 0 && seen::refusals > 0 && seen::steals > 0; };
  const patience left;  // other programs may use the CPUs
  for (int i = 0; i < 10 || (left && !all_seen()); ++i) {
    ASSERT_EQ(pool.run([] { return tree(10, 1); }), 1024);
    ASSERT_EQ(pool.run([] { return fib(15); }), 610);
  }
  EXPECT_GT(seen::right, 0);
  EXPECT_EQ(seen::wrong, 0);
  EXPECT_GT(seen::refusals, 0);
  EXPECT_GT(seen::steals, 0);
}

TEST(api_chase_lev, hinted_loops) {
  auto pool = machine("judge_on_deques");
  std::vector<int> hits(2000);
  for (int round = 0; round < 10; ++round)
    pool.run([&] {
      skua::parallel_for(
          0, 2000, [&](int i) { ++hits[static_cast<std::size_t>(i)]; },
          skua::loop{.grain = 8, .hint = [](auto first, auto) { return skua::depth{first}; }});
    });
  for (const int h : hits) ASSERT_EQ(h, 10);
}

}  // namespace
}  // namespace chase_lev_test
