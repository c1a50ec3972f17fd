// More workers than CPUs: one that looks for work gives its CPU to the one that has it.
#include <sched.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/until.hpp"

namespace shared_cpu_test {
namespace {

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

/// The CPU time of trees of joins.
double seconds_of_joins(skua::scheduler& pool) {
  const double before = cpu_seconds();
  pool.run([] {
    for (int i = 0; i < 100; ++i) fib(20);
  });
  return cpu_seconds() - before;
}

/// The CPU time of short loops.
double seconds_of_loops(skua::scheduler& pool) {
  std::vector<double> values(1000, 1.0);
  const double before = cpu_seconds();
  pool.run([&] {
    for (int i = 0; i < 5000; ++i)
      skua::parallel_for(std::size_t{0}, values.size(),
                         [&](std::size_t at) { values[at] = values[at] * 0.5 + 1; });
  });
  return cpu_seconds() - before;
}

// In the end: on a busy machine a single comparison says little.
void two_workers_on_one_cpu(double (*seconds_of)(skua::scheduler&), double allowed) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) std::_Exit(0);
  skua::scheduler alone({.workers = 1}), both({.workers = 2});
  double ratio = 100;
  for (patience left; left && ratio > allowed;) {
    const double single = seconds_of(alone);
    ratio = seconds_of(both) / single;
  }
  std::fprintf(stderr, "two workers on one CPU take %.2f times as long as one\n", ratio);
  std::_Exit(ratio <= allowed ? 0 : 1);
}

TEST(shared_cpu, two_workers_on_one_cpu_take_little_more_time_than_one) {
  testing::FLAGS_gtest_death_test_style =
      "threadsafe";  // a process that asks for the CPUs only after the change
  EXPECT_EXIT(two_workers_on_one_cpu(seconds_of_loops, 1.7), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(two_workers_on_one_cpu(seconds_of_joins, 3), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace shared_cpu_test
