// A registered policy can be used until the process ends.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace registered_policy_test {
namespace {

struct asks_all : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim)) return task;
    return {};
  }
};
SKUA_POLICY(asks_all, "test_asks_all", "a policy like any other");

bool used_at_the_end = false;

struct ends_last {
  ~ends_last() {
    if (!used_at_the_end) return;
    skua::scheduler pool({.workers = 2, .policy = "test_asks_all"});
    std::fprintf(stderr, "policy %s at the end\n", pool.policy().c_str());
  }
};
// The object is constructed before any policy is registered, so it is destroyed after everything that a registration may
// construct.
[[gnu::init_priority(101)]] ends_last last;

TEST(registered_policy_death, a_scheduler_may_use_it_in_static_destruction) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto ends = [] {
    used_at_the_end = true;
    std::exit(0);
  };
  EXPECT_EXIT(ends(), testing::ExitedWithCode(0), "policy test_asks_all at the end");
}

}  // namespace
}  // namespace registered_policy_test
