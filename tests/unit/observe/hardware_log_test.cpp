// The log assigns the counts of the hardware between two readings to the activities of a worker.
#include "observe/hardware_log.hpp"

#include <gtest/gtest.h>

namespace skua::observe::hardware_log_test {
namespace {

constexpr std::uint64_t apart = 100;

hardware_reading reading(std::uint64_t cycles, std::uint64_t instructions = 0) {
  return {.values = {cycles, instructions}, .wanted_ns = 10 * cycles, .had_ns = 5 * cycles};
}

struct counting_worker {
  hardware_log log;
  std::uint64_t now = 1000;
  std::uint64_t thread = 1;

  counting_worker() { log.turn_on(apart); }

  /// Returns whether the counters had to be read.
  bool did(activity what, std::uint64_t ticks, activity next, const hardware_reading& then) {
    now += ticks;
    const bool due = log.did(what, ticks, next, now);
    if (due) log.take(thread, then, now);
    return due;
  }
  std::uint64_t of(activity what, std::size_t event = 0) const {
    return log.of(event)[static_cast<std::size_t>(what)];
  }
};

TEST(hardware_log, is_off_until_it_is_turned_on) {
  hardware_log log;
  EXPECT_FALSE(log.on());
  log.turn_on(apart);
  EXPECT_TRUE(log.on());
}

TEST(hardware_log, adds_a_difference_to_the_activity_meanwhile) {
  counting_worker w;
  EXPECT_TRUE(w.did(activity::asleep, 500, activity::looking, reading(1'000'000, 70)));
  EXPECT_TRUE(w.did(activity::looking, 200, activity::user, reading(1'000'300, 90)));
  EXPECT_TRUE(w.did(activity::user, 400, activity::looking, reading(1'004'300, 5090)));
  EXPECT_EQ(w.of(activity::looking), 300u);
  EXPECT_EQ(w.of(activity::user), 4000u);
  EXPECT_EQ(w.of(activity::looking, 1), 20u);
  EXPECT_EQ(w.of(activity::user, 1), 5000u);
  EXPECT_EQ(w.of(activity::asleep), 0u);
  EXPECT_EQ(w.log.wanted_ns(), 43'000u);
  EXPECT_EQ(w.log.had_ns(), 21'500u);
}

TEST(hardware_log, splits_counts_between_readings_by_time_and_loses_none) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(0));
  EXPECT_FALSE(w.did(activity::user, 60, activity::looking, reading(1)));
  EXPECT_FALSE(w.did(activity::looking, 20, activity::claiming, reading(2)));
  EXPECT_FALSE(w.did(activity::claiming, 10, activity::user, reading(3)));
  EXPECT_TRUE(w.did(activity::user, 30, activity::looking, reading(1001)));
  EXPECT_EQ(w.of(activity::user), 750u);
  EXPECT_EQ(w.of(activity::looking) + w.of(activity::claiming), 251u);
  EXPECT_NEAR(static_cast<double>(w.of(activity::looking)), 167, 1);
}

TEST(hardware_log, counts_until_a_worker_sleeps_but_not_during_the_sleep) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(0));
  EXPECT_TRUE(w.did(activity::user, 5, activity::asleep, reading(40)))
      << "a reading is due although the minimum distance has not passed";
  EXPECT_TRUE(w.did(activity::asleep, 5, activity::user, reading(900)));
  EXPECT_TRUE(w.did(activity::user, 200, activity::asleep, reading(1000)));
  EXPECT_EQ(w.of(activity::user), 140u);
  EXPECT_EQ(w.of(activity::asleep), 0u);
}

TEST(hardware_log, restarts_with_another_thread) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(0));
  w.did(activity::user, 200, activity::asleep, reading(7));
  w.thread = 2;
  w.did(activity::user, 200, activity::looking, reading(1'000'000));
  w.did(activity::looking, 200, activity::user, reading(1'000'005));
  EXPECT_EQ(w.of(activity::user), 7u);
  EXPECT_EQ(w.of(activity::looking), 5u);
}

TEST(hardware_log, is_due_when_another_thread_replaces_one_that_searches) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::looking, reading(0));
  w.thread = 2;
  w.log.begin_anew();
  EXPECT_TRUE(w.did(activity::looking, 5, activity::user, reading(1'000'000)))
      << "a reading is due although the minimum distance has not passed";
  EXPECT_FALSE(w.did(activity::user, 5, activity::own_queue, reading(1'000'100)))
      << "a reading is due only once";
  EXPECT_TRUE(w.did(activity::own_queue, 5, activity::asleep, reading(1'000'200)));
  EXPECT_EQ(w.of(activity::user) + w.of(activity::own_queue), 200u);
  EXPECT_EQ(w.of(activity::looking), 0u);
}

TEST(hardware_log, counts_readings_of_threads_that_are_not_counted) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(0));
  w.thread = 0;
  w.did(activity::user, 200, activity::looking, {});
  w.did(activity::looking, 200, activity::user, {});
  EXPECT_EQ(w.log.lacking(), 2u);
  w.thread = 1;
  w.did(activity::user, 200, activity::looking, reading(900));
  w.did(activity::looking, 200, activity::user, reading(903));
  EXPECT_EQ(w.of(activity::user), 0u);
  EXPECT_EQ(w.of(activity::looking), 3u);
  w.log.clear();
  EXPECT_EQ(w.log.lacking(), 0u);
}

TEST(hardware_log, treats_a_decreased_counter_as_unchanged) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(100));
  w.did(activity::user, 200, activity::looking, reading(90));
  w.did(activity::looking, 200, activity::user, reading(95));
  EXPECT_EQ(w.of(activity::user), 0u);
  EXPECT_EQ(w.of(activity::looking), 5u);
}

TEST(hardware_log, clears_sums_and_continues_to_count) {
  counting_worker w;
  w.did(activity::asleep, 500, activity::user, reading(0));
  w.did(activity::user, 200, activity::looking, reading(10));
  w.log.clear();
  EXPECT_EQ(w.of(activity::user), 0u);
  EXPECT_EQ(w.log.wanted_ns(), 0u);
  w.did(activity::looking, 200, activity::user, reading(13));
  EXPECT_EQ(w.of(activity::looking), 3u);
}

}  // namespace
}  // namespace skua::observe::hardware_log_test
