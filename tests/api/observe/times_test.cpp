// The times of workers by activity, which the scheduler keeps, in real and in virtual time.
#include <chrono>
#include <cmath>
#include <skua/skua.hpp>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace times_test {
namespace {

using skua::activity;

void spin_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// Returns 0 for a report that was never made.
double share(const skua::report& of, activity what) {
  if (of.workers.empty()) return 0;
  return static_cast<double>(of.total_times.of(what)) /
         (of.seconds * 1e9 * static_cast<double>(of.workers.size()));
}

double attributed(const skua::report& of) {
  if (of.workers.empty()) return 0;
  return static_cast<double>(of.total_times.sum()) /
         (of.seconds * 1e9 * static_cast<double>(of.workers.size()));
}

TEST(times, are_kept_only_on_request) {
  skua::scheduler pool({.workers = 2});
  pool.run([] { skua::join([] {}, [] {}); });
  EXPECT_TRUE(pool.report().times.empty());
  EXPECT_EQ(pool.report().total_times.sum(), 0u);
}

TEST(times, everything_is_attributed) {
  skua::scheduler pool({.workers = 4, .keep_times = true});
  skua::report r;
  // This repeats, because a thread may be interrupted while its state is read.
  for (patience left; left && std::abs(attributed(r) - 1) > 0.02;) {
    pool.reset_report();
    pool.run([] { skua::parallel_for(0, 2000, [](int) { spin_for(std::chrono::microseconds(20)); }); });
    r = pool.report();
  }
  ASSERT_EQ(r.times.size(), 4u);
  EXPECT_GT(r.seconds, 0.01);
  EXPECT_NEAR(attributed(r), 1, 0.02);
}

TEST(times, of_a_program_that_only_computes_are_user_time) {
  skua::scheduler pool({.workers = 1, .keep_times = true});
  double users = 0;
  // This repeats, because this thread may be interrupted while it enters or leaves the scheduler.
  for (patience left; left && users <= 0.95;) {
    pool.reset_report();
    pool.run([] { skua::parallel_for(0, 100, [](int) { spin_for(std::chrono::microseconds(500)); }); });
    users = share(pool.report(), activity::user);
  }
  EXPECT_GT(users, 0.95);
}

TEST(times, of_idle_workers_are_sleep) {
  skua::scheduler pool({.workers = 3, .keep_times = true});
  skua::report r;
  // This repeats until the workers sleep and this thread is not interrupted while it enters or leaves the scheduler.
  for (patience left; left && (share(r, activity::asleep) <= 0.55 || share(r, activity::user) <= 0.3);) {
    pool.reset_report();
    pool.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(60)); });
    r = pool.report();
  }
  EXPECT_GT(share(r, activity::asleep), 0.55) << "two of three workers have no task";
  EXPECT_GT(share(r, activity::user), 0.3) << "the scheduler does not notice that a task sleeps";
}

TEST(times, of_forks_are_their_number_times_the_cost_of_one) {
  skua::scheduler pool({.workers = 1, .keep_times = true});
  const auto fib = [](auto& self, int n) -> long {
    if (n < 2) return n;
    const auto [a, b] = skua::join([&] { return self(self, n - 1); }, [&] { return self(self, n - 2); });
    return a + b;
  };
  // Under a sanitizer, the forked functions are instrumented and not optimised, and take most of the time.
  const double min = under_sanitizer ? 0.01 : 0.1;
  // Each run is short, so that some runs are not interrupted. The report multiplies the number of forks by the cost of one
  // fork. It does not measure the time of these forks.
  skua::report r;
  for (patience left; left && (share(r, activity::spawning) <= min || std::abs(attributed(r) - 1) > 0.02);) {
    pool.reset_report();
    pool.run([&] { return fib(fib, 23); });
    r = pool.report();
  }
  EXPECT_GT(share(r, activity::spawning), min) << "the program only forks";
  EXPECT_NEAR(attributed(r), 1, 0.02);
}

TEST(times, of_a_simulated_machine_are_virtual) {
  skua::scheduler pool(
      {.keep_times = true,
       .simulate = skua::simulation{.machine = "opteron-8380-4s", .level = skua::detail_level::lines}});
  pool.reset_report();
  pool.run([] { skua::parallel_for(0, 4096, [](int) { skua::costs(20'000); }); });
  const skua::report r = pool.report();
  EXPECT_NEAR(attributed(r), 1, 0.02);
  EXPECT_GT(share(r, activity::user), 0.8);
  EXPECT_NEAR(r.seconds, pool.simulated().seconds, 0.1 * r.seconds);
}

TEST(times, with_too_few_tasks_most_workers_look_and_sleep) {
  skua::scheduler pool(
      {.keep_times = true,
       .simulate = skua::simulation{.machine = "opteron-8380-4s", .level = skua::detail_level::lines}});
  pool.reset_report();
  pool.run([] { skua::join([] { skua::costs(10'000'000); }, [] { skua::costs(10'000'000); }); });
  const skua::report r = pool.report();
  EXPECT_LT(share(r, activity::user), 0.2) << "two of sixteen workers have tasks";
  EXPECT_GT(share(r, activity::asleep), 0.6);
  EXPECT_NEAR(attributed(r), 1, 0.02);
}

}  // namespace
}  // namespace times_test
