// The memory of a simulated run is in proportion to its live tasks, and not to all tasks of the run.
#include <gtest/gtest.h>

#include <fstream>
#include <skua/skua.hpp>
#include <string>

#include "tests/support/sanitizers.hpp"

namespace simulated_memory_test {
namespace {

/// The memory of this process now, in MiB.
double resident_mib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

/// Runs four tasks for each position. Their groups and waits are in stack frames.
void run_groups(int positions) {
  skua::parallel_for(0, positions, [](int) {
    skua::task_group tasks;
    for (int i = 0; i < 4; ++i) tasks.run([] { skua::costs(200); });
    tasks.wait();
  });
}

TEST(simulated_memory, is_in_proportion_to_the_tasks_that_live) {
  skua::scheduler pool({.workers = 64,
                        .simulate = skua::simulation{.machine = "package:4 core:16 pu:1",
                                                     .level = skua::detail_level::lines}});
  constexpr int positions = under_sanitizer ? 10'000 : 30'000;
  const auto round = [] { run_groups(positions); };
  // The scheduler tries several ways to divide a loop (src/core/dealing/piece_trials.hpp). Each needs other stacks at a time, and
  // so do long loops.
  for (int i = 0; i < 20; ++i) pool.run([] { run_groups(3'000); });
  for (int i = 0; i < 10; ++i) pool.run(round);
  const double before = resident_mib();
  for (int i = 0; i < 9; ++i) pool.run(round);
  EXPECT_GE(pool.report().total.group_tasks, 40u * positions);
  const double bound =
      under_sanitizer ? 12.0 : 5.0;  // a sanitizer surrounds each allocation with memory of its own
  EXPECT_LT(resident_mib() - before, bound) << "MiB more for " << 36 * positions << " tasks";
}

}  // namespace
}  // namespace simulated_memory_test
