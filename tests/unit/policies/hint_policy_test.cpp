// Policies that read hints, with a fake thief.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_thief.hpp"

namespace hint_policy_test {
namespace {

using script = std::vector<std::string>;

skua::placement placed(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}

fake_thief four(skua::worker_id id) { return fake_thief(id, placed("core:4 pu:1", 4)); }

// ---- the value

TEST(hint, can_be_read_only_as_the_type_it_was_made_from) {
  struct pair {
    int a, b;
  };
  const skua::hint h(pair{1, 2});
  ASSERT_TRUE(h.as<pair>());
  EXPECT_EQ(h.as<pair>()->b, 2);
  EXPECT_FALSE(h.as<skua::depth>()) << "a hint of another type with the same size does not convert";
  EXPECT_TRUE(h.any());
  EXPECT_FALSE(skua::hint().any());
  EXPECT_FALSE(skua::hint().as<pair>());
}

TEST(hint, may_be_of_any_size) {
  struct large {
    std::uint64_t words[40];
  } value{};
  value.words[39] = 7;
  const skua::hint h(value);
  const skua::hint copy = h;
  ASSERT_TRUE(copy.as<large>());
  EXPECT_EQ(copy.as<large>()->words[39], 7u);
}

TEST(hint, affinities_of_every_length_have_a_value_for_each_worker) {
  const skua::hint three(skua::affinity{4, 0, 9});
  EXPECT_EQ(three.wants(0), 4);
  EXPECT_EQ(three.wants(2), 9);
  EXPECT_EQ(three.wants(3), 0) << "a worker beyond the last one has affinity 0";
  skua::affinity<40> many{};
  many.wants[39] = 5;
  EXPECT_EQ(skua::hint(many).wants(39), 5);
  EXPECT_EQ(skua::hint(skua::affinity_to{3, 8}).wants(3), 8);
  EXPECT_EQ(skua::hint(skua::affinity_to{3, 8}).wants(2), 0);
  EXPECT_EQ(skua::hint(skua::depth{3}).wants(0), 0);
}

// ---- random_workers

TEST(thief, draws_distinct_workers_other_than_itself) {
  fake_thief thief = four(1);
  thief.dice = {2, 0};
  const auto drawn = thief.random_workers(2);
  EXPECT_EQ((std::vector<skua::worker_id>(drawn.begin(), drawn.end())), (std::vector<skua::worker_id>{3, 2}));
  EXPECT_EQ(thief.script, (script{"random 3", "random 2"}));
  EXPECT_EQ(thief.random_workers(31).size(), 3u) << "there are only three other workers";
}

// ---- depth_aware

TEST(policy_depth_aware, steals_from_the_candidate_with_the_smallest_depth) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 1}, {2, 1}, {3, 1}};
  thief.hints = {
      {1, skua::hint(skua::depth{5})}, {2, skua::hint(skua::depth{3})}, {3, skua::hint(skua::depth{4})}};
  const skua::stolen task = skua::make_policy("depth_aware(candidates=3)")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 2u);
  EXPECT_EQ(thief.script,
            (script{"random 3", "random 2", "random 1", "peek 1", "peek 2", "peek 3", "try 2"}));
}

TEST(policy_depth_aware, looks_at_two_candidates_by_default) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 1}, {2, 1}, {3, 1}};
  thief.hints = {
      {1, skua::hint(skua::depth{5})}, {2, skua::hint(skua::depth{5})}, {3, skua::hint(skua::depth{0})}};
  const skua::stolen task = skua::make_policy("depth_aware")->acquire(thief);
  EXPECT_EQ(thief.victim_of(task), 1u) << "the first of equal candidates; worker 3 is no candidate";
  EXPECT_EQ(thief.script, (script{"random 3", "random 2", "peek 1", "peek 2", "try 1"}));
}

TEST(policy_depth_aware, a_failed_peek_is_no_candidate) {
  fake_thief thief = four(0);
  thief.tasks = {{2, 1}};
  thief.hints = {{2, skua::hint(skua::depth{9})}};
  EXPECT_EQ(thief.victim_of(skua::make_policy("depth_aware")->acquire(thief)), 2u);
  fake_thief alone = four(0);
  EXPECT_FALSE(skua::make_policy("depth_aware")->acquire(alone));
  EXPECT_EQ(alone.script, (script{"random 3", "random 2", "peek 1", "peek 2"})) << "no worker is tried";
}

TEST(policy_depth_aware, refuses_a_task_that_is_deeper_than_the_one_it_saw) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 2}, {2, 1}};
  thief.hints = {{1, skua::hint(skua::depth{2})}, {2, skua::hint(skua::depth{6})}};
  thief.before_confirm = [&](skua::worker_id v) { thief.hints[v] = skua::hint(skua::depth{3}); };
  EXPECT_FALSE(skua::make_policy("depth_aware")->acquire(thief));
  EXPECT_EQ(thief.script.back(), "refused");
  EXPECT_EQ(thief.tasks[1], 2u) << "the task stays where it was";
}

TEST(policy_depth_aware, takes_a_shallower_task_and_prefers_tasks_with_hints) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 1}, {2, 1}};
  thief.hints = {{1, skua::hint()}, {2, skua::hint(skua::depth{1000})}};
  thief.before_confirm = [&](skua::worker_id v) { thief.hints[v] = skua::hint(skua::depth{999}); };
  EXPECT_EQ(thief.victim_of(skua::make_policy("depth_aware")->acquire(thief)), 2u);
  fake_thief plain = four(0);
  plain.tasks = {{1, 1}};
  EXPECT_EQ(plain.victim_of(skua::make_policy("depth_aware")->acquire(plain)), 1u);
}

// ---- affinity

TEST(policy_affinity, takes_the_task_with_the_highest_affinity) {
  fake_thief thief = four(2);
  thief.tasks = {{0, 1}, {1, 1}, {3, 1}};
  thief.hints = {{0, skua::hint(skua::affinity{9, 9, 1, 9})},
                 {1, skua::hint(skua::affinity{0, 0, 4})},
                 {3, skua::hint(skua::affinity{5, 5})}};
  const skua::stolen task = skua::make_policy("affinity")->acquire(thief);
  EXPECT_EQ(thief.victim_of(task), 1u);
  EXPECT_EQ(thief.script,
            (script{"random 3", "random 2", "random 1", "peek 0", "peek 1", "peek 3", "try 1"}));
}

TEST(policy_affinity, best_effort_steals_at_zero_and_strict_does_not) {
  for (const bool strict : {false, true}) {
    fake_thief thief = four(0);
    thief.tasks = {{2, 1}};
    thief.hints = {{2, skua::hint(skua::affinity{0, 0, 7})}};
    const bool took = bool(skua::make_policy(strict ? "affinity(strict)" : "affinity")->acquire(thief));
    EXPECT_EQ(took, !strict);
    EXPECT_EQ(thief.script.back(), strict ? "peek 3" : "try 2");
  }
}

TEST(policy_affinity, refuses_a_task_with_a_lower_affinity_than_it_saw) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 1}};
  thief.hints = {{1, skua::hint(skua::affinity_to{0, 5})}};
  thief.before_confirm = [&](skua::worker_id v) { thief.hints[v] = skua::hint(skua::affinity_to{0, 4}); };
  EXPECT_FALSE(skua::make_policy("affinity")->acquire(thief));
  EXPECT_EQ(thief.script.back(), "refused");
}

TEST(policy_affinity, a_task_with_a_negative_affinity_is_left_alone) {
  fake_thief thief = four(0);
  thief.tasks = {{1, 1}};
  thief.hints = {{1, skua::hint(skua::affinity{-1})}};
  EXPECT_FALSE(skua::make_policy("affinity")->acquire(thief));
}

}  // namespace
}  // namespace hint_policy_test
