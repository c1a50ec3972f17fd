// announced with a fake thief: the thresholds and the order of its victims.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/queue/announcements.hpp"
#include "fake_thief.hpp"

namespace announced_policy_test {
namespace {

using script = std::vector<std::string>;

skua::placement placed(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}

std::unique_ptr<skua::steal_policy> announced(fake_thief& thief, const char* text = "announced") {
  auto policy = skua::make_policy(text);
  policy->on_start(thief);
  return policy;
}

TEST(policy_announced, thresholds_follow_the_inventory_formulas) {
  const auto policy = skua::make_policy("announced(capacity=10)");
  const auto at_rest = policy->announce_at({});
  ASSERT_TRUE(at_rest);
  EXPECT_EQ(at_rest->upper, 10u);
  EXPECT_EQ(at_rest->lower, 0u);
  // lambda T_push = 1e9/s * 4 ns = 4; mu T_pop = 1e9/s * 2 ns = 2.
  const auto at_work =
      policy->announce_at({.push_ns = 4, .pop_ns = 2, .arrivals_per_s = 1e9, .services_per_s = 1e9});
  EXPECT_EQ(at_work->upper, 8u) << "S = C - lambda T_push + mu T_pop";
  EXPECT_EQ(at_work->lower, 2u) << "s = mu T_pop";
  const auto flooded =
      policy->announce_at({.push_ns = 100, .pop_ns = 3, .arrivals_per_s = 1e9, .services_per_s = 1e9});
  EXPECT_EQ(flooded->upper, flooded->lower + 1) << "the upper threshold stays above the lower one";
  EXPECT_FALSE(skua::make_policy("random")->announce_at({})) << "other policies never announce";
}

TEST(policy_announced, reads_one_word_of_each_domain_and_begins_with_its_own) {
  fake_thief thief(1, placed("package:2 core:4 pu:1", 8));
  EXPECT_FALSE(announced(thief)->acquire(thief));
  EXPECT_EQ(thief.script, (script{"announced 0", "announced 1"}));
}

TEST(policy_announced, steals_from_the_announced_one_and_leaves_the_domain_only_without_one) {
  fake_thief thief(1, placed("package:2 core:4 pu:1", 8));
  thief.announcing = {3, 6};
  thief.tasks = {{3, 1}, {6, 1}, {0, 9}};
  auto policy = announced(thief);
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 3u);
  EXPECT_EQ(thief.script, (script{"announced 0", "try 3"}));
  thief.script.clear();
  thief.announcing = {6};
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 6u);
  EXPECT_EQ(thief.script, (script{"announced 0", "announced 1", "try 6"}));
}

TEST(policy_announced, goes_on_to_the_next_domain_after_a_miss) {
  fake_thief thief(5, placed("package:2 core:4 pu:1", 8));
  thief.announcing = {6, 0};
  thief.tasks = {{0, 1}};
  EXPECT_TRUE(announced(thief)->acquire(thief));
  EXPECT_EQ(thief.script, (script{"announced 1", "try 6", "announced 0", "try 0"}));
}

TEST(policy_announced, finds_a_worker_that_never_announces) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{2, 1}};
  auto policy = announced(thief, "announced(patience=3)");
  for (int round = 0; round < 2; ++round) EXPECT_FALSE(policy->acquire(thief));
  thief.script.clear();
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 2u);
  EXPECT_EQ(thief.script.front(), "announced 0");
  EXPECT_EQ(thief.script[2], "load 1")
      << "loads are read nearest first, and no worker without tasks is tried";
  EXPECT_EQ(thief.script.back(), "try 2");
  thief.script.clear();
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"announced 0", "announced 1"}))
      << "after a steal the policy counts the rounds without announcements anew";
}

// ---- the words

TEST(announcements, are_found_in_ring_order_after_the_thief) {
  skua::core::announcements words(placed("package:2 core:4 pu:1", 8));
  EXPECT_FALSE(words.find(0, 1));
  for (const skua::worker_id w : {0u, 3u, 5u}) words.announcer_of(w).announce();
  EXPECT_EQ(words.find(0, 1), 3u);
  EXPECT_EQ(words.find(0, 3), 0u);
  EXPECT_EQ(words.find(1, 1), 5u);
  EXPECT_FALSE(words.find(1, 5)) << "a worker's own announcement does not count";
  words.announcer_of(3).withdraw();
  EXPECT_EQ(words.find(0, 1), 0u);
  EXPECT_FALSE(words.announcer_of(3).announced());
}

TEST(announcements, domains_may_have_more_workers_than_a_word_has_bits) {
  skua::core::announcements words(placed("package:2 core:100 pu:1", 200));
  words.announcer_of(163).announce();
  words.announcer_of(99).announce();
  EXPECT_EQ(words.find(0, 3), 99u);
  EXPECT_EQ(words.find(1, 199), 163u);
  EXPECT_EQ(words.find(1, 170), 163u);
  EXPECT_FALSE(words.find(1, 163));
}

}  // namespace
}  // namespace announced_policy_test
