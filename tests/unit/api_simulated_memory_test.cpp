// A simulated run's memory is in proportion to the tasks that live, not to all there have been.
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <skua/skua.hpp>
#include <string>

namespace {

/// The memory of this process now, in MiB.
double resident_mib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

long forks(int n) {
  if (n < 2) return skua::costs(30), n;
  const auto [a, b] = skua::join([n] { return forks(n - 1); }, [n] { return forks(n - 2); });
  return a + b;
}

/// Some 10,000 tasks: of joins, groups in groups, and loops, whose waits and groups lie in frames.
void round() {
  forks(16);
  skua::parallel_for(0, 64, [](int) {
    skua::task_group tasks;
    for (int i = 0; i < 60; ++i) tasks.run([] { skua::costs(200); });
    tasks.wait();
  });
  skua::mutex m;
  skua::parallel_for(0, 40, [&](int) {
    const std::lock_guard lock(m);
    skua::costs(100);
  });
}

TEST(simulated_memory, is_in_proportion_to_the_tasks_that_live) {
  skua::scheduler pool({.workers = 64,
                        .simulate = skua::simulation{.machine = "package:4 core:16 pu:1",
                                                     .level = skua::detail_level::lines}});
  const auto tasks = [&] {
    const skua::counters all = pool.report().total;
    return all.forks + all.group_tasks;
  };
  const auto run_tasks = [&](std::uint64_t until) {
    while (tasks() < until) pool.run([] { round(); });
  };
  run_tasks(100'000);
  const double before = resident_mib();
  run_tasks(2'000'000);
  EXPECT_LT(resident_mib() - before, 2.0) << "MiB more after 20 times the tasks";
}

}  // namespace
