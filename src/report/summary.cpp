#include "report/summary.hpp"

#include <algorithm>

namespace skua::reports {

namespace {

double quotient(double of, double by) { return by > 0 ? of / by : 0; }

double seconds_of(const observe::run_record& run) {
  return run.inside_seconds > 0 ? run.inside_seconds : run.seconds;
}

/// How many times longer the same work took than on one worker. That worker also forks and takes its own tasks, but meets no
/// other worker, and the time of its forks is not known. So user time alone gives a factor above 1, and user time with
/// forks only shows that there is none.
double inflation(double user, double user_and_forks, double one_worker) {
  const double min = quotient(user, one_worker);
  return min > 1 ? min : std::min(1.0, quotient(user_and_forks, one_worker));
}

/// The part of the workers' time awake in which they ran: on a CPU, and not blocked in the program's code.
double running_part(const observe::run_record& run) {
  const worker_times times = run.total_times();
  const auto awake = static_cast<double>(times.sum() - times.of(activity::asleep));
  double stopped = 0;
  for (const observe::worker_record& worker : run.workers)
    if (worker.kernel) stopped += static_cast<double>(worker.kernel->blocked_ns + worker.kernel->waiting_ns);
  return awake > 0 ? 1 - std::min(1.0, stopped / awake) : 1;
}

/// The time of one run of the program; a record may cover several.
double seconds_of_one_run(const observe::run_record& run) {
  const double measured = run.baseline ? run.baseline->parallel_seconds : 0;
  return measured > 0 ? measured : seconds_of(run);
}

}  // namespace

summary summarise(const observe::run_record& run) {
  summary s;
  const worker_times times = run.total_times();
  const counters counts = run.total_counts();
  const auto ns = [&times](activity what) { return static_cast<double>(times.of(what)); };
  s.workers = run.workers.size();
  s.seconds = seconds_of(run);
  s.outside_seconds = std::max(0.0, run.seconds - s.seconds);

  const double own_ns = ns(activity::user) + ns(activity::spawning) + ns(activity::own_queue);
  const double inside_ns = s.seconds * 1e9;
  if (run.baseline && run.baseline->seconds > 0) {
    const double one_run = seconds_of_one_run(run);
    s.speedup = quotient(run.baseline->seconds, one_run);
    s.speedup_measured = true;
    const double runs = quotient(one_run, inside_ns);  // of the record's runs, in seconds per nanosecond
    s.work_inflation = inflation(ns(activity::user) * runs, own_ns * runs, run.baseline->seconds);
  } else {
    s.speedup = quotient(ns(activity::user) * running_part(run), inside_ns);
  }
  s.efficiency = quotient(s.speedup, static_cast<double>(s.workers));

  const auto all = static_cast<double>(times.sum());
  for (std::size_t i = 0; i < activity_count; ++i)
    s.share[i] = quotient(static_cast<double>(times.ns[i]), all);
  s.library = quotient(all - ns(activity::user) - ns(activity::asleep), all);
  s.unattributed = run.seconds > 0 ? 1 - all / (static_cast<double>(s.workers) * run.seconds * 1e9) : 0;
  s.remote_share = quotient(static_cast<double>(counts.remote_steals), static_cast<double>(counts.steals));
  s.miss_share = quotient(static_cast<double>(counts.steal_misses), static_cast<double>(counts.attempts));
  return s;
}

}  // namespace skua::reports
