// The built-in policies against a fake thief: the exact sequence of looks and tries.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_thief.hpp"

namespace {

using script = std::vector<std::string>;

skua::placement seats(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}

TEST(policy, all_are_listed_and_made_by_name) {
  std::vector<std::string> names;
  for (const auto& info : skua::policies()) {
    names.emplace_back(info.name);
    EXPECT_FALSE(info.summary.empty());
    EXPECT_TRUE(skua::make_policy(info.name));
  }
  EXPECT_EQ(names.front(), "nearest") << "the default";
  EXPECT_NE(std::find(names.begin(), names.end(), "random"), names.end());
  EXPECT_THROW(skua::make_policy("randon"), skua::bad_input);
}

// ---- random: as many tries as there are others, each drawn anew among the others

TEST(policy_random, tries_as_many_victims_as_there_are_others) {
  fake_thief thief(1, seats("core:4 pu:1", 4));
  thief.dice = {0, 1, 2};  // among 0, 2, 3
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 0", "random 3", "try 2", "random 3", "try 3"}));
}

TEST(policy_random, may_draw_the_same_victim_again) {
  fake_thief thief(3, seats("core:4 pu:1", 4));
  thief.dice = {2, 2, 2};
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 2", "random 3", "try 2", "random 3", "try 2"}));
}

TEST(policy_random, stops_at_the_first_task) {
  fake_thief thief(0, seats("core:4 pu:1", 4));
  thief.dice = {1, 2};
  thief.tasks = {{3, 1}};
  const skua::stolen task = skua::make_policy("random")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 3u);
  EXPECT_EQ(thief.script, (script{"random 3", "try 2", "random 3", "try 3"}));
}

TEST(policy_random, does_nothing_alone) {
  fake_thief thief(0, seats("core:1 pu:1", 1));
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_EQ(thief.script, script{});
}

// ---- nearest: everybody once, level by level, from a random start within each

TEST(policy_nearest, asks_the_own_domain_first) {
  // Two packages of four; worker 1's ring in its own is 2, 3, 0.
  fake_thief thief(1, seats("package:2 core:4 pu:1", 8));
  ASSERT_EQ(thief.levels(), 2u);
  script expected{"random 3"};
  for (const auto victim : thief.at_distance(0)) expected.push_back("try " + std::to_string(victim));
  expected.push_back("random 4");
  for (const auto victim : thief.at_distance(1)) expected.push_back("try " + std::to_string(victim));
  EXPECT_EQ(expected.size(), 9u);
  EXPECT_FALSE(skua::make_policy("nearest")->acquire(thief));
  EXPECT_EQ(thief.script, expected);
  EXPECT_EQ((script{thief.script.begin(), thief.script.begin() + 4}),
            (script{"random 3", "try 2", "try 3", "try 0"}));
}

TEST(policy_nearest, starts_where_the_dice_say_and_goes_round) {
  fake_thief thief(0, seats("core:4 pu:1", 4));
  thief.dice = {2};
  EXPECT_FALSE(skua::make_policy("nearest")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 3", "try 1", "try 2"}));
}

TEST(policy_nearest, takes_a_near_task_although_a_far_one_has_more) {
  fake_thief thief(0, seats("package:2 core:2 pu:1", 4));
  thief.tasks = {{1, 1}, {2, 9}, {3, 9}};
  const skua::stolen task = skua::make_policy("nearest")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 1u);
  EXPECT_EQ(thief.script, (script{"random 1", "try 1"}));
}

TEST(policy_nearest, goes_far_only_when_nothing_is_near) {
  fake_thief thief(0, seats("package:2 core:2 pu:1", 4));
  thief.dice = {0, 1};
  thief.tasks = {{2, 1}, {3, 1}};
  const skua::stolen task = skua::make_policy("nearest")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), thief.at_distance(1)[1]);
  EXPECT_EQ(thief.script,
            (script{"random 1", "try 1", "random 2", "try " + std::to_string(thief.at_distance(1)[1])}));
}

TEST(policy_nearest, does_nothing_alone) {
  fake_thief thief(0, seats("core:1 pu:1", 1));
  EXPECT_FALSE(skua::make_policy("nearest")->acquire(thief));
  EXPECT_EQ(thief.script, script{});
}

}  // namespace
