// What the simulator itself costs when it measures leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"

namespace measured_speed_test {
namespace {

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

std::atomic<unsigned> sink;

// About 10000 cycles, which the leaf also declares.
void leaf(int position) {
  auto x = static_cast<unsigned>(position);
  for (int i = 0; i < 3000; ++i) x = x * 1664525u + 1013904223u;
  sink.fetch_add(x, std::memory_order_relaxed);
  skua::costs(10000);
}

/// The CPU time of the simulator for each of its steps, without the time of the leaves, which is a small part.
double seconds_a_step(bool measured) {
  skua::scheduler pool({.simulate = skua::simulation{.machine = "xeon-8480plus-2s", .measured = measured}});
  const double from = cpu_seconds();
  pool.run([] {
    for (int i = 0; i < 4; ++i) skua::parallel_for(0, 112, leaf);
  });
  return (cpu_seconds() - from) / static_cast<double>(pool.simulated().events);
}

// Nearly all steps belong to workers that wait for work. Where leaves are measured, no clock may be read there, and few steps
// switch to another worker. A longer leaf has more steps, so this compares the time of one. Medians of runs in turns, because
// the machine may be busy: the ratio is 0.5 to 0.7, and was 1.3 when each step read the clock.
TEST(measured_speed, a_step_takes_no_longer_than_with_declared_costs) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "a sanitizer changes both times";
  std::vector<double> ratios;
  for (int i = 0; i < 5; ++i) {
    const double declared = seconds_a_step(false);
    ratios.push_back(seconds_a_step(true) / declared);
  }
  std::ranges::sort(ratios);
  EXPECT_LT(ratios[2], 0.9);
}

// ---- loops of short positions

constexpr int positions = 10'000;

/// About 20 ns, and it declares its cost as well.
void short_position(int position) {
  auto x = static_cast<unsigned>(position);
  for (int i = 0; i < 15; ++i) x = x * 1664525u + 1013904223u;
  sink.store(x, std::memory_order_relaxed);
  skua::costs(50);
}

struct fine_loops {
  double seconds;        // of the simulator's CPU
  std::uint64_t leaves;  // that were measured
};

fine_loops run_fine_loops(bool measured) {
  constexpr int loops = 10;
  skua::scheduler pool({.simulate = skua::simulation{.machine = "opteron-8380-4s", .measured = measured}});
  const double from = cpu_seconds();
  pool.run([] {
    for (int i = 0; i < loops; ++i) skua::parallel_for(0, positions, short_position);
  });
  return {cpu_seconds() - from, pool.simulated().measured / loops};
}

// A chunk is measured as two leaves. There were two for each position when a declared cost divided a leaf.
TEST(measured_speed, positions_that_declare_costs_are_measured_by_the_chunk) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_LT(run_fine_loops(true).leaves, positions / 2);
}

// A short leaf must not seem long because the simulator has run before it. Then the loops would take longer in virtual time, and
// all workers would search meanwhile. The smallest of some ratios, because the machine may be busy: it is 0.6, and was 1.8.
TEST(measured_speed, fine_loops_take_less_than_twice_the_time_of_declared_costs) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer makes the leaves longer";
  std::vector<double> ratios;
  for (int i = 0; i < 7; ++i) {
    const double declared = run_fine_loops(false).seconds;
    ratios.push_back(run_fine_loops(true).seconds / declared);
  }
  const double smallest = std::ranges::min(ratios);
  std::printf("  measured and declared fine loops: ratio of the simulator's times %.2f\n", smallest);
  EXPECT_LT(smallest, 1.5);
}

/// Virtual cycles of a step of a worker that searches: one task computes, and all other workers search for less than their
/// park_after_us.
double cycles_of_searching_step(bool measured) {
  skua::scheduler pool({.simulate = skua::simulation{.machine = "xeon-8480plus-2s", .measured = measured}});
  pool.run([] {
    skua::join(
        [] {
          for (int i = 0; i < 10; ++i) leaf(i);
        },
        [] {});
  });
  const skua::simulation_report report = pool.simulated();
  return static_cast<double>(report.cycles) * static_cast<double>(pool.workers()) /
         static_cast<double>(report.events);
}

// The reads of a probe are one step where leaves are measured.
TEST(measured_speed, a_searching_worker_takes_fewer_steps) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const double measured = cycles_of_searching_step(true), declared = cycles_of_searching_step(false);
  std::printf("  cycles of a searching worker's step: measured %.0f, declared %.0f\n", measured, declared);
  EXPECT_GT(measured, 2 * declared);
}

}  // namespace
}  // namespace measured_speed_test
