// The order in which a worker takes its own group tasks.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/until.hpp"

namespace own_order_test {
namespace {

std::vector<int> ran_in(skua::order own, std::int64_t priority_of(int), int n = 100) {
  skua::scheduler pool({.workers = 1, .own_order = own});
  std::vector<int> ran;
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < n; ++i)
      tasks.run(skua::hinted(skua::priority{priority_of(i)}, [&ran, i] { ran.push_back(i); }));
    tasks.wait();
  });
  return ran;
}

std::vector<int> counted(int n) {
  std::vector<int> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(api_own_order, fifo_takes_the_oldest_and_lifo_the_newest) {
  EXPECT_EQ(ran_in(skua::order::fifo, [](int) { return std::int64_t{0}; }), counted(100));
  auto newest_first = counted(100);
  std::reverse(newest_first.begin(), newest_first.end());
  EXPECT_EQ(ran_in(skua::order::lifo, [](int) { return std::int64_t{0}; }), newest_first);
}

TEST(api_own_order, priority_takes_the_greatest_first_and_equal_tasks_in_their_order) {
  const auto ran = ran_in(skua::order::priority, [](int i) { return std::int64_t{(i * 37) % 10}; });
  ASSERT_EQ(ran.size(), 100u);
  for (std::size_t k = 1; k < ran.size(); ++k) {
    const int before = (ran[k - 1] * 37) % 10, now = (ran[k] * 37) % 10;
    EXPECT_GE(before, now);
    if (before == now) {
      EXPECT_LT(ran[k - 1], ran[k]);
    }
  }
}

TEST(api_own_order, tasks_inside_a_task_are_taken_in_order_too) {
  skua::scheduler pool({.workers = 1, .own_order = skua::order::fifo});
  std::vector<int> ran;
  pool.run([&] {
    skua::task_group tasks;
    tasks.run([&] {
      for (int i = 0; i < 10; ++i) tasks.run([&, i] { ran.push_back(i); });
    });
    tasks.wait();
  });
  EXPECT_EQ(ran, counted(10));
}

// The tasks reach the worker all at once, when it has ended the first task.
bool runs_the_oldest_first_from_outside(skua::order own) {
  skua::configure_default_scheduler({.workers = 1, .own_order = own});
  std::atomic<bool> begun{false}, all_added{false};
  std::vector<int> ran;
  skua::task_group tasks;
  tasks.run([&] {
    begun = true;
    until([&] { return all_added.load(); }, "the other tasks to be added");
  });
  until([&] { return begun.load(); }, "the first task");
  for (int i = 0; i < 100; ++i) tasks.run([&ran, i] { ran.push_back(i); });
  all_added = true;
  tasks.wait();
  return ran == counted(100);
}

TEST(api_own_order, tasks_of_external_threads_are_taken_oldest_first) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const skua::order own : {skua::order::fifo, skua::order::priority, skua::order::lifo})
    EXPECT_EXIT(std::exit(runs_the_oldest_first_from_outside(own) ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

// More tasks pass through the queue than it has slots, but it never holds more than a few at a time.
TEST(api_own_order, a_long_chain_of_tasks_needs_no_long_queue) {
  skua::scheduler pool({.workers = 1, .own_order = skua::order::fifo});
  int ran = 0;
  pool.run([&] {
    skua::task_group tasks;
    struct chain {
      skua::task_group& tasks;
      int& ran;
      void operator()(int left) const {
        ++ran;
        if (left > 0) tasks.run(*this, left - 1);
      }
    } const next{tasks, ran};
    tasks.run(next, 50'000);
    tasks.run(next, 50'000);
    tasks.wait();
  });
  EXPECT_EQ(ran, 100'002);
}

TEST(api_own_order, every_task_runs_once_on_many_workers) {
  for (const skua::order own : {skua::order::fifo, skua::order::priority, skua::order::lifo})
    for (const char* policy : {"nearest", "random(half)", "chaos"}) {
      skua::scheduler pool({.workers = 8,
                            .policy = policy,
                            .topology = skua::topology::synthetic("package:2 core:4 pu:1"),
                            .park_after_us = 50,
                            .own_order = own});
      std::vector<std::atomic<int>> hits(3000);
      for (int round = 0; round < 5; ++round)
        pool.run([&] {
          skua::task_group tasks, others;
          for (std::size_t i = 0; i < hits.size(); ++i) {
            auto& group = i % 3 ? tasks : others;
            group.run(skua::hinted(skua::priority{static_cast<std::int64_t>(i % 7)}, [&, i] {
              ++hits[i];
              if (i % 50 == 0) skua::join([&] { ++hits[i]; }, [&] { --hits[i]; });
            }));
          }
          others.wait();
          tasks.wait();
        });
      for (const auto& h : hits) ASSERT_EQ(h, 5) << policy;
    }
}

}  // namespace
}  // namespace own_order_test
