// Whether thieves leave pieces of a loop alone: both ways are tried, and the faster one is kept.
#include <gtest/gtest.h>

#include "core/dealing/piece_trials.hpp"

namespace skua::core::piece_trials_test {
namespace {

constexpr int a_loop = 0;

/// How many of the loops left pieces alone, where a position takes that long.
int count_alone(piece_trials& trials, int loops, float alone_ns, float shared_ns) {
  int count = 0;
  for (int i = 0; i < loops; ++i) {
    const bool alone = trials.leaves_alone(&a_loop);
    count += alone;
    trials.ended(&a_loop, 100 * (alone ? alone_ns : shared_ns), 100);
  }
  return count;
}

TEST(piece_trials, the_faster_way_is_kept) {
  piece_trials even, uneven;
  EXPECT_GT(count_alone(even, 2000, 1, 2), 1900);
  EXPECT_LT(count_alone(uneven, 2000, 2, 1), 100);
}

// The fastest of a few loops may be luck, and the way that keeps data near is never much slower.
TEST(piece_trials, a_small_difference_changes_nothing) {
  piece_trials trials;
  EXPECT_GT(count_alone(trials, 2000, 1.1F, 1), 1900);
}

TEST(piece_trials, both_ways_are_tried_again) {
  piece_trials trials;
  count_alone(trials, 2000, 1, 2);
  EXPECT_LT(count_alone(trials, 8000, 2, 1), 2000) << "the loop has become uneven";
  EXPECT_GT(count_alone(trials, 8000, 1, 2), 6000) << "and even again";
}

TEST(piece_trials, a_much_slower_way_is_given_up_after_two_loops) {
  piece_trials trials;
  EXPECT_EQ(count_alone(trials, 1000, 1, 8), 998);
}

TEST(piece_trials, data_may_be_far_away_at_first_and_after_a_block_of_the_other_way) {
  piece_trials trials;
  EXPECT_FALSE(trials.may_fetch_data(&a_loop)) << "nobody knows whether the loop is short";
  count_alone(trials, 1, 1, 2);
  EXPECT_TRUE(trials.may_fetch_data(&a_loop));
  count_alone(trials, 22, 1, 2);
  EXPECT_TRUE(trials.may_fetch_data(&a_loop)) << "the second block was of the other way";
  count_alone(trials, 1, 1, 2);
  EXPECT_FALSE(trials.may_fetch_data(&a_loop));
  while (trials.leaves_alone(&a_loop)) count_alone(trials, 1, 1, 2);
  while (!trials.leaves_alone(&a_loop)) count_alone(trials, 1, 1, 2);
  EXPECT_TRUE(trials.may_fetch_data(&a_loop)) << "the other way has been tried again";
}

TEST(piece_trials, the_data_of_a_long_loop_may_move) {
  piece_trials trials;
  trials.ended(&a_loop, 2e6F, 100);
  EXPECT_FALSE(trials.may_fetch_data(&a_loop));
}

TEST(piece_trials, the_time_of_the_last_loop_is_kept) {
  piece_trials trials;
  EXPECT_EQ(trials.last_loop_ns(&a_loop), 0);
  trials.ended(&a_loop, 300, 100);
  trials.ended(&a_loop, 200, 100);
  EXPECT_EQ(trials.last_loop_ns(&a_loop), 200);
}

TEST(piece_trials, a_loop_that_is_new_is_left_alone) { EXPECT_TRUE(piece_trials().leaves_alone(&a_loop)); }

}  // namespace
}  // namespace skua::core::piece_trials_test
