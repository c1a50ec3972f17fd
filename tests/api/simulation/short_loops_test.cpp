// What it costs to spread work over all workers of a large machine, and to collect it again: loops, reductions and trees of
// joins in which each worker computes 10 000 cycles, one after the other. Costs are declared, so each run gives the same
// numbers.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <skua/skua.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"

namespace short_loops_test {
namespace {

constexpr int work = 10'000;

class machine_of_test {
 public:
  explicit machine_of_test(const std::string& machine, const std::string& policy = "nearest(deal=large)")
      : options_{.policy = policy, .simulate = skua::simulation{.machine = machine}} {}

  int workers() const { return static_cast<int>(skua::scheduler(options_).workers()); }

  /// Cycles above the work for each call of `one`, in a row of calls, when all workers have taken part in earlier ones.
  double overhead(const char* what, const std::function<void(int workers)>& one) const {
    constexpr int before = 30, all = 50;
    const double cycles = (cycles_of(all, one) - cycles_of(before, one)) / (all - before) - work;
    std::printf("  %s, %s, %s: %.0f cycles above the work\n", options_.simulate->machine.c_str(),
                options_.policy.c_str(), what, cycles);
    return cycles;
  }

 private:
  double cycles_of(int times, const std::function<void(int workers)>& one) const {
    skua::scheduler pool(options_);
    pool.run([&] {
      for (int i = 0; i < times; ++i) one(static_cast<int>(pool.workers()));
    });
    return static_cast<double>(pool.simulated().cycles);
  }

  const skua::scheduler_options options_;
};

void loop(int n) {
  skua::parallel_for(0, n, [](int) { skua::costs(work); });
}

void reduction(int n) {
  const auto value = [](int i) {
    skua::costs(work);
    return std::size_t{1} + static_cast<std::size_t>(i);
  };
  const std::size_t sum = skua::parallel_reduce(0, n, std::size_t{0}, value, std::plus<>());
  EXPECT_EQ(sum, static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2);
}

void tree(int n) {
  if (n == 1) return skua::costs(work);
  skua::join([n] { tree(n / 2); }, [n] { tree(n - n / 2); });
}

// The bounds for loops: 12 000 cycles above the work for the 16 workers of the Opterons, 25 000 for 112, 35 000 (10
// microseconds) for 192. They grow with the logarithm of the workers.
TEST(short_loops, reach_16_workers_within_12000_cycles) {
  const machine_of_test opterons("opteron-8380-4s");
  EXPECT_LT(opterons.overhead("loop", loop), 12'000);
  EXPECT_LT(opterons.overhead("reduction", reduction), 12'000);
  EXPECT_LT(opterons.overhead("tree", tree), 12'000);
}

TEST(short_loops, reach_112_workers_within_25000_cycles) {
  const machine_of_test xeons("xeon-8480plus-2s");
  ASSERT_EQ(xeons.workers(), 112);
  EXPECT_LT(xeons.overhead("loop", loop), 25'000);
  EXPECT_LT(xeons.overhead("reduction", reduction), 25'000);
  EXPECT_LT(xeons.overhead("tree", tree), 40'000);  // misses the bound of loops
}

TEST(short_loops, reach_192_workers_within_35000_cycles) {
  if (under_sanitizer) GTEST_SKIP() << "two machines are enough under a sanitizer";
  const machine_of_test epycs("epyc-9654-2s");
  ASSERT_EQ(epycs.workers(), 192);
  EXPECT_LT(epycs.overhead("loop", loop), 35'000);
}

// So the bounds above show that workers deal.
TEST(short_loops, take_much_longer_where_all_tasks_are_stolen) {
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest").overhead("loop", loop), 30'000);
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest").overhead("tree", tree), 20'000);
}

// Who ran what last time does so again, so that it finds its data in its cache.
TEST(short_loops, give_each_worker_the_same_positions_each_time) {
  skua::scheduler pool(
      {.policy = "nearest(deal=large)", .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  std::vector<std::size_t> last(16), now(16);
  const auto one = [&] {
    skua::parallel_for(0, 16, [&](int i) {
      now[static_cast<std::size_t>(i)] = static_cast<std::size_t>(skua::worker_index());
      skua::costs(work);
    });
  };
  pool.run([&] {
    for (int i = 0; i < 5; ++i) one();
    for (int i = 0; i < 5; ++i) {
      last = now;
      one();
      EXPECT_EQ(now, last);
    }
  });
}

}  // namespace
}  // namespace short_loops_test
