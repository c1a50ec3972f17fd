// Announcements on real workers: the rates are measured, thieves seldom miss, and thieves find a worker that never
// announces.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "tests/support/until.hpp"

namespace announced_test {
namespace {

// Steals like `announced` and keeps the queue rates that it receives.
struct listening : skua::steal_policy {
  static inline std::mutex guard;
  static inline std::vector<skua::queue_rates> told;
  std::unique_ptr<skua::steal_policy> inner = skua::make_policy("announced");
  void on_start(const skua::thief& self) override { inner->on_start(self); }
  skua::stolen acquire(skua::thief& self) override { return inner->acquire(self); }
  std::optional<skua::announce_thresholds> announce_at(const skua::queue_rates& rates) const override {
    std::lock_guard lock(guard);
    told.push_back(rates);
    return inner->announce_at(rates);
  }
};
SKUA_POLICY(listening, "listening", "announced, with a record of the rates");

long fib(int n) {
  if (n < 2) {
    skua::costs(20);
    return n;
  }
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

skua::scheduler sixteen(const char* policy) {
  return skua::scheduler({.workers = 16,
                          .policy = policy,
                          .topology = skua::topology::synthetic("package:4 core:4 pu:1"),
                          .park_after_us = 50});
}

TEST(api_announced, push_and_pop_are_measured_at_start_and_rates_while_it_runs) {
  skua::scheduler pool({.workers = 2, .policy = "listening"});
  {
    std::lock_guard lock(listening::guard);
    const skua::queue_rates& at_start = listening::told.back();
    EXPECT_GT(at_start.push_ns, 0);
    EXPECT_LT(at_start.push_ns, 10'000) << "the time of one push";
    EXPECT_GT(at_start.pop_ns, 0);
    EXPECT_EQ(at_start.arrivals_per_s, 0);
  }
  skua::queue_rates last;
  for (patience left; left && last.arrivals_per_s == 0;) {
    EXPECT_EQ(pool.run([] { return fib(24); }), 46368);
    std::lock_guard lock(listening::guard);
    last = listening::told.back();
  }
  EXPECT_GT(last.arrivals_per_s, 0);
  EXPECT_GT(last.services_per_s, 0);
}

// Repeats the program until there are enough steals, because a thief may come too late if other programs use the CPUs.
skua::counters until_steals(skua::scheduler& pool, std::uint64_t steals) {
  for (patience left; left && pool.report().total.steals < steals;)
    EXPECT_EQ(pool.run([] { return fib(22); }), 17711);
  return pool.report().total;
}

// The machine is simulated, because on a real one the number depends on which threads have the CPUs: an interrupted victim
// stays announced while all thieves try to take its last task.
double misses_per_steal(const char* policy, std::uint64_t seed) {
  skua::scheduler pool(
      {.policy = policy, .seed = seed, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  EXPECT_EQ(pool.run([] { return fib(17); }), 1597);
  const skua::counters c = pool.report().total;
  EXPECT_GT(c.steals, 0u) << policy;
  return static_cast<double>(c.steal_misses) / static_cast<double>(std::max<std::uint64_t>(c.steals, 1));
}

TEST(api_announced, thieves_miss_far_less_often_than_those_of_random) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double random = misses_per_steal("random", seed), announced = misses_per_steal("announced", seed);
    std::printf("  misses per steal: random %.1f, announced %.1f\n", random, announced);
    EXPECT_LT(4 * announced, random) << "seed " << seed;
  }
}

// With this patience, a thief finds a victim only by its announcement.
TEST(api_announced, thieves_steal_from_announced_workers) {
  auto pool = sixteen("announced(patience=1000000)");
  EXPECT_GT(until_steals(pool, 1).steals, 0u);
}

// A loop is one record, so its queue never reaches the upper threshold.
TEST(api_announced, a_queue_that_never_announces_is_found) {
  auto pool = sixteen("announced(capacity=1000)");
  std::atomic<int> elsewhere{0};
  for (patience left; left && elsewhere == 0;)
    pool.run([&] {
      const int home = skua::worker_index();
      skua::parallel_for(0, 20'000, [&](int) {
        volatile int x = 0;
        for (int k = 0; k < 100; ++k) x = x + k;
        if (skua::worker_index() != home) elsewhere.fetch_add(1, std::memory_order_relaxed);
      });
    });
  EXPECT_GT(elsewhere, 0);
}

// A worker finds unannounced work before it sleeps, regardless of the patience and of how seldom it wakes.
TEST(api_announced, patience_ends_when_a_worker_would_sleep_while_work_is_left) {
  for (const char* policy : {"announced(patience=1000000)", "managers(patience=1000000)"})
    for (const std::int64_t park_after_us : {0, 200}) {
      skua::scheduler pool({.workers = 2, .policy = policy, .park_after_us = park_after_us});
      for (int round = 0; round < 20; ++round)
        pool.run([] {
          std::atomic<int> here = 0;
          const auto meet = [&] {
            ++here;
            until([&] { return here == 2; }, "a thief");
          };
          skua::join(meet, meet);
        });
    }
}

}  // namespace
}  // namespace announced_test
