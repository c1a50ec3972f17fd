// Phases: orders, every task once, ranges, reductions, exceptions, and the threads that may run them.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/phase.hpp>
#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/until.hpp"

namespace phase_test {
namespace {

skua::scheduler_options workers(int n, std::string policy = "") {
  return {.workers = n,
          .policy = std::move(policy),
          .topology = skua::topology::synthetic("package:4 core:4 pu:1")};
}

// Tasks move by messages, except under chase_lev, where thieves take them from deques.
struct crew {
  int workers;
  const char* policy;
};
class phase_with_workers : public testing::TestWithParam<crew> {
 protected:
  skua::scheduler pool{workers(GetParam().workers, GetParam().policy)};
};
INSTANTIATE_TEST_SUITE_P(workers, phase_with_workers,
                         testing::Values(crew{1, ""}, crew{2, ""}, crew{8, ""}, crew{16, ""},
                                         crew{1, "chase_lev"}, crew{2, "chase_lev"}, crew{8, "chase_lev"},
                                         crew{16, "chase_lev"}),
                         [](const testing::TestParamInfo<crew>& of) {
                           return std::to_string(of.param.workers) + (*of.param.policy ? "_" : "_messages") +
                                  of.param.policy;
                         });

// ---- the example of the header

TEST_P(phase_with_workers, does_what_its_header_shows) {
  pool.run([] {
    // The children of a node of a binary tree of ten levels.
    const auto children = [](long node) {
      return node < 512 ? std::vector<long>{2 * node, 2 * node + 1} : std::vector<long>{};
    };
    std::atomic<long> visited{0};
    const auto visit = [&](long) { ++visited; };
    const long root = 1, n = 1000;
    std::vector<double> a(n, 0.5);

    skua::phase<long> p(skua::order::fifo);
    p.enqueue(root);
    p.run([&](long node) {
      visit(node);
      for (long c : children(node)) p.enqueue(c);
    });
    EXPECT_EQ(visited, 1023);

    p.enqueue(root);
    p.run([&] {
      for (long t; p.dequeue(t);) visit(t);
    });
    EXPECT_EQ(visited, 1024);

    p.enqueue_range(0, n);
    double sum =
        p.run([&](long i, double& part) { part += a[static_cast<std::size_t>(i)]; }, 0.0, std::plus<>{});
    EXPECT_EQ(sum, 500);
  });
}

// ---- a comparison that throws

struct fails_at {
  std::atomic<long>* calls_left;
  bool operator()(int a, int b) const {
    if ((*calls_left)-- == 0) throw std::runtime_error("cannot compare");
    return a < b;
  }
};

// The comparison may throw wherever tasks are compared: in the body, when tasks are dealt, or when a message brings or takes
// tasks.
TEST_P(phase_with_workers, throws_an_exception_of_the_comparison) {
  for (const long last_good : {0, 1, 5, 50, 300, 1'000, 2'000, 4'000, 1'000'000}) {
    std::atomic<long> calls_left{last_good}, ran{0};
    skua::phase<int, fails_at> p(skua::order::priority, fails_at{&calls_left});
    const auto run = [&] {
      for (int i = 0; i < 300; ++i) p.enqueue(i * 7 % 41);
      p.run([&](int i) {
        if (++ran < 3'000 && i > 0) p.enqueue(i - 1);
      });
    };
    bool thrown = false;
    try {
      pool.run(run);
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    EXPECT_EQ(thrown, calls_left < 0) << "after " << last_good;
    calls_left = std::numeric_limits<long>::max();
    ran = 3'000;
    pool.run(run);
    EXPECT_EQ(ran, 3'300) << "all tasks ran, and none of the run that failed";
  }
}

// ---- order

template <class Phase>
std::vector<int> order_of(Phase& p, int more) {
  skua::scheduler one(workers(1));
  std::vector<int> seen;
  one.run([&] {
    for (const int i : {3, 1, 2}) p.enqueue(i);
    p.run([&](int i) {
      seen.push_back(i);
      if (static_cast<int>(seen.size()) <= more) p.enqueue(i + 10);
    });
  });
  return seen;
}

TEST(phase, takes_the_newest_first_by_default) {
  skua::phase<int> p;
  EXPECT_EQ(order_of(p, 2), (std::vector{2, 12, 22, 1, 3}));
}
TEST(phase, takes_the_oldest_first) {
  skua::phase<int> p(skua::order::fifo);
  EXPECT_EQ(order_of(p, 2), (std::vector{3, 1, 2, 13, 11}));
}
TEST(phase, takes_the_greatest_first) {
  skua::phase<int> p(skua::order::priority);
  EXPECT_EQ(order_of(p, 1), (std::vector{3, 13, 2, 1}));
}
TEST(phase, takes_the_smallest_first_with_std_greater) {
  skua::phase<int, std::greater<>> p(skua::order::priority);
  EXPECT_EQ(order_of(p, 1), (std::vector{1, 2, 3, 11}));
}
TEST(phase, keeps_priority_within_ranges) {
  skua::scheduler one(workers(1));
  std::vector<int> seen;
  skua::phase<int, std::greater<>> p(skua::order::priority);
  one.run([&] {
    p.enqueue_range(2, 6);
    p.enqueue_range(0, 4);
    p.run([&](int i) { seen.push_back(i); });
  });
  EXPECT_EQ(seen, (std::vector{0, 1, 2, 2, 3, 3, 4, 5}));
}
TEST(phase, refuses_priority_for_a_type_without_an_order) {
  struct opaque {
    int x;
  };
  EXPECT_THROW(skua::phase<opaque>{skua::order::priority}, skua::bad_input);
  skua::phase<opaque> fine(skua::order::fifo);
  const auto by_x = [](opaque a, opaque b) { return a.x < b.x; };
  skua::phase<opaque, decltype(by_x)> also_fine(skua::order::priority, by_x);
}
TEST(phase, takes_the_newest_or_the_oldest_first_from_deques_too) {
  skua::phase<int> newest({.stealing = skua::phase_stealing::chase_lev});
  EXPECT_EQ(order_of(newest, 1), (std::vector<int>{2, 12, 1, 3}));
  skua::phase<int> oldest({.order = skua::order::fifo, .stealing = skua::phase_stealing::chase_lev});
  EXPECT_EQ(order_of(oldest, 1), (std::vector<int>{3, 1, 2, 13}));
}

TEST(phase, refuses_a_deque_with_priority) {
  try {
    skua::phase<int> p({.order = skua::order::priority, .stealing = skua::phase_stealing::chase_lev});
    FAIL() << "was accepted";
  } catch (const skua::bad_input& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("allowed: lifo and fifo"), std::string::npos);
  }
  // If only the policy of the scheduler is chase_lev, such a phase uses messages.
  skua::scheduler pool(workers(2, "chase_lev"));
  pool.run([] {
    skua::phase<int> p(skua::order::priority);
    p.enqueue(1);
    p.run([](int) {});
  });
}

TEST(phase, refuses_options_out_of_bounds) {
  EXPECT_THROW(skua::phase<int>({.radix = 1}), skua::bad_input);
  EXPECT_THROW(skua::phase<int>({.radix = 4097}), skua::bad_input);
  EXPECT_THROW(skua::phase<int>({.dedicated_managers = -1}), skua::bad_input);
  EXPECT_THROW(skua::phase<int>({.underflow = 0}), skua::bad_input);
  try {
    skua::phase<int> p({.radix = 5000});
  } catch (const skua::bad_input& e) {
    EXPECT_STREQ(e.what(), "phase_options::radix is 5000; allowed: 2 to 4096; nearest: 4096");
  }
}

// ---- every task once

struct four_words {
  std::uint64_t id, depth, c, d;
};

void expect_a_tree_once(const skua::phase_options& options, int levels) {
  skua::phase<four_words> p(options);
  std::vector<std::atomic<int>> runs(std::size_t{1} << levels);
  p.enqueue({1, 0, 3, 4});
  p.run([&](four_words t) {
    ASSERT_EQ(t.c, 3U);
    ASSERT_EQ(t.d, 4U);
    ++runs[t.id];
    if (static_cast<int>(t.depth) + 1 == levels) return;
    p.enqueue({2 * t.id, t.depth + 1, 3, 4});
    p.enqueue({2 * t.id + 1, t.depth + 1, 3, 4});
  });
  for (std::size_t i = 1; i < runs.size(); ++i) ASSERT_EQ(runs[i], 1) << i;
}

TEST_P(phase_with_workers, runs_every_task_once) {
  for (const skua::order by : {skua::order::lifo, skua::order::fifo})
    for (const std::int64_t radix : {2, 4, 8, 64})
      for (const skua::amount steal : {skua::amount::one, skua::amount::half})
        pool.run([&] { expect_a_tree_once({.order = by, .radix = radix, .steal = steal}, 11); });
}

TEST_P(phase_with_workers, runs_every_task_once_with_dedicated_managers) {
  for (const std::int64_t dedicated : {1, 2, 100})
    for (int i = 0; i < 5; ++i)
      pool.run(
          [&] { expect_a_tree_once({.radix = 4, .dedicated_managers = dedicated, .underflow = 3}, 10); });
}

TEST_P(phase_with_workers, runs_round_after_round) {
  pool.run([] {
    skua::phase<int> p(skua::order::fifo);
    for (int round = 0; round < 300; ++round) {
      std::atomic<int> ran{0};
      for (int i = 0; i < round % 7; ++i) p.enqueue(i);
      p.run([&](int) { ++ran; });
      ASSERT_EQ(ran, round % 7);
    }
  });
}

/// The threads that have called here().
class threads_seen {
 public:
  void here() {
    const std::lock_guard lock(mutex_);
    ids_.insert(std::this_thread::get_id());
  }
  bool several() {
    const std::lock_guard lock(mutex_);
    return ids_.size() > 1;
  }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> ids_;
};

TEST_P(phase_with_workers, spreads_tasks_over_workers) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    // The phase continues until another worker has received a task.
    threads_seen seen;
    skua::phase<int> p;
    for (int i = 0; i < 4; ++i) p.enqueue(i);
    p.run([&](int i) {
      seen.here();
      sleep_ms(1);
      if (!seen.several()) p.enqueue(i);
    });
    EXPECT_TRUE(seen.several());
  });
}

TEST_P(phase_with_workers, starves_no_worker_while_first_tasks_run_long) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    for (const bool range : {false, true}) {
      std::atomic<int> started{0};
      skua::phase<int> p;
      if (range)
        p.enqueue_range(0, 2);
      else
        for (int i = 0; i < 2; ++i) p.enqueue(i);
      p.run([&](int) {
        ++started;
        until([&] { return started == 2; }, "the other task");
      });
    }
  });
}

TEST_P(phase_with_workers, asks_another_victim_when_one_is_in_a_long_task) {
  if (GetParam().workers < 8) return;
  pool.run([] {
    // One task 1 enqueues 500 tasks, so its worker has the longest queue. That worker answers no message until 100 tasks 2
    // have run. Meanwhile thieves must ask other victims.
    std::atomic<int> small{0};
    threads_seen seen;
    skua::phase<int> p(skua::order::fifo);
    for (int i = 0; i < 4; ++i) p.enqueue(1);
    std::atomic<bool> long_one_runs{false};
    p.run([&](int t) {
      if (t == 1 && !seen.several()) {  // until two threads have run tasks
        seen.here();
        sleep_ms(1);
        p.enqueue(1);
      } else if (t == 1 && !long_one_runs.exchange(true)) {
        for (int i = 0; i < 500; ++i) p.enqueue(3);
        until([&] { return small >= 100; }, "the tasks of others");
      } else if (t == 1) {
        for (int i = 0; i < 100; ++i) p.enqueue(2);
      } else if (t == 2) {
        sleep_ms(1);
        ++small;
      }
    });
    EXPECT_GE(small, 100);
  });
}

// ---- ranges

TEST(phase_ranges, outside_the_type_of_the_phase_are_refused) {
  skua::phase<std::size_t> sizes;
  EXPECT_NE(refusal([&] { sizes.enqueue_range(-1, 3); }).find("enqueue_range(-1, 3)"), std::string::npos);
  skua::phase<int> ints;
  EXPECT_NE(
      refusal([&] { ints.enqueue_range(0, std::int64_t{1} << 32); }).find("enqueue_range(0, 4294967296)"),
      std::string::npos);
  EXPECT_NE(refusal([&] { ints.enqueue_range(-1, std::size_t{3}); }).find("-1"), std::string::npos);
  std::atomic<int> runs{0}, sum{0};
  ints.enqueue_range(std::int64_t{-2}, std::int64_t{1});
  ints.enqueue_range(0, -1);
  ints.enqueue_range(std::size_t{7}, std::size_t{8});
  sizes.enqueue_range(0, 2);
  skua::default_scheduler().run([&] {
    ints.run([&](int i) {
      ++runs;
      sum += i;
    });
    sizes.run([&](std::size_t) { ++runs; });
  });
  EXPECT_EQ(runs, 6);
  EXPECT_EQ(sum, -2 - 1 + 0 + 7);
}

TEST_P(phase_with_workers, splits_ranges) {
  pool.run([] {
    for (const skua::order by : {skua::order::lifo, skua::order::fifo, skua::order::priority}) {
      std::vector<std::atomic<int>> runs(20'000);
      skua::phase<std::int64_t> p(by);
      p.enqueue_range(0, 10'000);
      p.enqueue_range(10'000, 20'000);
      p.enqueue_range(5, 5);
      p.enqueue_range(5, 3);
      p.run([&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
      for (const auto& n : runs) ASSERT_EQ(n, 1);
    }
  });
}

TEST(phase, one_worker_keeps_the_order_exactly) {
  using numbers = std::vector<long>;
  const auto ran = [](skua::phase_stealing how, skua::order by, auto fill) {
    skua::scheduler pool({.workers = 1});
    numbers seen;
    pool.run([&] {
      skua::phase<long> p(skua::phase_options{.order = by, .stealing = how});
      fill(p);
      p.run([&](long task) {
        seen.push_back(task);
        if (task == 1) p.enqueue(50);
      });
    });
    return seen;
  };
  const auto fill = [](skua::phase<long>& p) {
    p.enqueue_range(0, 4);
    p.enqueue(100);
    p.enqueue_range(10, 14);
  };
  for (const auto how : {skua::phase_stealing::messages, skua::phase_stealing::chase_lev}) {
    EXPECT_EQ(ran(how, skua::order::fifo, fill), (numbers{0, 1, 2, 3, 100, 10, 11, 12, 13, 50}));
    EXPECT_EQ(ran(how, skua::order::lifo, fill), (numbers{10, 11, 12, 13, 100, 0, 1, 50, 2, 3}));
  }
}

TEST_P(phase_with_workers, gives_part_of_a_range_to_a_thief) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    threads_seen seen;
    skua::phase<std::int64_t> p;
    p.enqueue_range(0, 60'000);  // takes a minute if it is never split
    p.run([&](std::int64_t) {
      seen.here();
      if (!seen.several()) sleep_ms(1);
    });
    EXPECT_TRUE(seen.several());
  });
}

// ---- reductions

TEST_P(phase_with_workers, reduces) {
  pool.run([] {
    skua::phase<long> p({.radix = 2});
    for (int round = 0; round < 20; ++round) {
      p.enqueue_range(0, 5000);
      const long sum = p.run([](long i, long& part) { part += i; }, 0L, std::plus<>{});
      ASSERT_EQ(sum, 5000L * 4999 / 2);
    }
    EXPECT_EQ(p.run([](long i, long& part) { part += i; }, 7L, std::plus<>{}), 7)
        << "a reduction of no tasks is its initial value";
  });
}

TEST_P(phase_with_workers, reduces_what_cannot_be_copied_cheaply) {
  pool.run([] {
    using counts = std::map<int, int>;
    skua::phase<int> p;
    p.enqueue_range(0, 3000);
    const counts all = p.run(
        [&](counts& part) {
          for (int i; p.dequeue(i);) ++part[i % 10];
        },
        counts{},
        [](counts a, counts b) {
          for (const auto& [k, n] : b) a[k] += n;
          return a;
        });
    ASSERT_EQ(all.size(), 10U);
    for (const auto& [k, n] : all) EXPECT_EQ(n, 300);
  });
}

// ---- exceptions

TEST_P(phase_with_workers, throws_what_a_body_threw_and_can_be_used_again) {
  pool.run([] {
    for (int round = 0; round < 20; ++round) {
      skua::phase<int> p;
      std::atomic<int> ran{0};
      for (int i = 0; i < 1000; ++i) p.enqueue(i);
      EXPECT_THROW(p.run([&](int i) {
        ++ran;
        if (i < 1000) p.enqueue(1000 + i);
        if (i == 700) throw std::runtime_error("seven hundred");
      }),
                   std::runtime_error);
      EXPECT_GT(ran, 0);
      std::atomic<int> after{0};
      p.enqueue(1);
      p.run([&](int) { ++after; });
      EXPECT_EQ(after, 1);
    }
  });
}

TEST_P(phase_with_workers, stops_when_a_body_returns_early) {
  pool.run([&] {
    skua::phase<int> p;
    for (int i = 0; i < 1000; ++i) p.enqueue(i);
    std::atomic<int> ran{0};
    p.run([&] {
      int t;
      if (p.dequeue(t)) ++ran;
    });
    EXPECT_LE(ran, GetParam().workers);
    int t;
    EXPECT_THROW(p.dequeue(t), std::logic_error);
  });
}

TEST_P(phase_with_workers, refuses_to_run_inside_itself) {
  pool.run([] {
    skua::phase<int> p;
    p.enqueue(1);
    EXPECT_THROW(p.run([&](int) { p.run([](int) {}); }), std::logic_error);
  });
}

// ---- where phases run

TEST_P(phase_with_workers, ends_at_once_with_nothing_to_do) {
  pool.run([] {
    skua::phase<int> p;
    for (int i = 0; i < 100; ++i) p.run([](int) { FAIL(); });
  });
}

TEST(phase, runs_on_the_default_scheduler_from_an_external_thread) {
  skua::phase<int> p;
  std::atomic<int> ran{0};
  p.enqueue_range(0, 100);
  p.run([&](int) { ++ran; });
  EXPECT_EQ(ran, 100);
}

TEST_P(phase_with_workers, nests) {
  pool.run([] {
    std::atomic<int> ran{0};
    skua::phase<int> outer;
    outer.enqueue_range(0, 20);
    outer.run([&](int) {
      skua::phase<int> inner(skua::order::fifo);
      inner.enqueue(3);
      inner.run([&](int depth) {
        ++ran;
        if (depth > 0)
          for (int i = 0; i < 2; ++i) inner.enqueue(depth - 1);
      });
    });
    EXPECT_EQ(ran, 20 * 15);
  });
}

TEST_P(phase_with_workers, runs_inside_tasks_while_others_are_busy) {
  pool.run([] {
    std::atomic<int> ran{0};
    skua::task_group tasks;
    for (int i = 0; i < 10; ++i)
      tasks.run([&] {
        skua::phase<int> p;
        p.enqueue_range(0, 50);
        p.run([&](int) { ++ran; });
      });
    tasks.wait();
    EXPECT_EQ(ran, 500);
  });
}

TEST_P(phase_with_workers, lets_bodies_fork_wait_and_enqueue_from_their_forks) {
  pool.run([] {
    std::atomic<int> ran{0};
    skua::phase<int> p;
    for (int i = 0; i < 50; ++i) p.enqueue(4);
    p.run([&](int depth) {
      ++ran;
      if (depth == 0) return;
      skua::join([&] { p.enqueue(depth - 1); },
                 [&] {
                   skua::parallel_for(0, 100, [](int) {});
                   p.enqueue(0);
                 });
    });
    EXPECT_EQ(ran, 50 * 9);
  });
}

TEST_P(phase_with_workers, leaves_its_workers_to_other_tasks) {
  pool.run([&] {
    // The only task of the phase waits for tasks of a group. The other workers have nothing to do for the phase, so they run
    // these.
    skua::phase<int> p;
    p.enqueue(1);
    p.run([&](int) {
      sleep_ms(10);
      std::atomic<int> ran{0};
      skua::task_group tasks;
      for (int i = 0; i < 100; ++i) tasks.run([&] { ++ran; });
      tasks.wait();
      EXPECT_EQ(ran, 100);
    });
  });
}

/// Adds tasks when all participants but the first have left: come(phase) enqueues them, and run(phase, seen) runs each.
/// Several threads must run some of them.
template <class Come, class Run>
void expect_those_called_back_who_have_left(Come come, Run run) {
  skua::phase<int> p;
  threads_seen seen;
  p.enqueue(0);
  p.run([&](int t) {
    if (t == 0) {
      sleep_ms(20);
      come(p);
    } else {
      seen.here();
      run(p, seen);
    }
  });
  EXPECT_TRUE(seen.several());
}
constexpr int a_minute_of_ms = 60'000;  // other programs may use the CPUs of the workers that are called back
void enqueue_ones(skua::phase<int>& p, int count) {
  for (int i = 0; i < count; ++i) p.enqueue(1);
}

TEST_P(phase_with_workers, calls_back_workers_that_have_left) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    for (int round = 0; round < 3; ++round)
      expect_those_called_back_who_have_left([](auto& p) { enqueue_ones(p, 8); },
                                             [](auto& p, threads_seen& seen) {
                                               sleep_ms(1);
                                               if (!seen.several()) p.enqueue(1);
                                             });
  });
}

// The tasks come from a thread that is not a participant, and no participant enqueues tasks.
TEST_P(phase_with_workers, calls_back_workers_for_tasks_of_other_threads) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    expect_those_called_back_who_have_left(
        [](auto& p) { std::thread([&] { enqueue_ones(p, a_minute_of_ms); }).join(); },
        [](auto&, threads_seen& seen) {
          if (!seen.several()) sleep_ms(1);
        });
  });
}

// A body may run longer than other workers wait for an answer. Its worker still shares the tasks in its queue.
TEST_P(phase_with_workers, shares_the_tasks_of_long_bodies) {
  if (GetParam().workers == 1) return;
  pool.run([] {
    std::atomic<int> ran{0};
    expect_those_called_back_who_have_left([](auto& p) { enqueue_ones(p, a_minute_of_ms / 3); },
                                           [&](auto&, threads_seen& seen) {
                                             ++ran;
                                             if (!seen.several()) sleep_ms(3);
                                           });
    EXPECT_EQ(ran, a_minute_of_ms / 3);
  });
}

TEST_P(phase_with_workers, does_not_wait_for_workers_that_other_tasks_keep) {
  if (GetParam().workers == 1) return;
  std::atomic<bool> over{false};
  std::atomic<int> kept{0};
  pool.run([&] {
    skua::task_group busy;
    for (int i = 1; i < GetParam().workers; ++i)
      busy.run([&] {
        ++kept;
        until([&] { return over.load(); }, "the phase");
      });
    until([&] { return kept + 1 >= GetParam().workers; }, "all other workers to be kept");
    std::atomic<int> ran{0};
    skua::phase<int> p;
    p.enqueue_range(0, 1000);
    std::thread release([&] {
      until([&] { return ran == 1000; }, "the tasks of the phase");
      over = true;
    });
    p.run([&](int) { ++ran; });
    release.join();
    busy.wait();
  });
}

TEST(phase, may_have_a_full_queue_around_it) {
  skua::scheduler pool(workers(2));
  pool.run([] {
    std::atomic<int> ran{0};
    skua::task_group many;
    for (int i = 0; i < 20'000; ++i) many.run([&] { ++ran; });
    skua::phase<int> p;
    p.enqueue_range(0, 100);
    p.run([&](int) { ++ran; });
    many.wait();
    EXPECT_EQ(ran, 20'100);
  });
}

// Tasks are dealt to all workers, but only one of them takes part. Once, parts of the manager tree without a worker
// exchanged the tasks for ever.
TEST(phase, ends_although_all_other_workers_stay_away) {
  skua::scheduler pool(workers(16, "affinity(strict)"));  // no thief takes a task without a hint
  for (const int tasks : {1, 2, 16, 17, 20, 33, 64, 200})
    for (const std::int64_t underflow : {1, 3})
      pool.run([&] {
        skua::phase<int> p({.order = skua::order::fifo, .underflow = underflow});
        std::atomic<int> ran{0};
        for (int i = 0; i < tasks; ++i) p.enqueue(i);
        p.run([&](int) { ++ran; });
        EXPECT_EQ(ran, tasks);
      });
}

}  // namespace
}  // namespace phase_test
