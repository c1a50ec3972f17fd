// The built-in policies with a fake thief: the exact sequence of looks and steal attempts.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_thief.hpp"

namespace policy_test {
namespace {

using script = std::vector<std::string>;

skua::placement placed(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}

TEST(policy, all_are_listed_and_made_by_name) {
  std::vector<std::string> names;
  for (const skua::policy_info* info : skua::policies()) {
    names.emplace_back(info->name);
    for (const std::string_view text :
         {info->summary, info->what, info->helps, info->hurts, info->cost, info->paper})
      EXPECT_FALSE(text.empty()) << info->name;
    EXPECT_TRUE(skua::make_policy(info->name));
    for (const skua::policy_option& option : info->options)
      EXPECT_TRUE(skua::make_policy(std::string(info->name) + "(" + std::string(option.name) + "=" +
                                    std::string(option.default_value) + ")"))
          << "the default of every option is allowed";
  }
  EXPECT_EQ(names.front(), "nearest") << "nearest is the default policy";
  EXPECT_NE(std::find(names.begin(), names.end(), "random"), names.end());
  EXPECT_THROW(skua::make_policy("randon"), skua::bad_input);
}

// ---- random: as many attempts as there are other workers; each victim is drawn anew

TEST(policy_random, tries_as_many_victims_as_there_are_others) {
  fake_thief thief(1, placed("core:4 pu:1", 4));
  thief.dice = {0, 1, 2};  // victims 0, 2, 3
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 0", "random 3", "try 2", "random 3", "try 3"}));
}

TEST(policy_random, may_draw_the_same_victim_again) {
  fake_thief thief(3, placed("core:4 pu:1", 4));
  thief.dice = {2, 2, 2};
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 2", "random 3", "try 2", "random 3", "try 2"}));
}

TEST(policy_random, stops_at_the_first_task) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.dice = {1, 2};
  thief.tasks = {{3, 1}};
  const skua::stolen task = skua::make_policy("random")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 3u);
  EXPECT_EQ(thief.script, (script{"random 3", "try 2", "random 3", "try 3"}));
}

TEST(policy_random, once_tries_one_victim_a_round) {
  fake_thief thief(1, placed("core:4 pu:1", 4));
  thief.dice = {0, 1};
  const auto policy = skua::make_policy("random(once)");
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 0", "random 3", "try 2"}));
}

TEST(policy_random, does_nothing_alone) {
  fake_thief thief(0, placed("core:1 pu:1", 1));
  EXPECT_FALSE(skua::make_policy("random")->acquire(thief));
  EXPECT_FALSE(skua::make_policy("random(once)")->acquire(thief));
  EXPECT_EQ(thief.script, script{});
}

// ---- nearest: each victim once, level by level, from a random start in each level

TEST(policy_nearest, tries_its_own_domain_first) {
  // Two packages of four. The ring of worker 1 in its own package is 2, 3, 0.
  fake_thief thief(1, placed("package:2 core:4 pu:1", 8));
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

TEST(policy_nearest, starts_at_a_random_victim_and_goes_round) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.dice = {2};
  EXPECT_FALSE(skua::make_policy("nearest")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 3", "try 3", "try 1", "try 2"}));
}

TEST(policy_nearest, takes_a_near_task_although_a_far_one_has_more) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{1, 1}, {2, 9}, {3, 9}};
  const skua::stolen task = skua::make_policy("nearest")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 1u);
  EXPECT_EQ(thief.script, (script{"random 1", "try 1"}));
}

TEST(policy_nearest, tries_far_victims_only_if_no_near_one_has_tasks) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.dice = {0, 1};
  thief.tasks = {{2, 1}, {3, 1}};
  const skua::stolen task = skua::make_policy("nearest")->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), thief.at_distance(1)[1]);
  EXPECT_EQ(thief.script,
            (script{"random 1", "try 1", "random 2", "try " + std::to_string(thief.at_distance(1)[1])}));
}

TEST(policy_nearest, does_nothing_alone) {
  fake_thief thief(0, placed("core:1 pu:1", 1));
  EXPECT_FALSE(skua::make_policy("nearest")->acquire(thief));
  EXPECT_EQ(thief.script, script{});
}

// ---- deal_at_start: workers steal inside their domain, and the head steals half from other domains

TEST(policy_deal_at_start, a_worker_takes_one_task_inside_its_domain) {
  fake_thief thief(5, placed("package:2 core:4 pu:1", 8));
  thief.tasks = {{6, 3}, {0, 9}};
  auto policy = skua::make_policy("deal_at_start");
  policy->on_start(thief);
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 6u);
  EXPECT_EQ(thief.script, (script{"random 4", "load 4", "load 6", "try 6"}));
}

TEST(policy_deal_at_start, the_head_fetches_half_for_an_empty_domain) {
  fake_thief thief(4, placed("package:3 core:4 pu:1", 12));
  thief.tasks = {{1, 9}};
  thief.dice = {0, 0, 3};
  auto policy = skua::make_policy("deal_at_start");
  policy->on_start(thief);
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 1u);
  EXPECT_EQ(thief.script, (script{"random 4", "load 5", "load 6", "load 7", "random 4", "load 8", "load 9",
                                  "load 10", "load 11", "random 4", "load 3", "load 0", "load 1", "half 1"}))
      << "the next domain in the ring first";
}

TEST(policy_deal_at_start, the_other_workers_wait_for_the_head_but_not_forever) {
  fake_thief thief(1, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{3, 1}};
  auto policy = skua::make_policy("deal_at_start(patience=3)");
  policy->on_start(thief);
  for (int round = 0; round < 2; ++round) EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 2", "load 0", "random 2", "load 0"}));
  EXPECT_TRUE(policy->acquire(thief));
}

// ---- nearest with the thesis' options

TEST(policy_nearest, tries_the_nearest_level_fifty_times_the_next_three_times_and_the_farthest_once) {
  // Pairs share an L2, two pairs share a package with an L3, and there are two packages. These are the levels of the
  // Dunnington of the thesis.
  fake_thief thief(0, placed("package:2 l3:1 l2:2 core:2 pu:1", 8));
  ASSERT_EQ(thief.levels(), 3u);
  EXPECT_FALSE(skua::make_policy("nearest(persistence)")->acquire(thief));
  std::vector<std::size_t> tries(8);
  for (const std::string& step : thief.script)
    if (step.starts_with("try ")) ++tries[static_cast<std::size_t>(step[4] - '0')];
  EXPECT_EQ(tries, (std::vector<std::size_t>{0, 50, 3, 3, 1, 1, 1, 1}));
  EXPECT_EQ(thief.script[98], "random 1");
  EXPECT_EQ(thief.script[99], "try 1");
  EXPECT_EQ(thief.script[100], "random 2") << "the next level begins after the fiftieth round";
}

// The machine Termi of the thesis: one package. All cores share the third-level cache, and pairs share the second-level
// cache.
TEST(policy_nearest, persists_by_what_is_shared_and_not_by_position) {
  const auto tries = [](const char* machine, std::size_t workers) {
    fake_thief thief(0, placed(machine, workers));
    EXPECT_FALSE(skua::make_policy("nearest(persistence)")->acquire(thief));
    std::vector<std::size_t> count(workers);
    for (const std::string& step : thief.script)
      if (step.starts_with("try ")) ++count[static_cast<std::size_t>(step[4] - '0')];
    return count;
  };
  EXPECT_EQ(tries("package:1 l3:1 l2:2 core:2 pu:1", 4), (std::vector<std::size_t>{0, 50, 3, 3}));
  EXPECT_EQ(tries("package:2 l3:1 core:1 pu:1", 2), (std::vector<std::size_t>{0, 1}));
}

TEST(policy_nearest, with_heads_only_heads_look_outside_their_domain) {
  fake_thief head(0, placed("package:2 core:2 pu:1", 4));
  EXPECT_FALSE(skua::make_policy("nearest(heads)")->acquire(head));
  EXPECT_EQ(head.script.size(), 5u);
  fake_thief other(1, placed("package:2 core:2 pu:1", 4));
  EXPECT_FALSE(skua::make_policy("nearest(heads)")->acquire(other));
  EXPECT_EQ(other.script, (script{"random 1", "try 0"}));
}

TEST(policy_nearest, takes_half_with_that_option) {
  fake_thief thief(0, placed("core:2 pu:1", 2));
  thief.tasks = {{1, 4}};
  EXPECT_TRUE(skua::make_policy("nearest(half)")->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 1", "half 1"}));
}

// ---- chaos

TEST(policy_chaos, does_nothing_in_some_random_rounds) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{1, 1}, {2, 1}, {3, 1}};
  auto policy = skua::make_policy("chaos(refuse=0.5)");
  policy->on_start(thief);
  thief.dice = {499};
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"random 1000"}));
}

TEST(policy_chaos, tries_the_farthest_first_skips_one_in_four_and_takes_one_or_half) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  auto policy = skua::make_policy("chaos(refuse=0.5)");
  policy->on_start(thief);
  // It does not refuse and looks once. Then it leaves out 3, gets nothing when it tries half of 2, and gets one task from 1.
  thief.tasks = {{1, 1}};
  thief.dice = {500, 1, 0, 1, 1, 1, 0};
  const skua::stolen task = policy->acquire(thief);
  ASSERT_TRUE(task);
  EXPECT_EQ(thief.victim_of(task), 1u);
  EXPECT_EQ(thief.script, (script{"random 1000", "random 32", "load 3", "load 2", "load 1", "random 4",
                                  "random 4", "random 2", "half 2", "random 4", "random 2", "try 1"}));
}

// ---- round_robin

TEST(policy_round_robin, continues_where_the_last_round_ended) {
  fake_thief thief(1, placed("core:4 pu:1", 4));
  const auto policy = skua::make_policy("round_robin");
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"try 2", "try 3", "try 0"}));
  thief.script.clear();
  thief.tasks = {{3, 2}};
  EXPECT_TRUE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"try 2", "try 3"}));
  thief.script.clear();
  EXPECT_TRUE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"try 3"})) << "the last successful victim is asked first";
}

// ---- most_loaded

struct started {
  fake_thief& thief;
  std::unique_ptr<skua::steal_policy> policy;
  started(fake_thief& t, const char* text) : thief(t), policy(skua::make_policy(text)) {
    policy->on_start(t);
  }
  script acquire() {
    thief.script.clear();
    static_cast<void>(policy->acquire(thief));
    return thief.script;
  }
};

TEST(policy_most_loaded, scans_and_takes_the_heaviest) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.tasks = {{1, 2}, {2, 5}, {3, 5}};
  started policy(thief, "most_loaded(always)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3", "try 2"}))
      << "the nearer of two victims with equal load";
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3", "try 3"}));
}

TEST(policy_most_loaded, tries_no_victim_when_all_are_empty) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  started policy(thief, "most_loaded(always)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3"}));
}

TEST(policy_most_loaded, scans_once_per_refresh_attempts_and_is_random_between_scans) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.tasks = {{3, 1}};
  thief.dice = {1, 0};
  started policy(thief, "most_loaded(sometimes, refresh=3)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3", "try 3"}));
  EXPECT_EQ(policy.acquire(), (script{"random 3", "try 2"}));
  EXPECT_EQ(policy.acquire(), (script{"random 3", "try 1"}));
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3"}));
}

TEST(policy_most_loaded, policy_1_stays_with_a_victim_that_gave_something) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.tasks = {{1, 1}, {2, 9}, {3, 4}};
  started policy(thief, "most_loaded(list, refresh=100)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3", "try 2"}));
  thief.tasks[2] = 1;
  thief.tasks[3] = 9;
  EXPECT_EQ(policy.acquire(), (script{"try 2"}));
  EXPECT_EQ(policy.acquire(), (script{"try 2", "try 3"}))
      << "after a failure the next victim of the list is tried";
  EXPECT_EQ(policy.acquire(), (script{"try 3"}));
}

TEST(policy_most_loaded, policy_2_begins_at_the_top_every_time) {
  fake_thief thief(0, placed("core:4 pu:1", 4));
  thief.tasks = {{1, 1}, {2, 1}, {3, 4}};
  started policy(thief, "most_loaded(list, refresh=100, after=top)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "load 3", "try 3"}));
  thief.tasks[3] = 0;
  EXPECT_EQ(policy.acquire(), (script{"try 3", "try 1"}));
  EXPECT_EQ(policy.acquire(), (script{"try 3", "try 1", "try 2"}));
}

TEST(policy_most_loaded, the_list_wraps_and_is_refreshed) {
  fake_thief thief(0, placed("core:3 pu:1", 3));
  started policy(thief, "most_loaded(list, refresh=3)");
  EXPECT_EQ(policy.acquire(), (script{"load 1", "load 2", "try 1", "try 2"}));
  EXPECT_EQ(policy.acquire(), (script{"try 1", "load 1", "load 2", "try 1"}))
      << "the list wraps around and is then refreshed";
}

TEST(policy_most_loaded, inside_the_domain_only_heads_look_further) {
  fake_thief other(1, placed("package:2 core:2 pu:1", 4));
  started inside(other, "most_loaded(always, scope=domain)");
  EXPECT_EQ(inside.acquire(), (script{"load 0"}));
  fake_thief head(0, placed("package:2 core:2 pu:1", 4));
  started outside(head, "most_loaded(always, scope=domain)");
  EXPECT_EQ(outside.acquire().size(), 3u);
}

// ---- mix

TEST(policy_mix, uses_the_first_policy_with_the_given_probability) {
  fake_thief thief(0, placed("core:2 pu:1", 2));
  started policy(thief, "mix(0.25, most_loaded(always), random)");
  thief.dice = {249, 250};
  EXPECT_EQ(policy.acquire(), (script{"random 1000", "load 1"}));
  EXPECT_EQ(policy.acquire(), (script{"random 1000", "random 1", "try 1"}));
}

// ---- auto

TEST(policy_auto, uses_the_policy_that_is_chosen_now) {
  fake_thief thief(3, placed("package:2 core:2 pu:1", 4));
  started policy(thief, "auto");
  EXPECT_EQ(policy.acquire(), (script{"random 1", "try 2", "random 2", "try 0", "try 1"})) << "as nearest";
  thief.chosen_now = 2;
  EXPECT_EQ(policy.acquire(), (script{"announced 1", "announced 0"})) << "as announced";
  thief.chosen_now = 0;
  EXPECT_EQ(policy.acquire(), (script{"random 1", "try 2", "random 2", "try 0", "try 1"}));
}

TEST(policy_auto, has_nearest_as_its_default_and_tiers_only_while_they_are_chosen) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  const auto policy = skua::make_policy("auto");
  policy->on_start(thief);
  std::vector<std::string> names;
  for (const skua::candidate_policy& one : policy->candidates()) names.emplace_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"nearest", "bitier(spread)", "announced", "random"}));
  EXPECT_EQ(policy->deals(), skua::dealing::large);
  const skua::region_shape large{.input_bytes = 64 << 20};
  EXPECT_FALSE(policy->has_tiers());
  EXPECT_EQ(policy->boundary_level(thief, large), 0u);
  thief.chosen_now = 1;
  EXPECT_TRUE(policy->has_tiers());
  EXPECT_NE(policy->boundary_level(thief, large), 0u);
  EXPECT_EQ(skua::make_policy("nearest")->candidates().size(), 0u);
}

// ---- options

std::string refusal(const std::string& text) {
  try {
    skua::make_policy(text);
  } catch (const skua::bad_input& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(policy_options, are_refused_in_one_sentence) {
  EXPECT_EQ(refusal("most_loaded(lst)"),
            "policy most_loaded has no option 'lst'; allowed: how=always|sometimes|list, refresh (whole "
            "numbers from "
            "1 to 1000), after=same|top, "
            "scope=machine|domain or half; nearest: list");
  EXPECT_EQ(refusal("most_loaded(refresh=0)"),
            "option refresh of policy most_loaded cannot be '0'; allowed: whole numbers from 1 to 1000; "
            "nearest: 1");
  EXPECT_EQ(
      refusal("most_loaded(scope=domains)"),
      "option scope of policy most_loaded cannot be 'domains'; allowed: machine or domain; nearest: domain");
  EXPECT_EQ(refusal("nearest(heads, heads)"), "option heads of policy nearest is given twice");
  EXPECT_EQ(
      refusal("nearest(heds)"),
      "policy nearest has no option 'heds'; allowed: persistence, heads, half or deal=never|large|always; "
      "nearest: heads");
  EXPECT_EQ(refusal("nearst").substr(0, 50), "policy 'nearst' does not exist; allowed: nearest, ");
  EXPECT_EQ(refusal("mix(0.5, nearst)"), refusal("nearst"));
  EXPECT_EQ(refusal("mix(first=nearst)"), refusal("nearst"));
  EXPECT_EQ(refusal("mix(2, nearest, random)"),
            "option share of policy mix cannot be '2'; allowed: numbers from 0 to 1; nearest: 1");
  EXPECT_EQ(refusal("nearest(2)"),
            "policy nearest has no option '2'; allowed: persistence, heads, half or deal=never|large|always");
  EXPECT_TRUE(skua::make_policy("bitier(boundary=2, large=4M)"));
  EXPECT_EQ(
      refusal("bitier(large=4Q)"),
      "option large of policy bitier cannot be '4Q'; allowed: 0 to 1e+15 bytes, also in units as in 64k, "
      "8M or 1G");
  EXPECT_EQ(refusal("foo").find("nearest: "), std::string::npos) << "no name is similar";
  EXPECT_EQ(refusal("nearest(heads"),
            "policy 'nearest(heads' has parentheses that do not match; write NAME or NAME(option, ...)");
}

TEST(policy_options, have_defaults_and_ignore_blanks) {
  EXPECT_EQ(refusal("nearest()"), "accepted");
  EXPECT_EQ(refusal(" most_loaded ( list , refresh = 7 ) "), "accepted");
  EXPECT_EQ(refusal("nearest(heads=yes, persistence=no)"), "accepted");
}

}  // namespace
}  // namespace policy_test
