// Which policy the episodes of a call site choose, when each policy takes the time that the test says.
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/choosing/policy_trials.hpp"

namespace skua::core::policy_trials_test {
namespace {

constexpr double episode_ns = 1e6;
constexpr std::uint32_t all_four = 0b1111;

/// Times around 1 that scatter by so much, always the same ones.
class scatter {
 public:
  explicit scatter(double by) : by_(by) {}
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return 1 + by_ * (static_cast<double>(state_ >> 40) / (1 << 23) - 1);
  }

 private:
  double by_;
  std::uint64_t state_ = 1;
};

struct outcome {
  std::vector<std::size_t> ran = {};  // the policy of each episode
  double ns = 0;
};

/// Runs episodes under policies that take `times` (in units of episode_ns).
outcome run(policy_trials& trials, int episodes, const std::vector<double>& times, double scattered = 0.01,
            double size = episode_ns) {
  scatter noise(scattered);
  outcome all;
  for (int i = 0; i < episodes; ++i) {
    all.ran.push_back(trials.next());
    const double ns = size * times.at(trials.next()) * noise.next();
    all.ns += ns;
    trials.ended(ns, 1);
  }
  return all;
}

int count_others(const outcome& all, std::size_t policy, std::size_t from = 0) {
  int others = 0;
  for (std::size_t i = from; i < all.ran.size(); ++i) others += all.ran[i] != policy;
  return others;
}

TEST(policy_trials, the_fastest_policy_is_found_within_50_episodes) {
  for (std::size_t fastest = 0; fastest < 4; ++fastest) {
    std::vector<double> times(4, 1.0);
    times[fastest] = 0.8;
    policy_trials trials(all_four);
    const outcome all = run(trials, 100, times);
    EXPECT_EQ(trials.best(), fastest);
    EXPECT_EQ(trials.now(), policy_trials::stage::decided);
    EXPECT_EQ(count_others(all, fastest, 50), 0) << fastest;
  }
}

TEST(policy_trials, two_warm_up_episodes_run_under_the_default_and_do_not_count) {
  policy_trials trials(0b11);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(trials.next(), 0u);
    trials.ended(100 * episode_ns, 1);
  }
  EXPECT_EQ(trials.of(0).number(), 0u);
  run(trials, 60, {1, 0.5});
  EXPECT_EQ(trials.best(), 1u);
  EXPECT_LT(trials.of(0).mean(), 1.1 * episode_ns);
}

// A B B A: the first blocks of two policies follow the drift in opposite directions.
TEST(policy_trials, policies_that_are_alike_cannot_be_told_apart_while_times_fall_steadily) {
  policy_trials trials(0b11);
  double time = episode_ns;
  for (int i = 0; i < 40; ++i, time *= 0.998) trials.ended(time, 1);
  EXPECT_EQ(trials.best(), 0u);
}

TEST(policy_trials, the_first_episode_after_a_switch_is_dropped) {
  policy_trials trials(0b11);
  std::size_t before = 0;
  for (int i = 0; i < 60; ++i) {
    const bool switched = trials.next() != before;
    before = trials.next();
    trials.ended(episode_ns * (before == 1 ? 0.8 : 1) * (switched ? 2 : 1), 1);
  }
  EXPECT_EQ(trials.best(), 1u);
  EXPECT_DOUBLE_EQ(trials.of(0).mean(), episode_ns);
  EXPECT_DOUBLE_EQ(trials.of(1).mean(), 0.8 * episode_ns);
}

TEST(policy_trials, a_much_slower_policy_is_given_up_after_two_episodes_and_a_hopeless_one_after_one) {
  for (const auto& [time, episodes] : {std::pair{1.4, 2}, {4.0, 1}}) {
    policy_trials trials(0b11);
    EXPECT_EQ(count_others(run(trials, 100, {1, time}), 0), episodes);
    EXPECT_TRUE(trials.was_given_up(1));
    EXPECT_EQ(trials.best(), 0u);
  }
}

TEST(policy_trials, exploring_loses_at_most_2_percent_of_the_time_and_one_episode) {
  policy_trials trials(0b11111111);
  const outcome all = run(trials, 1000, {1, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25});
  EXPECT_LT(trials.lost_ns(), 0.02 * all.ns + episode_ns);
  EXPECT_GT(trials.lost_ns(), 0) << "rivals were tried";
  policy_trials short_one(0b11111111);
  EXPECT_LT(run(short_one, 100, {1, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25}).ns, 1.03 * 100 * episode_ns);
}

TEST(policy_trials, the_switch_back_counts_as_lost) {
  policy_trials trials(0b11);
  std::size_t before = 0;
  for (int i = 0; i < 20; ++i) {
    const bool back = before == 1 && trials.next() == 0;
    before = trials.next();
    trials.ended(episode_ns * (before == 1 ? 4 : back ? 2 : 1), 1);
  }
  EXPECT_DOUBLE_EQ(trials.lost_ns(), (3 + 1) * episode_ns)
      << "one hopeless episode, and one that fetches the data again";
}

TEST(policy_trials, differences_below_the_scatter_are_no_evidence) {
  int switched = 0;
  for (int seed = 0; seed < 40; ++seed) {
    policy_trials trials(0b11);
    run(trials, 3 + seed, {1, 1}, 0.2);  // another part of the same noise
    run(trials, 60, {1, 1}, 0.2);
    switched += trials.best() != 0;
  }
  EXPECT_LE(switched, 6);
}

TEST(policy_trials, a_program_that_changes_is_explored_again_within_20_episodes) {
  for (const double slower : {1.2, 2.0, 5.0}) {
    policy_trials trials(all_four);
    run(trials, 100, {1, 0.7, 1, 1});
    EXPECT_EQ(trials.best(), 1u);
    const outcome after = run(trials, 60, {0.9, 0.9 * slower, 0.9, 0.6});
    EXPECT_EQ(trials.reopened(), 1u) << slower;
    EXPECT_EQ(count_others(after, 3, 20), 0) << slower;
  }
}

TEST(policy_trials, a_change_amid_exploring_is_noticed) {
  for (int before = 3; before < 20; ++before) {
    policy_trials trials(0b11);
    run(trials, before, {1, 1});
    run(trials, 100, {3, 2});
    EXPECT_EQ(trials.best(), 1u) << before;
  }
}

TEST(policy_trials, times_are_for_each_iteration) {
  policy_trials trials(0b11);
  for (int i = 0; i < 60; ++i) {
    const double iterations = 1000 + 500 * (i % 2);
    trials.ended((trials.next() == 1 ? 0.8 : 1) * 1000 * iterations, iterations);
  }
  EXPECT_EQ(trials.best(), 1u);
  EXPECT_EQ(trials.reopened(), 0u);
  EXPECT_DOUBLE_EQ(trials.of(1).mean(), 800);
}

TEST(policy_trials, short_episodes_are_measured_together) {
  policy_trials trials(0b11);
  const outcome all = run(trials, 5000, {1, 0.8}, 0.3, 1000);
  EXPECT_EQ(trials.best(), 1u);
  for (std::size_t i = 1, since = 0; i < all.ran.size(); ++i) {
    if (all.ran[i] == all.ran[i - 1]) continue;
    EXPECT_GT(i - since, 40u) << "50 us at 1 us for each";
    since = i;
  }
}

TEST(policy_trials, one_policy_is_never_left) {
  policy_trials trials(1);
  EXPECT_EQ(count_others(run(trials, 1000, {1}, 0.5), 0), 0);
  EXPECT_EQ(trials.lost_ns(), 0);
}

}  // namespace
}  // namespace skua::core::policy_trials_test
