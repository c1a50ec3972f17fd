// bitier with a fake thief: each line of Algorithm I, and equation 4.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "fake_thief.hpp"
#include "policies/boundary_level.hpp"

namespace bitier_policy_test {
namespace {

using script = std::vector<std::string>;
using skua::policy::boundary_level;

skua::placement four_by_four() { return skua::topology::synthetic("package:4 core:4 pu:1").place(16); }

std::unique_ptr<skua::steal_policy> bitier(fake_thief& thief, const char* text = "bitier") {
  auto policy = skua::make_policy(text);
  policy->on_start(thief);
  return policy;
}

// ---- equation 4

TEST(boundary_level, is_that_of_the_paper_for_heat_on_its_machine) {
  EXPECT_EQ(boundary_level(4, 2, 3072 * 2048 * 8, 6 << 20), 4u);
}

TEST(boundary_level, leaves_a_leaf_task_for_every_domain_and_fits_the_cache) {
  EXPECT_EQ(boundary_level(4, 2, 0, 6 << 20), 3u) << "B^(BL-1) = 4 leaf inter-domain tasks";
  EXPECT_EQ(boundary_level(5, 2, 0, 6 << 20), 4u) << "the logarithm is rounded up";
  EXPECT_EQ(boundary_level(4, 4, 0, 6 << 20), 2u);
  EXPECT_EQ(boundary_level(2, 2, 12 << 20, 6 << 20), 2u);
  EXPECT_EQ(boundary_level(2, 2, (12 << 20) + 1, 6 << 20), 3u);
  EXPECT_EQ(boundary_level(2, 2, 1 << 30, 0), 2u)
      << "a domain without a shared cache does not raise the level";
}

TEST(boundary_level, is_zero_on_one_domain) { EXPECT_EQ(boundary_level(1, 2, 1 << 30, 6 << 20), 0u); }

// The paper's example: a stencil over 10 x 10 doubles on two sockets of two cores. Its inner rows are four leaf tasks of two
// rows each. Each task also reads the row above and the row below.
struct figure_2 {
  static constexpr std::size_t row_bytes = 10 * 8;
  /// The number of distinct bytes that the tasks read together.
  static std::size_t bytes(std::initializer_list<std::size_t> tasks) {
    std::set<std::size_t> rows;
    for (const std::size_t task : tasks)
      for (std::size_t row = 2 * task; row < 2 * task + 4; ++row) rows.insert(row);
    return rows.size() * row_bytes;
  }
};

TEST(boundary_level, of_figure_2) {
  // 480 bytes of shared cache have room for two adjacent tasks, but not for two other tasks.
  EXPECT_EQ(boundary_level(2, 2, 10 * 10 * 8, 480), 2u);
  EXPECT_EQ(figure_2::bytes({0, 1}), 480u);
  EXPECT_EQ(figure_2::bytes({0, 1}) + figure_2::bytes({2, 3}), 960u);
  EXPECT_EQ(figure_2::bytes({0, 2}), 640u) << "the paper prints 680";
  EXPECT_EQ(figure_2::bytes({0, 2}) + figure_2::bytes({1, 3}), 1280u);
}

// With boundary level 2, each of the two inter-domain tasks is one half of the rows. The workers of each domain must take
// leaves of one half only.
TEST(policy_bitier, places_the_tasks_of_figure_2_as_in_the_paper) {
  skua::scheduler pool({.workers = 4,
                        .policy = "bitier(boundary=2)",
                        .topology = skua::topology::synthetic("package:2 core:2 pu:1"),
                        .park_after_us = 50});
  for (int round = 0; round < 200; ++round) {
    std::array<std::uint32_t, 4> domain{};
    const auto leaf = [&](std::size_t task) {
      domain[task] = pool.seats()[static_cast<skua::worker_id>(skua::worker_index())].domain;
    };
    pool.run([&] {
      skua::shaped({.input_bytes = 10 * 10 * 8, .branching = 2}, [&] {
        skua::join([&] { skua::join([&] { leaf(0); }, [&] { leaf(1); }); },
                   [&] { skua::join([&] { leaf(2); }, [&] { leaf(3); }); });
      });
    });
    EXPECT_EQ(domain[0], domain[1]);
    EXPECT_EQ(domain[2], domain[3]);
  }
}

TEST(policy_bitier, computes_the_level_of_a_region) {
  fake_thief thief(0, four_by_four());
  auto policy = bitier(thief);
  ASSERT_TRUE(policy->has_tiers());
  EXPECT_EQ(policy->boundary_level(thief, {.input_bytes = 3072 * 2048 * 8, .branching = 2}), 4u);
  EXPECT_EQ(policy->boundary_level(thief, {.input_bytes = 1000}), 0u) << "the region is CPU-bound";
  EXPECT_EQ(bitier(thief, "bitier(large=100)")->boundary_level(thief, {.input_bytes = 1000}), 3u);
  EXPECT_EQ(bitier(thief, "bitier(boundary=7)")->boundary_level(thief, {.input_bytes = 0}), 7u);
  fake_thief alone(0, skua::topology::synthetic("core:4 pu:1").place(4));
  EXPECT_EQ(bitier(alone, "bitier(boundary=7)")->boundary_level(alone, {.input_bytes = 1 << 30}), 0u)
      << "with one domain stealing is plain";
}

// ---- Algorithm I

TEST(policy_bitier, tries_a_random_victim_inside_a_busy_domain) {
  fake_thief thief(5, four_by_four());  // domain 1 has workers 4 to 7; its head is worker 4
  thief.in_tiers = true;
  thief.busy_domains = {1};
  thief.dice = {2};
  thief.tasks = {{6, 1}, {0, 9}};
  auto policy = bitier(thief);
  const skua::stolen task = policy->acquire(thief);
  EXPECT_EQ(thief.victim_of(task), 6u);
  EXPECT_EQ(thief.script, (script{"busy 1", "random 3", "try 6"}));
  thief.script.clear();
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"busy 1", "random 3", "try 4"}))
      << "while the domain is busy, no victim outside it is tried";
}

TEST(policy_bitier, never_draws_itself) {
  for (std::size_t die = 0; die < 3; ++die) {
    fake_thief thief(5, four_by_four());
    thief.in_tiers = true;
    thief.busy_domains = {1};
    thief.dice = {die};
    EXPECT_FALSE(bitier(thief)->acquire(thief));
    EXPECT_NE(thief.script.back(), "try 5");
  }
}

TEST(policy_bitier, the_head_of_a_free_domain_takes_from_its_own_pool) {
  fake_thief thief(4, four_by_four());
  thief.in_tiers = true;
  thief.pooled = {{1, 1}, {2, 5}};
  const skua::stolen task = bitier(thief)->acquire(thief);
  EXPECT_EQ(thief.domain_of(task), 1u);
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1"}));
}

TEST(policy_bitier, the_head_then_takes_from_the_pool_of_a_random_other_domain) {
  fake_thief thief(4, four_by_four());
  thief.in_tiers = true;
  thief.pooled = {{3, 1}};
  thief.dice = {1, 2};
  auto policy = bitier(thief);
  const skua::stolen task = policy->acquire(thief);
  EXPECT_EQ(thief.domain_of(task), 3u) << "the random number of its own domain stands for the last domain";
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1", "random 3", "take 3"}));
  thief.script.clear();
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1", "random 3", "take 2"}));
}

TEST(policy_bitier, any_other_worker_in_a_free_domain_only_retries_its_own_pool) {
  fake_thief thief(5, four_by_four());
  thief.in_tiers = true;
  thief.pooled = {{1, 1}, {2, 1}};
  thief.tasks = {{4, 1}, {6, 1}, {0, 1}};
  auto policy = bitier(thief);
  for (int round = 0; round < 200; ++round) EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, script(200, "busy 1"));
}

TEST(policy_bitier, without_a_region_it_is_plain_stealing) {
  fake_thief thief(5, four_by_four());
  thief.busy_domains = {1};
  thief.dice = {4, 5};
  thief.tasks = {{6, 1}};
  const skua::stolen task = bitier(thief)->acquire(thief);
  EXPECT_EQ(thief.victim_of(task), 6u);
  EXPECT_EQ(thief.script, (script{"random 15", "try 4", "random 15", "try 6"}));
}

// ---- bitier(spread)

TEST(policy_bitier, that_spreads_leaves_a_task_to_a_domain_that_is_free_for_1023_rounds) {
  fake_thief thief(4, four_by_four());  // the head of domain 1
  thief.in_tiers = true;
  thief.pooled = {{0, 1}};
  auto policy = bitier(thief, "bitier(spread)");
  for (int round = 0; round < 1023; ++round) {
    thief.script.clear();
    ASSERT_FALSE(policy->acquire(thief)) << round;
    EXPECT_EQ(thief.script[3], "busy 0");
  }
  thief.script.clear();
  EXPECT_TRUE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1", "random 3", "busy 0", "take 0"}));
}

TEST(policy_bitier, that_spreads_takes_a_task_from_a_domain_that_is_busy_in_two_rounds) {
  fake_thief thief(4, four_by_four());
  thief.in_tiers = true;
  thief.pooled = {{3, 1}};
  thief.busy_domains = {3};
  thief.dice = {1};
  auto policy = bitier(thief, "bitier(spread)");
  EXPECT_FALSE(policy->acquire(thief)) << "its head may be taking the task";
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1", "random 3", "busy 3"}));
  thief.script.clear();
  EXPECT_TRUE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"busy 1", "take 1", "busy 3", "take 3"}));
}

TEST(policy_bitier, that_spreads_probes_one_worker_a_round_outside_of_regions) {
  fake_thief thief(4, four_by_four());
  thief.in_tiers = true;
  thief.dice = std::vector<std::size_t>(64, 0);  // domains
  thief.dice.push_back(3);                       // a worker
  thief.tasks = {{3, 1}};
  auto policy = bitier(thief, "bitier(spread)");
  for (int round = 0; round < 63; ++round) EXPECT_FALSE(policy->acquire(thief));
  EXPECT_TRUE(policy->acquire(thief)) << "worker 3";
}

TEST(policy_bitier, finally_finds_work_outside_of_regions) {
  fake_thief thief(4, four_by_four());  // worker 4 is a head
  thief.in_tiers = true;
  thief.tasks = {{0, 1}};
  auto policy = bitier(thief);
  skua::stolen task;
  for (int round = 0; round < 64 && !task; ++round) task = policy->acquire(thief);
  EXPECT_TRUE(task) << "the first of the random victims is worker 0";
}

}  // namespace
}  // namespace bitier_policy_test
