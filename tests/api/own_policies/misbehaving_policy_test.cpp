// Policies that break their contract: the program still gets its result, and no task is lost.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/until.hpp"

namespace misbehaving_policy_test {
namespace {

struct never : skua::steal_policy {
  skua::stolen acquire(skua::thief&) override { return {}; }
};
SKUA_POLICY(never, "test_never", "never steals");

struct refuses : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim, [](const skua::hint&) { return false; })) return task;
    return {};
  }
};
SKUA_POLICY(refuses, "test_refuses", "asks everybody and takes nothing");

struct drops : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      static_cast<void>(t.try_steal(victim, skua::amount::half));
    return {};
  }
};
SKUA_POLICY(drops, "test_drops", "returns nothing of what it steals");

struct returns_later : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    if (kept) return std::move(kept);
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim)) {
        kept = t.try_steal(victim);
        return task;
      }
    return {};
  }
  skua::stolen kept;
};
SKUA_POLICY(returns_later, "test_returns_later", "keeps a second task for its next round");

template <skua::queue_kind Kind>
struct confirm_throws : skua::steal_policy {
  skua::queue_kind queue() const override { return Kind; }
  skua::stolen acquire(skua::thief& t) override {
    const auto judge = [](const skua::hint&) -> bool { throw std::runtime_error("no judgement"); };
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim, skua::amount::half, judge)) return task;
    return {};
  }
};
SKUA_POLICY(confirm_throws<skua::queue_kind::split>, "test_confirm_throws",
            "throws while the victim is locked");
SKUA_POLICY(confirm_throws<skua::queue_kind::chase_lev>, "test_confirm_throws_on_deques", "the same");

struct throws_with_its_loot : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim)) throw std::runtime_error("dropped it");
    return {};
  }
};
SKUA_POLICY(throws_with_its_loot, "test_throws_with_its_loot", "throws when it has something");

struct throws_at_once : skua::steal_policy {
  skua::stolen acquire(skua::thief&) override { throw 42; }
};
SKUA_POLICY(throws_at_once, "test_throws_at_once", "throws what is not a std::exception");

struct asks_nobody_there : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    return t.try_steal(static_cast<skua::worker_id>(t.workers()));
  }
};
SKUA_POLICY(asks_nobody_there, "test_asks_nobody_there", "a worker that does not exist");

struct throws_at_start : skua::steal_policy {
  void on_start(const skua::thief&) override { throw std::runtime_error("not today"); }
  skua::stolen acquire(skua::thief&) override { return {}; }
};
SKUA_POLICY(throws_at_start, "test_throws_at_start", "throws before anything runs");

struct announces_and_throws : never {
  std::optional<skua::announce_thresholds> announce_at(const skua::queue_rates&) const override {
    if (++asked > 2 * 4 + 4) throw std::runtime_error("no more thresholds");
    return skua::announce_thresholds{.upper = 1, .lower = 0};
  }
  static inline std::atomic<int> asked{0};  // each of the four workers asks twice before anything runs
};
SKUA_POLICY(announces_and_throws, "test_announces_and_throws", "throws while it runs, not when it steals");

struct announces_no_more : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim)) return task;
    return {};
  }
  std::optional<skua::announce_thresholds> announce_at(const skua::queue_rates&) const override {
    if (++asked > 3) return std::nullopt;
    return skua::announce_thresholds{.upper = 1, .lower = 0};
  }
  mutable int asked = 0;
};
SKUA_POLICY(announces_no_more, "test_announces_no_more", "changes its mind about announcing");

struct impossible_managers : never {
  std::optional<skua::management_options> managed() const override {
    return skua::management_options{.radix = 0};
  }
};
SKUA_POLICY(impossible_managers, "test_impossible_managers", "a tree of managers of radix 0");

skua::scheduler pool_of(const char* policy) {
  return skua::scheduler({.workers = 4, .policy = policy, .park_after_us = 50});
}

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void check(skua::scheduler& pool) {
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(pool.run([] { return fib(18); }), 2584);
    std::atomic<int> ran{0};
    pool.run([&] {
      skua::task_group tasks;
      for (int i = 0; i < 200; ++i) tasks.run([&] { ++ran; });
      tasks.wait();
    });
    ASSERT_EQ(ran, 200);
  }
}

TEST(misbehaving_policy, that_never_steals_leaves_all_to_the_worker_that_began) {
  for (const char* policy : {"test_never", "test_refuses"}) {
    auto pool = pool_of(policy);
    check(pool);
    EXPECT_EQ(pool.report().total.steals, 0u) << policy;
  }
}

TEST(misbehaving_policy, loses_no_task_that_it_does_not_return) {
  auto pool = pool_of("test_drops");
  check(pool);
}

// The policy still holds the task. But at the end of the round, a task that the policy did not return becomes the worker's
// own.
TEST(misbehaving_policy, that_returns_a_task_too_late_runs_it_once) {
  auto pool = pool_of("test_returns_later");
  check(pool);
}

/// Removes the line about a policy that has stolen nothing. Any policy may cause this line if other programs use the CPUs of
/// the thieves.
std::string but_for_no_steals(std::string said) {
  const std::size_t in_it = said.find(" has stolen nothing in ");
  if (in_it == std::string::npos) return said;
  const std::size_t before = said.rfind('\n', in_it), begin = before == std::string::npos ? 0 : before + 1;
  return said.erase(begin, said.find('\n', in_it) + 1 - begin);
}

// An exception of a policy is reported once, and nearest replaces the policy. This repeats, because a thief may come too
// late to throw.
void throws(const char* policy, const std::string& what) {
  for (patience left; left;) {
    testing::internal::CaptureStderr();
    {
      auto pool = pool_of(policy);
      check(pool);
    }
    const std::string said = but_for_no_steals(testing::internal::GetCapturedStderr());
    if (said.empty()) continue;
    EXPECT_EQ(said.find("skua: policy '" + std::string(policy) + "' threw on worker "), 0u) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << "one line: " << said;
    return;
  }
  FAIL() << policy << " never threw";
}

TEST(misbehaving_policy, that_throws_is_named_once_and_replaced) {
  throws("test_throws_at_once", "an exception that is not a std::exception");
  throws("test_throws_with_its_loot", "dropped it");
  throws("test_asks_nobody_there", "worker 4 cannot be stolen from; allowed: 0 to 3");
  throws("test_confirm_throws", "no judgement");
  throws("test_confirm_throws_on_deques", "no judgement");
}

// A worker asks its policy for new thresholds every few milliseconds.
TEST(misbehaving_policy, that_throws_when_asked_for_thresholds_is_named_and_replaced) {
  testing::internal::CaptureStderr();
  std::string said;
  {
    auto pool = pool_of("test_announces_and_throws");
    for (patience left; left && announces_and_throws::asked <= 12;) check(pool);
    check(pool);
  }
  said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("no more thresholds; workers on which it throws use nearest instead"),
            std::string::npos)
      << said;
}

TEST(misbehaving_policy, that_has_no_thresholds_any_more_announces_nothing) {
  auto pool = pool_of("test_announces_no_more");
  for (int i = 0; i < 10; ++i) check(pool);
}

template <class Exception>
std::string refusal_of(const char* policy) {
  try {
    auto pool = pool_of(policy);
  } catch (const Exception& thrown) {
    return thrown.what();
  }
  return "a scheduler was made";
}

TEST(misbehaving_policy, with_impossible_manager_options_makes_no_scheduler) {
  EXPECT_EQ(refusal_of<skua::bad_input>("test_impossible_managers"),
            "management_options::radix is 0; allowed: 2 to 4096; nearest: 2");
}

TEST(misbehaving_policy, that_is_null_makes_no_scheduler) {
  static constexpr skua::policy_info info{.name = "test_none",
                                          .summary = "made by a function that makes none"};
  skua::register_policy(info, +[]() -> std::unique_ptr<skua::steal_policy> { return nullptr; });
  EXPECT_EQ(refusal_of<skua::bad_input>("test_none"),
            "policy 'test_none': the function that makes it returned no policy");
}

TEST(misbehaving_policy, that_throws_at_start_makes_no_scheduler) {
  EXPECT_EQ(refusal_of<std::runtime_error>("test_throws_at_start"), "not today");
}

}  // namespace
}  // namespace misbehaving_policy_test
