// Which policy the episodes of a call site choose, when each policy takes the time that the test says.
#include <algorithm>
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

/// Amid an episode that has reached its limit, the best policy takes over, as policy_chooser does it.
outcome run_with_limit(policy_trials& trials, int episodes, const std::vector<double>& times) {
  outcome all;
  for (int i = 0; i < episodes; ++i) {
    all.ran.push_back(trials.next());
    const double limit = trials.limit_ns(1), whole = episode_ns * times.at(trials.next());
    const double done = std::min(1.0, limit / whole);
    const double ns = done * whole + (1 - done) * episode_ns * times.at(trials.best());
    all.ns += ns;
    if (done < 1)
      trials.ended_after_limit(ns, 1);
    else
      trials.ended(ns, 1);
  }
  return all;
}

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

TEST(policy_trials, only_episodes_of_a_rival_have_a_limit) {
  policy_trials trials(0b11);
  std::vector<double> limits;
  for (int i = 0; i < 60; ++i) {
    const double limit = trials.limit_ns(2);
    EXPECT_EQ(limit < 1e18, trials.next() != trials.best());
    if (limit < 1e18) limits.push_back(limit / episode_ns);
    trials.ended(episode_ns * (trials.next() == 1 ? 1.05 : 1), 2);
  }
  ASSERT_GE(limits.size(), 5u);
  EXPECT_NEAR(limits[0], 1.69, 0.01) << "the first one fetches data";
  EXPECT_NEAR(limits[1], 1.1, 0.01) << "screening";
  EXPECT_NEAR(limits[4], 1.3, 0.01) << "comparing";
  policy_trials short_one(0b11);
  while (short_one.next() == 0) short_one.ended(1000, 1);
  EXPECT_EQ(short_one.limit_ns(1), 50'000) << "a short episode may be late for any reason";
}

TEST(policy_trials, much_slower_rivals_cost_less_than_3_percent_at_any_time) {
  for (const double time : {1.5, 2.0, 4.0, 20.0}) {
    policy_trials trials(all_four);
    outcome all;
    for (int hundreds = 1; hundreds <= 10; ++hundreds) {
      const outcome more = run_with_limit(trials, 100, {1, time, time, time});
      all.ns += more.ns;
      EXPECT_LT(all.ns, 1.03 * hundreds * 100 * episode_ns) << time;
    }
    EXPECT_DOUBLE_EQ(all.ns, 1000 * episode_ns + trials.lost_ns());
    for (std::size_t rival = 1; rival < 4; ++rival) {
      EXPECT_TRUE(trials.was_given_up(rival)) << time;
      EXPECT_GT(trials.of(rival).mean(), 1.2 * episode_ns) << "the evidence";
    }
  }
}

TEST(policy_trials, a_site_whose_data_are_expensive_to_move_tries_rivals_late) {
  const auto first_trial = [](double first, double second) {
    policy_trials trials(0b11);
    for (int i = 0; i < 1000; ++i) {
      if (trials.next() != 0) return i;
      trials.ended(episode_ns * (i == 0 ? first : i == 1 ? second : 1), 1);
    }
    return 1000;
  };
  EXPECT_EQ(first_trial(1.2, 1), 5);
  EXPECT_EQ(first_trial(2.6, 1.8), 178) << "2.4 episodes and half as much again are 2% of 180";
  EXPECT_EQ(first_trial(100, 1), 101) << "4 episodes, of a time that the page faults have doubled";
  EXPECT_NEAR(first_trial(2.0, 1.5), 112, 5);
}

TEST(policy_trials, the_default_runs_until_it_is_steady) {
  policy_trials trials(0b11);
  const double times[] = {450, 462, 319, 376, 580, 363, 377, 202, 200, 200};
  for (const double time : times) {
    EXPECT_EQ(trials.now(), policy_trials::stage::warm_up);
    trials.ended(time * 1000, 1);
  }
  EXPECT_NE(trials.now(), policy_trials::stage::warm_up);
  EXPECT_NEAR(trials.of(0).mean(), 200'667, 1);
  policy_trials unsteady(0b11);
  int episodes = 0;
  for (; unsteady.now() == policy_trials::stage::warm_up; ++episodes)
    unsteady.ended(episode_ns * (1 + episodes % 2), 1);
  EXPECT_EQ(episodes, 12);
}

TEST(policy_trials, the_best_policy_gets_three_episodes_to_fetch_its_data_again) {
  policy_trials trials(0b11);
  std::size_t before = 0;
  int since_return = 99;
  for (int i = 0; i < 400; ++i) {
    since_return = trials.next() == before ? since_return + 1 : trials.next() == 0 ? 0 : 99;
    before = trials.next();
    trials.ended(episode_ns * (before == 1 ? 1.2 : since_return < 3 ? 2 : 1), 1);
  }
  EXPECT_EQ(trials.reopened(), 0u);
  EXPECT_DOUBLE_EQ(trials.of(0).mean(), episode_ns);
}

TEST(policy_trials, what_an_earlier_process_has_chosen_is_kept_while_its_time_is_the_same) {
  samples known;
  for (const double each : {0.79, 0.8, 0.81}) known.add(each * episode_ns);
  policy_trials same(all_four, 2, known);
  EXPECT_EQ(count_others(run(same, 400, {1, 1, 0.8, 1}), 2), 0);
  EXPECT_EQ(same.now(), policy_trials::stage::decided);
  policy_trials other(all_four, 2, known);
  run(other, 100, {1, 1, 1.2, 0.7});
  EXPECT_EQ(other.best(), 3u) << "another time is compared anew";
}

TEST(policy_trials, exploring_loses_at_most_2_percent_of_the_time_and_one_episode) {
  policy_trials trials(0b11111111);
  const outcome all = run(trials, 1000, {1, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25});
  EXPECT_LT(trials.lost_ns(), 0.02 * all.ns + episode_ns);
  EXPECT_GT(trials.lost_ns(), 0) << "rivals were tried";
  policy_trials short_one(0b11111111);
  EXPECT_LT(run(short_one, 100, {1, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25, 1.25}).ns, 1.03 * 100 * episode_ns);
}

// Three episodes of 18 us are one sample. If 100 samples were assumed, a site of 100 episodes could lose 6%.
TEST(policy_trials, exploring_short_episodes_loses_little_in_the_first_100) {
  for (const double us : {3.0, 10.0, 18.0}) {
    policy_trials trials(all_four);
    const outcome all = run(trials, 100, {1, 2.2, 2.2, 2.2}, 0.01, us * 1000);
    EXPECT_LT(trials.lost_ns(), 0.02 * all.ns + 0.05 * us * 1000 + 50'000)
        << "one trial, which takes 50 us or more";
    policy_trials long_one(all_four);
    EXPECT_GT(count_others(run(long_one, 20'000, {1, 2.2, 2.2, 2.2}, 0.01, us * 1000), 0), 3)
        << "rivals are tried";
    EXPECT_LT(long_one.lost_ns(), 0.02 * 20'000 * us * 1000 + 50'000);
  }
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
    EXPECT_GE(trials.reopened(), 1u) << slower;
    EXPECT_LE(trials.reopened(), 2u) << "it may first go back to policy 0, which takes less than before, too";
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

/// Episodes under the default take 1 and those under the rival first 0.95 and later `later`; the last `counted` of them.
outcome run_with_a_rival_that_becomes(policy_trials& trials, double later, int episodes, int counted) {
  outcome last;
  scatter noise(0.01);
  for (int i = 0, of_rival = 0; i < episodes; ++i) {
    const std::size_t policy = trials.next();
    const double ns = episode_ns * noise.next() * (policy == 0 ? 1 : of_rival++ < 12 ? 0.95 : later);
    trials.ended(ns, 1);
    if (i < episodes - counted) continue;
    last.ran.push_back(policy);
    last.ns += ns;
  }
  return last;
}

// 1.04 is less than a tenth more than 0.95, so the time of the site has not changed.
TEST(policy_trials, a_rival_that_has_won_and_is_slower_later_is_left) {
  for (const double later : {1.04, 1.2, 3.0}) {
    policy_trials trials(0b11);
    const outcome last = run_with_a_rival_that_becomes(trials, later, 100, 40);
    EXPECT_EQ(trials.best(), 0u) << later;
    EXPECT_EQ(count_others(last, 0), 0) << "it is distrusted for a while";
    EXPECT_GT(trials.lost_ns(), (later - 1) * 2 * episode_ns) << "the wrong choice is a cost of exploring";
  }
  policy_trials trials(0b11);
  run_with_a_rival_that_becomes(trials, 0.98, 100, 40);
  EXPECT_EQ(trials.best(), 1u) << "it is still faster than the default";
}

TEST(policy_trials, a_rival_that_was_slower_once_may_win_again_if_the_default_has_become_slow) {
  policy_trials trials(0b11);
  run_with_a_rival_that_becomes(trials, 1.2, 100, 0);
  ASSERT_EQ(trials.best(), 0u);
  run(trials, 400, {3, 1.2});
  EXPECT_EQ(trials.best(), 1u);
}

// A sample of five of them is not stopped, and may cost as much again.
TEST(policy_trials, a_site_of_short_episodes_tries_rivals_when_a_sample_is_2_percent_of_its_time) {
  policy_trials trials(0b11);
  int episodes = 0;
  for (; trials.next() == 0; ++episodes) trials.ended(10'000, 1);
  EXPECT_NEAR(episodes, 250, 5);
}

TEST(policy_trials, one_policy_is_never_left) {
  policy_trials trials(1);
  EXPECT_EQ(count_others(run(trials, 1000, {1}, 0.5), 0), 0);
  EXPECT_EQ(trials.lost_ns(), 0);
}

}  // namespace
}  // namespace skua::core::policy_trials_test
