// managers with a fake thief: messages in each round, force only as the last resort; and what the policy needs from the
// core.
#include <skua/steal_policy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <skua/join.hpp>
#include <skua/scheduler.hpp>

#include "core/phase/management.hpp"
#include "core/scheduler_core.hpp"
#include "fake_thief.hpp"

namespace managers_policy_test {
namespace {

using script = std::vector<std::string>;

skua::placement placed(const char* machine, std::size_t workers) {
  return skua::topology::synthetic(machine).place(workers);
}

TEST(policy_managers, asks_for_managers_with_its_options) {
  const auto usual = skua::make_policy("managers")->managed();
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->radix, 8u);
  EXPECT_EQ(usual->how_much, skua::amount::half);
  EXPECT_EQ(usual->underflow, 1u);
  EXPECT_TRUE(usual->rescue);
  const auto other = skua::make_policy("managers(radix=4, steal=one, underflow=3, rescue=no)")->managed();
  EXPECT_EQ(other->radix, 4u);
  EXPECT_EQ(other->how_much, skua::amount::one);
  EXPECT_EQ(other->underflow, 3u);
  EXPECT_FALSE(other->rescue);
  EXPECT_EQ(usual->dedicated, 0u);
  EXPECT_EQ(skua::make_policy("managers(dedicated=2)")->managed()->dedicated, 2u);
  EXPECT_FALSE(skua::make_policy("nearest")->managed());
  EXPECT_TRUE(skua::make_policy("mix(0.5, random, managers(rescue=no))")->managed()->rescue)
      << "the other policy takes from any queue";
}

TEST(policy_managers, acts_on_messages_and_looks_at_no_other_worker) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{1, 5}, {2, 9}};
  const auto policy = skua::make_policy("managers(patience=4)");
  for (int round = 0; round < 3; ++round) {
    thief.script.clear();
    EXPECT_FALSE(policy->acquire(thief));
    EXPECT_EQ(thief.script, (script{"messages", "load 0"}));
  }
}

TEST(policy_managers, a_dedicated_worker_never_takes_by_force) {
  const auto worker = [](skua::worker_id id, const char* text) {
    fake_thief thief(id, placed("package:2 core:2 pu:1", 4));
    thief.tasks = {{1, 9}};
    const auto policy = skua::make_policy(text);
    for (int round = 0; round < 5; ++round) policy->acquire(thief);
    return std::find(thief.script.begin(), thief.script.end(), "try 1") != thief.script.end();
  };
  EXPECT_FALSE(worker(3, "managers(patience=1, dedicated=1)"));
  EXPECT_TRUE(worker(2, "managers(patience=1, dedicated=1)"));
  EXPECT_TRUE(worker(0, "managers(patience=1, dedicated=1024)")) << "one worker is left for tasks";
}

TEST(policy_managers, takes_by_force_from_the_nearest_after_a_long_time_without_tasks_from_messages) {
  fake_thief thief(0, placed("package:2 core:2 pu:1", 4));
  thief.tasks = {{2, 9}, {3, 1}};
  const auto policy = skua::make_policy("managers(patience=3)");
  for (int round = 0; round < 2; ++round) EXPECT_FALSE(policy->acquire(thief));
  thief.script.clear();
  EXPECT_EQ(thief.victim_of(policy->acquire(thief)), 2u);
  EXPECT_EQ(thief.script, (script{"messages", "load 0", "load 1", "load 2", "try 2"}));
  thief.script.clear();
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"messages", "load 0"}))
      << "after a steal the policy counts the rounds without messages anew";
}

TEST(policy_managers, restarts_its_patience_when_messages_have_brought_tasks) {
  fake_thief thief(0, placed("core:2 pu:1", 2));
  thief.tasks = {{1, 1}};
  const auto policy = skua::make_policy("managers(patience=2)");
  EXPECT_FALSE(policy->acquire(thief));
  thief.bring = [&] { thief.tasks[0] = 1; };
  EXPECT_FALSE(policy->acquire(thief)) << "the task is this worker's own and not stolen";
  thief.bring = nullptr;
  thief.tasks[0] = 0;
  thief.script.clear();
  EXPECT_FALSE(policy->acquire(thief));
  EXPECT_EQ(thief.script, (script{"messages", "load 0"}));
}

TEST(policy_managers, never_takes_by_force_without_rescue) {
  fake_thief thief(0, placed("core:2 pu:1", 2));
  thief.tasks = {{1, 1}};
  const auto policy = skua::make_policy("managers(rescue=no, patience=1)");
  for (int round = 0; round < 100; ++round) EXPECT_FALSE(policy->acquire(thief));
  for (const std::string& line : thief.script) EXPECT_TRUE(line == "messages" || line == "load 0") << line;
}

// ---- no worker may touch another worker's queue

struct burglar final : skua::steal_policy {
  std::optional<skua::management_options> managed() const override {
    return skua::management_options{.rescue = false};
  }
  skua::stolen acquire(skua::thief& self) override {
    self.act_on_messages();
    return self.try_steal(self.id() == 0 ? 1 : 0);
  }
};
SKUA_POLICY(burglar, "burglar", "steals although its managers forbid it");

TEST(managers_DeathTest, touching_the_queue_of_another_worker_is_caught_in_debug_builds) {
#if defined(NDEBUG)
  GTEST_SKIP() << "this build has no assertions";
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(skua::scheduler({.workers = 2, .policy = "burglar"}).run([] {
    for (;;) skua::join([] {}, [] {});
  }),
               "may_touch");
#endif
}

// ---- the managers get no message from a worker that runs all tasks alone

TEST(management, sends_no_message_while_a_queue_oscillates) {
  skua::scheduler pool({.workers = 1, .policy = "managers"});
  std::uint64_t sum = 0;
  pool.run([&] {
    for (int i = 0; i < 1000; ++i) {
      const auto [a, b] = skua::join([] { return 1; }, [] { return 2; });
      sum += static_cast<std::uint64_t>(a + b);
    }
  });
  EXPECT_EQ(sum, 3000u);
  EXPECT_EQ(pool.report().total.steals, 0u);
}

}  // namespace
}  // namespace managers_policy_test
