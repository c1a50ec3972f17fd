#include "core/record/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include <skua/join.hpp>
#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include "base/made_once.hpp"
#include "core/record/call_row.hpp"
#include "core/scheduler_core.hpp"
#include "core/start/settings.hpp"
#include "core/work_span/work_span.hpp"

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

template <class F>
double on_one_worker(bool with_report, F measure) {
  const unreported only_measures;
  scheduler alone({.workers = 1,
                   .policy = "nearest",
                   .topology = topology::synthetic("core:1 pu:1"),
                   .bind = false,
                   .keep_report = with_report});
  return alone.run(measure);
}

scheduler_options alone(bool with_report) {
  return {.workers = 1,
          .policy = "nearest",
          .topology = topology::synthetic("core:1 pu:1"),
          .bind = false,
          .keep_times = true,
          .keep_report = with_report};
}

// Where a thread may not keep its worker, a call takes much longer, and no calls are counted.
double call_ns(bool with_report) {
  constexpr double max_ns = 200;
  const unreported only_measures;
  scheduler pool(alone(with_report));
  const double ns = min_ns([&] {
    for (int i = 0; i < tasks; ++i) pool.run(nothing);
  });
  return std::min(ns, max_ns);
}

// Without a report: with one, a fork in a task of forks takes little longer, but a join by itself also reads clocks.
double fork_ns() {
  return on_one_worker(false, [] {
    return min_ns([] {
      for (int i = 0; i < tasks; ++i) join(nothing, nothing);
    });
  });
}

double group_task_ns(bool with_report) {
  return on_one_worker(with_report, [] {
    return min_ns([] {
      task_group group;
      for (int i = 0; i < tasks; ++i) group.run(nothing);
      group.wait();
    });
  });
}

}  // namespace

const fast_path_costs& measured_fast_paths(bool with_report) {
  static constinit base::made_once<const fast_path_costs> found[2];
  return found[with_report].get([=] {
    fast_path_costs costs;
    leave_simulated_machine([&] { costs = {fork_ns(), group_task_ns(with_report), call_ns(with_report)}; });
    return costs;
  });
}

// Both clocks at the same moment. A thread that loses the CPU between them is wrong by milliseconds, so this takes the
// closest of several pairs.
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

// Seen from outside, a simulated machine's clock shows the time when the last thread left.
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
  end_rows(*this);
  const std::lock_guard one_at_a_time(start_guard_);
  {
    const clock_reading now = read_clock();
    const std::lock_guard lock(clock_guard_);
    began_ = now;
  }
  for (auto& p : all_workers) {
    p->observer.library_in_tasks_ps.clear();
    p->observer.kept_calls.clear();
    if (p->observer.watch.on()) {
      p->observer.watch.begin_anew(began_.ticks);
      continue;
    }
    // Ticks count from an earlier moment, such as the machine's boot.
    if (p->observer.log) p->observer.log->timeline.clear(began_.ticks);
    p->observer.watch.start(activity::asleep, began_.ticks);
  }
  if (!recorded) return;
  recorded->clear(began_.ns);
  work_span->clear(began_.ticks);
  if (simulated) recorded->simulated_before(simulated->report());
}

namespace {

/// Until here, user time includes the time of forks and joins in tasks.
void move_forks(worker_times& times, double ns) noexcept {
  std::uint64_t& user = times.ns[static_cast<std::size_t>(activity::user)];
  const auto moved = std::min(user, static_cast<std::uint64_t>(std::llround(ns)));
  user -= moved;
  times.ns[static_cast<std::size_t>(activity::spawning)] += moved;
}

/// In real time they are counted, because reading a clock at each fork would cost more than the fork.
double counted_forks_ns(const worker_observer& of, const fast_path_costs& costs) noexcept {
  const counters c = of.counters.read();
  return static_cast<double>(c.forks) * costs.fork_ns +
         static_cast<double>(c.group_tasks) * costs.group_task_ns +
         static_cast<double>(of.kept_calls.read()) * costs.call_ns;
}

}  // namespace

double scheduler_core::ns_a_tick(const clock_reading& began, const clock_reading& now) noexcept {
  if (now.ticks <= began.ticks) return 0;
  return static_cast<double>(now.ns - began.ns) / static_cast<double>(now.ticks - began.ticks);
}

fast_path_costs scheduler_core::fast_paths() const {
  if (!simulated) return measured_fast_paths(options.keep_report);
  const machine_facts facts = simulated->facts();
  return {facts.fork_ns, facts.group_task_ns, 0};
}

scheduler_core::kept_times scheduler_core::times() const {
  kept_times kept;
  if (!options.keep_times) return kept;
  end_rows(*this);
  const clock_reading now = read_clock();
  const clock_reading began = this->began();
  const double scale = ns_a_tick(began, now);
  const fast_path_costs costs = fast_paths();
  kept.seconds = static_cast<double>(now.ns - began.ns) * 1e-9;
  for (const auto& p : all_workers) {
    const observe::stopwatch::sums ticks = p->observer.watch.read(now.ticks);
    worker_times& times = kept.workers.emplace_back();
    std::ranges::transform(ticks, times.ns.begin(), [&](std::uint64_t t) {
      return static_cast<std::uint64_t>(static_cast<double>(t) * scale);
    });
    move_forks(times, simulated ? static_cast<double>(p->observer.library_in_tasks_ps.read()) * 1e-3
                                : counted_forks_ns(p->observer, costs));
  }
  return kept;
}

}  // namespace skua::core
