#include "report/summary.hpp"

#include <algorithm>

namespace skua::reports {

namespace {

double quotient(double of, double by) { return by > 0 ? of / by : 0; }

double seconds_of(const observe::run_record& run) {
  return run.inside_seconds > 0 ? run.inside_seconds : run.seconds;
}

/// How many times longer the same work took than on one worker, which forks, too, and takes its own tasks, but meets nobody.
/// What that takes there is not known. So the program's own code alone says by how much it is slower, and that with forks only
/// that it is not.
double inflation(double user, double user_and_forks, double one_worker) {
  const double min = quotient(user, one_worker);
  return min > 1 ? min : std::min(1.0, quotient(user_and_forks, one_worker));
}

/// The part of the time that workers did not sleep for in which they ran: not blocked in the program's code, and on a CPU.
double running_part(const observe::run_record& run) {
  const worker_times times = run.total_times();
  const auto awake = static_cast<double>(times.sum() - times.of(activity::asleep));
  double stood = 0;
  for (const observe::worker_record& worker : run.workers)
    if (worker.kernel) stood += static_cast<double>(worker.kernel->blocked_ns + worker.kernel->waiting_ns);
  return awake > 0 ? 1 - std::min(1.0, stood / awake) : 1;
}

/// What one run of the program took; a record may be of several.
double seconds_of_one_run(const observe::run_record& run) {
  const double beside = run.baseline ? run.baseline->parallel_seconds : 0;
  return beside > 0 ? beside : seconds_of(run);
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
    const double runs = quotient(one_run, inside_ns);  // of what the record has, in seconds a nanosecond
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
