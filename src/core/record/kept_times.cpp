// How long each worker did what: from ticks to nanoseconds, with the forks that were counted and not timed.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/record/fast_path_costs.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

// Both clocks at the same moment: who loses the CPU between them is some milliseconds wrong, so the closest of some pairs.
scheduler_core::clock_reading scheduler_core::read_both_clocks() {
  clock_reading best{0, 0};
  std::uint64_t apart = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t from = host_platform::ticks();
    const std::int64_t ns = host_platform::now_ns();
    const std::uint64_t to = host_platform::ticks();
    if (to - from >= apart) continue;
    apart = to - from;
    best = {from + apart / 2, ns};
  }
  return best;
}

// From outside a simulated machine its clock shows when the last one left.
scheduler_core::clock_reading scheduler_core::read_clock() const {
  if (!simulated) return read_both_clocks();
  if (simulated.get() == current_simulated_machine())
    return {host_platform::ticks(), host_platform::now_ns()};
  const auto ns = static_cast<std::int64_t>(simulated->report().seconds * 1e9);
  return {static_cast<std::uint64_t>(ns), ns};
}

scheduler_core::clock_reading scheduler_core::began() const {
  const std::lock_guard lock(clock_guard_);
  return began_;
}

void scheduler_core::start_clock() {
  const std::lock_guard one_at_a_time(start_guard_);
  {
    const clock_reading now = read_clock();
    const std::lock_guard lock(clock_guard_);
    began_ = now;
  }
  for (auto& p : all_workers) {
    p->library_in_tasks_ps.clear();
    if (p->watch.on())
      p->watch.begin_anew(began_.ticks);
    else
      p->watch.start(activity::asleep, began_.ticks);
  }
  if (!recorded) return;
  recorded->clear(began_.ns);
  work_span->clear(began_.ticks);
  if (simulated) recorded->simulated_before(simulated->report());
}

namespace {

/// What forks and joins took in a task was the user's time until now.
void move_forks(worker_times& times, double ns) noexcept {
  std::uint64_t& user = times.ns[static_cast<std::size_t>(activity::user)];
  const auto moved = std::min(user, static_cast<std::uint64_t>(std::llround(ns)));
  user -= moved;
  times.ns[static_cast<std::size_t>(activity::spawning)] += moved;
}

/// In real time they are counted, since a clock at each would cost more than it.
double counted_forks_ns(const counters& c, const fast_path_costs& costs) noexcept {
  return static_cast<double>(c.forks) * costs.fork_ns +
         static_cast<double>(c.group_tasks) * costs.group_task_ns;
}

}  // namespace

double scheduler_core::ns_a_tick(const clock_reading& began, const clock_reading& now) noexcept {
  if (now.ticks <= began.ticks) return 0;
  return static_cast<double>(now.ns - began.ns) / static_cast<double>(now.ticks - began.ticks);
}

fast_path_costs scheduler_core::fast_paths() const {
  if (!simulated) return measured_fast_paths();
  return {simulated->fast_path_ns(fast_path::fork), simulated->fast_path_ns(fast_path::group_task)};
}

scheduler_core::kept_times scheduler_core::times() const {
  kept_times kept;
  if (!options.keep_times) return kept;
  const clock_reading now = read_clock();
  const clock_reading began = this->began();
  const double scale = ns_a_tick(began, now);
  const fast_path_costs costs = fast_paths();
  kept.seconds = static_cast<double>(now.ns - began.ns) * 1e-9;
  for (const auto& p : all_workers) {
    const observe::stopwatch::sums ticks = p->watch.read(now.ticks);
    worker_times& times = kept.workers.emplace_back();
    std::ranges::transform(ticks, times.ns.begin(), [&](std::uint64_t t) {
      return static_cast<std::uint64_t>(static_cast<double>(t) * scale);
    });
    move_forks(times, simulated ? static_cast<double>(p->library_in_tasks_ps.read()) * 1e-3
                                : counted_forks_ns(p->counters.read(), costs));
  }
  return kept;
}

}  // namespace skua::core
