// How long each worker did what: from ticks to nanoseconds, with the forks that were counted and not timed.
#include <algorithm>
#include <cmath>

#include "core/fast_path_costs.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

// From outside a simulated machine its clock shows when the last one left.
scheduler_core::clock_reading scheduler_core::read_clock() const {
  if (!simulated || simulated.get() == current_world())
    return {host_platform::ticks(), host_platform::now_ns()};
  const auto ns = static_cast<std::int64_t>(simulated->report().seconds * 1e9);
  return {static_cast<std::uint64_t>(ns), ns};
}

void scheduler_core::start_clock() noexcept {
  began_ = read_clock();
  for (auto& p : places) {
    if (p->watch.on())
      p->watch.clear(began_.ticks);
    else
      p->watch.start(doing::asleep, began_.ticks);
  }
}

namespace {

/// What was counted and not timed was the user's time until now.
void move_forks(worker_times& times, double ns) noexcept {
  std::uint64_t& user = times.ns[static_cast<std::size_t>(doing::user)];
  const auto moved = std::min(user, static_cast<std::uint64_t>(std::llround(ns)));
  user -= moved;
  times.ns[static_cast<std::size_t>(doing::spawning)] += moved;
}

}  // namespace

scheduler_core::kept_times scheduler_core::times() const {
  kept_times kept;
  if (!options.keep_times) return kept;
  const clock_reading now = read_clock();
  const auto passed_ns = static_cast<double>(now.ns - began_.ns);
  const double ns_a_tick =
      now.ticks > began_.ticks ? passed_ns / static_cast<double>(now.ticks - began_.ticks) : 0;
  const fast_path_costs costs = simulated ? fast_path_costs{simulated->fast_path_ns(fast_path::fork),
                                                            simulated->fast_path_ns(fast_path::group_task)}
                                          : measured_fast_paths();
  kept.seconds = passed_ns * 1e-9;
  for (const auto& p : places) {
    const observe::stopwatch::sums ticks = p->watch.read(now.ticks);
    worker_times& times = kept.workers.emplace_back();
    std::ranges::transform(ticks, times.ns.begin(), [&](std::uint64_t t) {
      return static_cast<std::uint64_t>(static_cast<double>(t) * ns_a_tick);
    });
    const counters c = p->counters.read();
    move_forks(times, static_cast<double>(c.forks) * costs.fork_ns +
                          static_cast<double>(c.group_tasks) * costs.group_task_ns);
  }
  return kept;
}

}  // namespace skua::core
