// Groups of a few tasks of some microseconds, one group after the other, on two workers. While a worker runs its own tasks, the
// other one finds some of them without a fence. Costs are declared, so each run gives the same numbers.
#include <cstdio>
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"

namespace group_of_medium_tasks_test {
namespace {

/// Cycles for each group over half of its work.
double over_ideal(int tasks, double cycles) {
  constexpr int groups = 60;
  skua::scheduler pool({.workers = 2, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  double us = 0;
  pool.run([&] {
    const double began = pool.simulated_so_far().seconds;
    for (int i = 0; i < groups; ++i) {
      skua::task_group group;
      for (int k = 0; k < tasks; ++k) group.run([cycles] { skua::costs(cycles); });
      group.wait();
    }
    us = 1e6 * (pool.simulated_so_far().seconds - began);
  });
  const double ideal_us = groups * tasks * cycles / 2 / 2500;  // at 2.5 GHz
  std::printf("  %d tasks of %.0f cycles: %.3f times the ideal\n", tasks, cycles, us / ideal_us);
  return us / ideal_us;
}

TEST(group_of_medium_tasks, of_8_us_takes_half_the_time_on_two_workers) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_LT(over_ideal(100, 20'000), 1.08);
  EXPECT_LT(over_ideal(10, 20'000), 1.2);
}

TEST(group_of_medium_tasks, of_a_microsecond_takes_half_the_time_on_two_workers) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_LT(over_ideal(100, 2'500), 1.3);
}

}  // namespace
}  // namespace group_of_medium_tasks_test
