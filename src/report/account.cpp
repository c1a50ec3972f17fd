#include "report/account.hpp"

#include <algorithm>
#include <utility>

#include "report/lost_time.hpp"
#include "report/summary.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

namespace {

struct kernel_time {
  double blocked_ns = 0, waiting_ns = 0;
};

/// If the kernel has no times of the threads, the time that other processes had on CPUs that were needed stands in.
kernel_time kernel_time_of(const observe::run_record& run) {
  kernel_time all;
  bool known = run.machine.simulated;
  for (const observe::worker_record& worker : run.workers) {
    if (!worker.kernel) continue;
    known = true;
    all.blocked_ns += static_cast<double>(worker.kernel->blocked_ns);
    all.waiting_ns += static_cast<double>(worker.kernel->waiting_ns);
  }
  if (!known && run.machine.pus > 0) {
    const double spare =
        std::max(0.0, static_cast<double>(run.machine.pus) - static_cast<double>(run.workers.size()));
    all.waiting_ns = 1e9 * std::max(0.0, run.other_cpu_seconds - spare * run.seconds);
  }
  return all;
}

/// How much of each kind of time the waits for mutexes took, in nanoseconds of all workers.
struct lock_time {
  double own = 0, library = 0, idle = 0;
  double slowed = 0;  // work that the moves of locked mutexes and of their data make slower, at most
};

lock_time lock_time_of(const observe::run_record& run) {
  lock_time all;
  double in_line = 0;
  for (const observe::lock_record& one : run.locks) {
    all.own += static_cast<double>(one.spun_ns);
    all.idle += static_cast<double>(one.waited_ns);
    in_line += static_cast<double>(one.in_line);
    // A simulated machine counts the moves of lines as the time of data.
    if (run.simulated) continue;
    all.own += thresholds::locked_call_ns * static_cast<double>(one.times);
    all.slowed +=
        (thresholds::most_of_locked_call_ns - thresholds::locked_call_ns) * static_cast<double>(one.times);
  }
  const worker_times times = run.total_times();
  const auto suspensions = static_cast<double>(run.total_counts().suspensions);
  if (suspensions > 0)
    all.library = std::min(1.0, in_line / suspensions) *
                  static_cast<double>(times.of(activity::suspending) + times.of(activity::resuming));
  return all;
}

/// The first division of a run's time, in nanoseconds of all workers.
struct rough_division {
  double own = 0, library = 0, idle = 0;

  double sum() const { return own + library + idle; }
  /// Subtracts the waits for mutexes, as far as they cost time: workers may have run other tasks meanwhile. Returns how much.
  double take_out(const lock_time& locks) {
    const double before = sum();
    own -= std::min(own, locks.own);
    library -= std::min(library, locks.library);
    idle -= std::min(idle, locks.idle);
    return before - sum();
  }
};

rough_division rough_division_of(const observe::run_record& run, const summary& s) {
  const worker_times times = run.total_times();
  const auto ns = [&times](activity what) { return static_cast<double>(times.of(what)); };
  rough_division parts;
  parts.own = ns(activity::user);
  parts.library = ns(activity::spawning) + ns(activity::own_queue) + ns(activity::taking) +
                  ns(activity::suspending) + ns(activity::resuming) +
                  ns(activity::claiming) * (1 - s.miss_share);
  // A worker without work looks, fails to claim, pauses and sleeps. The time outside of skua is counted elsewhere.
  const double idle = ns(activity::looking) + ns(activity::waiting) + ns(activity::asleep) +
                      ns(activity::claiming) * s.miss_share;
  parts.idle = std::max(0.0, idle - static_cast<double>(s.workers) * s.outside_seconds * 1e9);
  return parts;
}

}  // namespace

double account::lost() const noexcept {
  return outside + library + idle() + remote_data + memory + slower + locks + blocked + waiting_for_cpu;
}

account account_of(const observe::run_record& run) {
  const summary s = summarise(run);
  const auto workers = static_cast<double>(s.workers);
  const double all_ns = workers * (s.seconds + s.outside_seconds) * 1e9;
  account a;
  if (all_ns <= 0) return a;

  rough_division parts = rough_division_of(run, s);
  const double before = parts.sum(), own_before = parts.own;
  kernel_time kernel = kernel_time_of(run);
  kernel.blocked_ns = std::min(kernel.blocked_ns, parts.own);
  parts.own -= kernel.blocked_ns;
  // The time without a CPU is included in whatever activity the thread was in when it lost its CPU.
  const double awake = parts.sum();
  const double kept = awake > 0 ? 1 - std::min(1.0, kernel.waiting_ns / awake) : 1;
  a.waiting_for_cpu = awake * (1 - kept) / all_ns;
  a.blocked = kernel.blocked_ns / all_ns;
  const lock_time locks = lock_time_of(run);
  a.locks = parts.take_out(locks) * kept / all_ns;

  // Time that is lost in another way did not make the work slower, so it does not count as inflation.
  const double computed = own_before > 0 ? parts.own * kept / own_before : 1;
  const data_time data = split_data_time(run, s.work_inflation * computed);
  const double own = parts.own * kept / all_ns;
  a.remote_data = own * data.remote;
  a.memory = own * data.saturated;
  const double slowed_by_locks = std::min(own * data.slower, locks.slowed * kept / all_ns);
  a.slower = own * data.slower - slowed_by_locks;
  a.useful = own - a.remote_data - a.memory - a.slower - slowed_by_locks + s.outside_seconds * 1e9 / all_ns;
  a.locks += slowed_by_locks;
  a.outside = (workers - 1) * s.outside_seconds * 1e9 / all_ns;
  a.library = parts.library * kept / all_ns;

  const idle_reasons reasons = explain_idle_time(run, parts.idle * kept);
  const double idle = parts.idle * kept / all_ns;
  a.few_parts = idle * reasons.few_parts;
  a.small_parts = idle * reasons.small_parts;
  a.long_tasks = idle * reasons.long_tasks;
  // A thread that adds tiny tasks to a group is outside of skua while it makes them.
  if (made_as_slowly_as_run(run) &&
      s.outside_seconds * 1e9 < thresholds::tiny_task_ns * static_cast<double>(run.work_span->group_tasks))
    a.small_parts += std::exchange(a.outside, 0);
  a.unattributed = 1 - before / all_ns - workers * s.outside_seconds * 1e9 / all_ns;
  return a;
}

}  // namespace skua::reports
