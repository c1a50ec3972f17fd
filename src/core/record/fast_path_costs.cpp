#include "core/record/fast_path_costs.hpp"

#include <algorithm>

#include <skua/join.hpp>
#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "core/platform/platform.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/settings.hpp"

namespace skua::core {

namespace {

constexpr int tasks = 1000, rounds = 20;

template <class F>
double min_ns(F one_round) {
  double min = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t from = host_platform::real_now_ns();
    one_round();
    min = std::min(min, static_cast<double>(host_platform::real_now_ns() - from) / tasks);
  }
  return min;
}

void nothing() { asm volatile(""); }

fast_path_costs measure() {
  fast_path_costs found;
  const unreported only_measures;
  scheduler alone(
      {.workers = 1, .policy = "nearest", .topology = topology::synthetic("core:1 pu:1"), .bind = false});
  alone.run([&] {
    found.fork_ns = min_ns([] {
      for (int i = 0; i < tasks; ++i) join(nothing, nothing);
    });
    found.group_task_ns = min_ns([] {
      task_group group;
      for (int i = 0; i < tasks; ++i) group.run(nothing);
      group.wait();
    });
  });
  return found;
}

}  // namespace

const fast_path_costs& measured_fast_paths() {
  static const fast_path_costs found = [] {
    fast_path_costs costs;
    leave_simulated_machine([&] { costs = measure(); });
    return costs;
  }();
  return found;
}

}  // namespace skua::core
