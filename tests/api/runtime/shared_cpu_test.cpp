// There are more workers than CPUs: a worker that looks for work gives its CPU to the worker that has work.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
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

// Repeats the comparison, because a single one says little on a busy machine.
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
  // The new process asks for its CPUs only after it has changed them.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(two_workers_on_one_cpu(seconds_of_loops, 1.7), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(two_workers_on_one_cpu(seconds_of_joins, 3), testing::ExitedWithCode(0), "");
}

long tree_of_groups(long leaves) {
  if (leaves == 1) return 1;
  long sums[10];
  skua::task_group group;
  for (long& sum : sums) group.run([&sum, leaves] { sum = tree_of_groups(leaves / 10); });
  group.wait();
  return std::accumulate(std::begin(sums), std::end(sums), 0L);
}

/// The median time of short calls with pauses between them, so that the other worker falls asleep.
double seconds_of_a_call(skua::scheduler& pool, void (*work)()) {
  std::vector<double> all;
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto begin = std::chrono::steady_clock::now();
    pool.run(work);
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::ranges::nth_element(all, all.begin() + 15);
  return all[15];
}

void move_all_threads_to_one_cpu() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task"))
    if (sched_setaffinity(std::stoi(thread.path().filename()), sizeof one, &one) != 0) std::_Exit(0);
}

// The system often wakes a worker on the CPU of the thread that wakes it, although another CPU is idle. The worker then
// counts as searching while it waits for that CPU.
void moved_to_one_cpu(void (*work)(), double allowed) {
  skua::scheduler alone({.workers = 1}), both({.workers = 2});
  seconds_of_a_call(alone, work), seconds_of_a_call(both, work);
  move_all_threads_to_one_cpu();
  double ratio = 100;
  for (patience left; left && ratio > allowed;) {
    const double single = seconds_of_a_call(alone, work);
    ratio = seconds_of_a_call(both, work) / single;
  }
  std::fprintf(stderr, "two workers that share a CPU unexpectedly take %.2f times as long as one\n", ratio);
  std::_Exit(ratio <= allowed ? 0 : 1);
}

TEST(shared_cpu, workers_that_the_system_puts_on_one_cpu_take_little_more_time) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "needs two CPUs";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(moved_to_one_cpu([] { tree_of_groups(10'000); }, 2.5), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(moved_to_one_cpu([] { fib(22); }, 2.5), testing::ExitedWithCode(0), "");
}

TEST(shared_cpu, thieves_of_a_long_queue_take_several_tasks) {
  const int workers = static_cast<int>(4 * std::thread::hardware_concurrency());
  skua::scheduler pool({.workers = workers});
  constexpr int tasks = 100'000;
  pool.run([&] {
    skua::task_group group;
    std::atomic<bool> full{false};
    for (int i = 1; i < workers; ++i)  // these tasks hold the other workers until the queue is long
      group.run([&] { until([&] { return full.load(); }, "a long queue", only_yield); });
    for (int i = 0; i < tasks; ++i) group.run([] {});
    full = true;
    group.wait();
  });
  EXPECT_LT(pool.report().total.steals, tasks / 8);
}

}  // namespace
}  // namespace shared_cpu_test
