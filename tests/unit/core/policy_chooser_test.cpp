// Which calls, regions and loops the chooser of policies measures, and when it changes the policy that is in use.
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/choosing/policy_chooser.hpp"
#include "core/stack.hpp"

namespace skua::core::policy_chooser_test {
namespace {

using role = policy_chooser::role;

constexpr std::uint32_t both = 0b11;
constexpr episode_key call{episode_kind::call, 1, 0}, loop{episode_kind::loop, 2, 7},
    region{episode_kind::region, 3, 9};

/// Longer than what is measured together.
void work(int us = 60) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

struct two_policies : policy_chooser {
  two_policies() : policy_chooser({{"near", true, false, false}, {"far", false, true, false}}) {}

  /// The number of measured episodes of each place.
  std::map<std::uint64_t, std::uint64_t> measured() const {
    std::map<std::uint64_t, std::uint64_t> all;
    for_each([&](const episode_key& key, const policy_trials& trials) { all[key.site] = trials.episodes(); });
    return all;
  }
  void run(const stack& on, const episode_key& key, bool threw = false) {
    const role as = begin(on, key, 1, both, true);
    work();
    if (as != role::none) end(as, 1, threw);
  }
};

using counts = std::map<std::uint64_t, std::uint64_t>;

TEST(policy_chooser, a_call_is_an_episode_and_what_is_in_an_episode_is_none) {
  two_policies choices;
  const stack on(0), other(0);
  EXPECT_EQ(choices.begin(on, region, 1, both, true), role::outer)
      << "of a worker that no external thread holds";
  EXPECT_EQ(choices.begin(on, loop, 1, both, true), role::none);
  EXPECT_EQ(choices.begin(other, loop, 1, both, true), role::none) << "in a stolen task";
  work();
  choices.end(role::outer, 1, false);
  choices.run(on, call);
  EXPECT_EQ(choices.measured(), (counts{{1, 1}, {3, 1}}));
}

TEST(policy_chooser, loops_that_take_most_of_a_call_are_the_episodes) {
  two_policies choices;
  const stack on(0);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(choices.begin(on, call, 1, both, true), role::outer);
    for (int k = 0; k < 4; ++k) {
      const role as = choices.begin(on, loop, 1, both, true);
      ASSERT_EQ(as, role::inner);
      EXPECT_EQ(choices.begin(on, region, 1, both, true), role::none) << "two levels at most";
      work();
      choices.end(as, 100, false);
    }
    choices.end(role::outer, 1, false);
  }
  EXPECT_EQ(choices.measured(), (counts{{2, 12}}));
}

TEST(policy_chooser, a_call_with_a_short_loop_is_measured_as_a_whole_from_its_second_time_on) {
  two_policies choices;
  const stack on(0);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(choices.begin(on, call, 1, both, true), role::outer);
    const role as = choices.begin(on, loop, 1, both, true);
    EXPECT_EQ(as, i == 0 ? role::inner : role::none);
    if (as != role::none) choices.end(as, 100, false);
    work(2000);
    choices.end(role::outer, 1, false);
  }
  EXPECT_EQ(choices.measured(), (counts{{1, 4}, {2, 1}}));
}

TEST(policy_chooser, calls_that_overlap_are_not_measured) {
  two_policies choices;
  const stack one(0), other(0);
  ASSERT_EQ(choices.begin(one, call, 1, both, true), role::outer);
  ASSERT_EQ(choices.begin(other, call, 1, both, true), role::beside);
  choices.end(role::outer, 1, false);
  ASSERT_EQ(choices.begin(one, call, 1, both, true), role::outer) << "the other one still runs";
  choices.end(role::beside, 1, false);
  choices.end(role::outer, 1, false);
  EXPECT_EQ(choices.measured(), counts{});
  choices.run(one, call);
  EXPECT_EQ(choices.measured(), (counts{{1, 1}}));
}

TEST(policy_chooser, an_episode_that_throws_does_not_count) {
  two_policies choices;
  const stack on(0);
  choices.run(on, call, true);
  EXPECT_EQ(choices.measured(), counts{});
}

/// Runs calls until another policy than the first one is to be tried. On a busy machine the first calls may seem to be
/// expensive ones, and then that is late.
void run_until_rival(two_policies& choices, const stack& on, bool may_switch) {
  for (int i = 0; i < 1000 && choices.chosen() == 0; ++i) {
    const role as = choices.begin(on, call, 1, both, may_switch);
    work();
    choices.end(as, 1, false);
  }
}

TEST(policy_chooser, what_the_policy_in_use_needs_is_on_only_then) {
  two_policies choices;
  EXPECT_TRUE(choices.deals());
  EXPECT_FALSE(choices.announces());
  const stack on(0);
  run_until_rival(choices, on, true);
  ASSERT_EQ(choices.chosen(), 1u);
  EXPECT_FALSE(choices.deals());
  EXPECT_TRUE(choices.announces());
}

/// For a loop of an idle worker, until the chooser lets another candidate run or `us` have passed.
bool changes_within(two_policies& choices, int us) {
  const std::size_t before = choices.chosen();
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (choices.chosen() == before && std::chrono::steady_clock::now() < end) choices.look_at_limit();
  return choices.chosen() != before;
}

/// Whether the rival is to run the next episode. If another program takes the CPU amid the rival's first one, that seems slow, and the
/// rival is given up before it.
bool rival_is_next(two_policies& choices, const stack& on) {
  run_until_rival(choices, on, true);
  bool next = false;
  choices.for_each([&](const episode_key&, const policy_trials& trials) { next = trials.next() == 1; });
  return next;
}

TEST(policy_chooser, a_rival_that_takes_too_long_is_stopped_amid_its_episode) {
  const stack on(0);
  std::optional<two_policies> made;
  for (int runs = 0; runs < 20; ++runs) {
    made.emplace();
    if (rival_is_next(*made, on)) break;
  }
  two_policies& choices = *made;
  ASSERT_EQ(choices.chosen(), 1u);
  EXPECT_FALSE(changes_within(choices, 2000)) << "no episode is open";
  const role as = choices.begin(on, call, 1, both, true);
  EXPECT_EQ(choices.chosen(), 1u);
  std::thread([&] { EXPECT_TRUE(changes_within(choices, 1'000'000)); }).join();
  EXPECT_EQ(choices.chosen(), 0u);
  EXPECT_TRUE(choices.deals());
  EXPECT_TRUE(choices.has_stopped_rival());
  choices.end(as, 1, false);
  choices.for_each([](const episode_key&, const policy_trials& trials) {
    EXPECT_TRUE(trials.was_given_up(1));
    EXPECT_EQ(trials.now(), policy_trials::stage::decided);
  });
  choices.run(on, call);
  EXPECT_EQ(choices.chosen(), 0u);
  EXPECT_FALSE(choices.has_stopped_rival()) << "tasks of the next episode stay in their domains again";
}

TEST(policy_chooser, the_best_policy_is_never_stopped) {
  two_policies choices;
  const stack on(0);
  const role as = choices.begin(on, call, 1, both, true);
  EXPECT_FALSE(changes_within(choices, 2000));
  choices.end(as, 1, false);
}

TEST(policy_chooser, nothing_changes_while_tasks_are_bound_to_a_policy) {
  two_policies choices;
  const stack on(0);
  run_until_rival(choices, on, false);
  EXPECT_EQ(choices.chosen(), 0u);
  const std::uint64_t measured = choices.measured().at(1);
  EXPECT_GE(measured, 5u);
  EXPECT_LT(measured, 1000u) << "from the first trial on each would run under the wrong policy";
  choices.run(on, call);
  EXPECT_EQ(choices.measured().at(1), measured + 1) << "now it may change";
  EXPECT_EQ(choices.chosen(), 1u);
}

TEST(policy_chooser, each_place_and_size_has_its_own_choice) {
  two_policies choices;
  const stack on(0);
  run_until_rival(choices, on, true);
  ASSERT_EQ(choices.chosen(), 1u);
  choices.run(on, loop);
  EXPECT_EQ(choices.chosen(), 0u) << "a new place begins with the default";
  choices.run(on, {loop.kind, loop.site, loop.size_bits + 1});
  int sizes = 0;
  choices.for_each([&](const episode_key& key, const policy_trials&) { sizes += key.site == loop.site; });
  EXPECT_EQ(sizes, 2);
}

TEST(policy_chooser, many_places_are_more_than_it_remembers) {
  two_policies choices;
  const stack on(0);
  for (std::uint64_t at = 0; at < 1000; ++at) {
    const role as = choices.begin(on, {episode_kind::call, at, 0}, 1, both, true);
    ASSERT_EQ(as, role::outer);
    choices.end(as, 1, false);
  }
  EXPECT_EQ(choices.measured().size(), 256u);
  EXPECT_EQ(choices.chosen(), 0u);
}

}  // namespace
}  // namespace skua::core::policy_chooser_test
