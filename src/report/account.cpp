#include "report/account.hpp"

#include <algorithm>

#include "report/data_time.hpp"
#include "report/idle_time.hpp"
#include "report/summary.hpp"

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

/// The first division of a run's time, in nanoseconds of all workers.
struct rough_division {
  double own = 0, library = 0, idle = 0;
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
  return outside + library + idle() + remote_data + memory + blocked + waiting_for_cpu;
}

account account_of(const observe::run_record& run) {
  const summary s = summarise(run);
  const auto workers = static_cast<double>(s.workers);
  const double all_ns = workers * (s.seconds + s.outside_seconds) * 1e9;
  account a;
  if (all_ns <= 0) return a;

  rough_division parts = rough_division_of(run, s);
  const double before = parts.own + parts.library + parts.idle;
  kernel_time kernel = kernel_time_of(run);
  kernel.blocked_ns = std::min(kernel.blocked_ns, parts.own);
  parts.own -= kernel.blocked_ns;
  // The time without a CPU is included in whatever activity the thread was in when it lost its CPU.
  const double awake = parts.own + parts.library + parts.idle;
  const double kept = awake > 0 ? 1 - std::min(1.0, kernel.waiting_ns / awake) : 1;
  a.waiting_for_cpu = awake * (1 - kept) / all_ns;
  a.blocked = kernel.blocked_ns / all_ns;

  const data_time data = split_data_time(run, s.work_inflation);
  const double own = parts.own * kept / all_ns;
  a.remote_data = own * data.remote;
  a.memory = own * data.saturated;
  a.useful = own - a.remote_data - a.memory + s.outside_seconds * 1e9 / all_ns;
  a.outside = (workers - 1) * s.outside_seconds * 1e9 / all_ns;
  a.library = parts.library * kept / all_ns;

  const idle_reasons reasons = explain_idle_time(run, parts.idle * kept);
  const double idle = parts.idle * kept / all_ns;
  a.few_parts = idle * reasons.few_parts;
  a.small_parts = idle * reasons.small_parts;
  a.long_tasks = idle * reasons.long_tasks;
  a.unattributed = 1 - before / all_ns - workers * s.outside_seconds * 1e9 / all_ns;
  return a;
}

}  // namespace skua::reports
