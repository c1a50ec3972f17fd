// The time that a thief waits between searches while it steals tiny tasks.
#include <gtest/gtest.h>

#include <vector>

#include "core/idle/tiny_steals.hpp"

namespace skua::core {
namespace {
namespace tiny_steals_test {

/// A thief that finds the next task 100 ns after its pause.
struct thief {
  tiny_steals steals;
  std::int64_t now = 1'000'000, pause = 0;
  std::uint32_t begun = 0;
  bool recorded = false;

  void steals_task(std::int64_t ns) {
    steals.found(now, false, begun++);
    now += ns;
    searches();
  }
  void steals_positions(std::int64_t ns, std::int64_t claims_ns) {
    steals.found(now, true, begun++);
    steals.ran_positions(ns);
    now += ns + claims_ns;
    searches();
  }
  void searches() {
    pause = steals.pause_before_search(now, begun, recorded);
    now += pause + 100;
  }
  void pauses_at_most() {
    for (int i = 0; i < 30; ++i) steals_task(50);
    EXPECT_EQ(pause, 4000);
  }
};

TEST(tiny_steals, consecutive_ones_lengthen_the_thiefs_pause) {
  thief t;
  for (int i = 0; i < 15; ++i) {
    t.steals_task(50);
    EXPECT_EQ(t.pause, 0) << i;
  }
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 7; ++i) {
    t.steals_task(50);
    pauses.push_back(t.pause);
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{250, 500, 1000, 2000, 4000, 4000, 4000}));
}

TEST(tiny_steals, that_are_recorded_lengthen_it_four_times) {
  thief t;
  t.recorded = true;
  for (int i = 0; i < 15; ++i) t.steals_task(650);
  EXPECT_EQ(t.pause, 0);
  for (int i = 0; i < 15; ++i) t.steals_task(650);
  EXPECT_EQ(t.pause, 16'000);
  t.steals_task(1000);
  EXPECT_EQ(t.pause, 0);
}

TEST(tiny_steals, a_longer_task_resets_the_pause) {
  thief t;
  t.pauses_at_most();
  t.steals_task(1000);
  EXPECT_EQ(t.pause, 0);
  t.steals_task(50);
  EXPECT_EQ(t.pause, 0);
}

TEST(tiny_steals, claims_of_loop_chunks_do_not_count_as_work) {
  thief t;
  for (int i = 0; i < 30; ++i) t.steals_positions(100, 1500);
  EXPECT_EQ(t.pause, 4000);
  for (int i = 0; i < 30; ++i) t.steals_positions(500, 0);
  EXPECT_EQ(t.pause, 0);
}

TEST(tiny_steals, the_positions_of_one_steal_add_up) {
  thief t;
  for (int i = 0; i < 30; ++i) {
    t.steals.ran_positions(300);
    t.steals_positions(300, 0);
  }
  EXPECT_EQ(t.pause, 4000) << "positions of the steal before do not count";
  t.steals.found(t.now, true, t.begun++);
  t.steals.ran_positions(300);
  t.steals.ran_positions(300);
  t.searches();
  EXPECT_EQ(t.pause, 0);
}

TEST(tiny_steals, a_steal_counts_once) {
  thief t;
  t.steals_task(50);
  for (int i = 0; i < 30; ++i) {
    t.searches();
    EXPECT_EQ(t.pause, 0);
  }
}

TEST(tiny_steals, a_worker_that_has_run_its_own_tasks_searches_at_once) {
  thief t;
  t.pauses_at_most();
  t.steals.found(t.now, true, t.begun++);
  t.now += 1500;  // time for claiming loop chunks
  ++t.begun;      // the worker has run a task of its own
  t.searches();
  EXPECT_EQ(t.pause, 0);
  t.pauses_at_most();
  t.steals.found(t.now, true, t.begun++);
  t.now += 100'000;
  t.searches();
  EXPECT_EQ(t.pause, 0);
}

}  // namespace tiny_steals_test
}  // namespace
}  // namespace skua::core
