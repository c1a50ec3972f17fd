// Whether a thief goes on to steal parts of a victim's small loops.
#include <gtest/gtest.h>

#include "core/idle/small_loops.hpp"

namespace skua::core {
namespace {
namespace small_loops_test {

/// A victim that runs loops one after the other, and its thief.
struct thief_and_victim {
  std::int64_t stolen_ns, alone_ns;  // of a loop
  small_loops trials;
  std::int64_t now = 1'000'000;
  std::uint32_t begun = 0;
  int steals = 0;

  /// Until the thief stays away for the first time, or it has stolen from so many loops.
  bool steals_until_pause(int at_most) {
    for (int i = 0; i < at_most; ++i) {
      now += stolen_ns;
      ++begun;
      ++steals;
      const auto what = trials.stole_part(1, [this] { return begun; }, now);
      if (what == small_loops::advice::stay_away) return true;
    }
    return false;
  }
  /// Returns how long it stayed away.
  std::int64_t stays_away(std::int64_t at_most) {
    const std::int64_t since = now;
    do {
      const std::int64_t look = trials.look_ns();
      now += look;
      begun += static_cast<std::uint32_t>(look / alone_ns);
    } while (trials.goes_on(begun, now) && now - since < at_most);
    return now - since;
  }
};

/// The share of the time in which the thief stays away, until it has done so ten times.
double share_away(thief_and_victim t) {
  const std::int64_t begin = t.now;
  std::int64_t away = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(t.steals_until_pause(1000));
    away += t.stays_away(10'000'000);
  }
  return static_cast<double>(away) / static_cast<double>(t.now - begin);
}

TEST(small_loops, a_victim_that_is_faster_alone_is_left_alone_most_of_the_time) {
  EXPECT_GT(share_away({.stolen_ns = 3000, .alone_ns = 1000, .trials = {}}), 0.95);
}

TEST(small_loops, a_victim_that_is_slower_alone_is_left_alone_for_a_short_time_only) {
  EXPECT_LT(share_away({.stolen_ns = 3000, .alone_ns = 4000, .trials = {}}), 0.02);
}

TEST(small_loops, a_victim_that_waits_for_its_thief_gets_it_back_at_the_first_look) {
  thief_and_victim t{.stolen_ns = 2500, .alone_ns = 1'000'000'000, .trials = {}};
  ASSERT_TRUE(t.steals_until_pause(100));
  EXPECT_EQ(t.stays_away(10'000'000), 20'000);
}

TEST(small_loops, a_victim_that_becomes_slow_gets_its_thief_back_at_the_next_look) {
  thief_and_victim t{.stolen_ns = 3000, .alone_ns = 1000, .trials = {}};
  ASSERT_TRUE(t.steals_until_pause(100));
  EXPECT_EQ(t.stays_away(100'000), 120'000);  // it is faster: the test ends this
  t.alone_ns = 1'000'000;
  EXPECT_EQ(t.stays_away(10'000'000), t.trials.look_ns());
}

TEST(small_loops, nothing_is_known_of_loops_inside_one_task) {
  small_loops trials;
  std::int64_t now = 0;
  auto said = small_loops::advice::steal;
  for (int i = 0; i < 100 && said == small_loops::advice::steal; ++i)
    said = trials.stole_part(1, [] { return 7u; }, now += 3000);
  EXPECT_EQ(said, small_loops::advice::unknown);
}

TEST(small_loops, a_pause_of_the_victim_says_nothing) {
  thief_and_victim t{.stolen_ns = 3000, .alone_ns = 4000, .trials = {}};
  EXPECT_FALSE(t.steals_until_pause(10));
  t.now += 1'000'000'000;
  EXPECT_TRUE(t.steals_until_pause(100));
  EXPECT_EQ(t.steals, 27);
  EXPECT_EQ(t.stays_away(10'000'000), t.trials.look_ns());
  EXPECT_EQ(t.trials.look_ns(), 8 * 3000);
}

TEST(small_loops, another_victim_or_another_task_begins_anew) {
  thief_and_victim t{.stolen_ns = 3000, .alone_ns = 1000, .trials = {}};
  EXPECT_FALSE(t.steals_until_pause(16));
  t.trials.stole_other();
  EXPECT_FALSE(t.steals_until_pause(16));
  EXPECT_EQ(t.trials.stole_part(2, [] { return 0u; }, t.now), small_loops::advice::steal);
  EXPECT_FALSE(t.steals_until_pause(16));
  EXPECT_TRUE(t.steals_until_pause(1));
}

}  // namespace small_loops_test
}  // namespace
}  // namespace skua::core
