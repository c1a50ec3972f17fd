#include "report/summary.hpp"

#include <algorithm>
#include <set>

namespace skua::reports {

namespace {

double quotient(double of, double by) { return by > 0 ? of / by : 0; }

/// The longest time for which one worker ran tasks and the library.
double longest_busy_seconds(const observe::run_record& run) {
  std::uint64_t longest_ns = 0;
  for (const observe::worker_record& worker : run.workers) {
    const worker_times& times = worker.times;
    const std::uint64_t idle = times.of(activity::looking) + times.of(activity::claiming) +
                               times.of(activity::waiting) + times.of(activity::asleep);
    longest_ns = std::max(longest_ns, times.sum() - idle);
  }
  return std::min(run.seconds, static_cast<double>(longest_ns) * 1e-9);
}

/// How many times longer the same work took than on one worker. That worker also forks and takes its own tasks, but meets no
/// other worker, and the time of its forks is not known. So user time alone gives a factor above 1, and user time with
/// forks only shows that there is none.
double inflation(double user, double user_and_forks, double one_worker) {
  const double min = quotient(user, one_worker);
  return min > 1 ? min : std::min(1.0, quotient(user_and_forks, one_worker));
}

/// The user time in which workers ran: on a CPU, and not blocked in the program's code.
double running_user_ns(const observe::run_record& run) {
  double ran = 0;
  for (const observe::worker_record& worker : run.workers) {
    const auto user = static_cast<double>(worker.times.of(activity::user));
    const auto awake = static_cast<double>(worker.times.sum() - worker.times.of(activity::asleep));
    if (!worker.kernel || awake <= 0) {
      ran += user;
      continue;
    }
    const auto stopped = static_cast<double>(worker.kernel->blocked_ns + worker.kernel->waiting_ns);
    // A worker that is woken waits for a CPU too, and counts as asleep until it runs. So it ran at least as long as the kernel
    // says.
    const double on_cpu = std::min(1.0, static_cast<double>(worker.kernel->on_cpu_ns) / awake);
    ran += user * std::max(1 - stopped / awake, on_cpu);
  }
  return ran;
}

/// The time of one run of the program; a record may cover several.
double seconds_of_one_run(const observe::run_record& run) {
  const double measured = run.baseline ? run.baseline->parallel_seconds : 0;
  return measured > 0 ? measured : seconds_inside(run);
}

/// Records of skua's first versions have no distances of pairs.
bool has_distances(const observe::run_record& run) {
  return std::ranges::all_of(run.pairs,
                             [](const observe::pair_record& pair) { return pair.distance.has_value(); });
}

}  // namespace

double seconds_inside(const observe::run_record& run) {
  if (run.inside_seconds <= 0) return run.seconds;
  // The clocks of workers differ a little from that of the calls.
  constexpr double clearly = 1.05;
  const double busy = longest_busy_seconds(run);
  return busy > clearly * run.inside_seconds ? busy : run.inside_seconds;
}

summary summarise(const observe::run_record& run) {
  summary s;
  const worker_times times = run.total_times();
  const counters counts = run.total_counts();
  const auto ns = [&times](activity what) { return static_cast<double>(times.of(what)); };
  s.workers = run.workers.size();
  s.seconds = seconds_inside(run);
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
    s.speedup = quotient(running_user_ns(run), inside_ns);
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

std::vector<distance_row> distances_of(const observe::run_record& run) {
  const counters counts = run.total_counts();
  const std::vector<std::string>& names = run.machine.distance_names;
  const bool known = has_distances(run);
  std::vector<distance_row> rows;
  for (std::size_t level = 0; level < counts.steals_by_distance.size(); ++level) {
    const std::uint64_t steals = counts.steals_by_distance[level];
    distance_row& row = rows.emplace_back(distance_row{
        .name = level < names.size() ? names[level] : "level " + std::to_string(level), .steals = steals});
    if (counts.steals) row.share = static_cast<double>(steals) / static_cast<double>(counts.steals);
    if (known) row.bytes = 0;
  }
  if (known)
    for (const observe::pair_record& pair : run.pairs)
      if (*pair.distance < rows.size()) *rows[*pair.distance].bytes += pair.bytes;
  return rows;
}

namespace {

std::set<std::size_t> numbers_of_workers(const observe::run_record& run) {
  const std::size_t have = std::max<std::size_t>(1, run.workers.size());
  std::set<std::size_t> numbers = {have, 2 * have};
  for (std::size_t p = 1; p < 2 * have; p += p < 16 ? 1 : p / 3) numbers.insert(p);
  for (const observe::speedup_point& point : run.curve) numbers.insert(point.workers);
  numbers.erase(0);
  return numbers;
}

/// Seconds on one worker, if they were measured.
double seconds_on_one(const observe::run_record& run) {
  for (const observe::speedup_point& point : run.curve)
    if (point.workers == 1) return point.seconds;
  return 0;
}

std::optional<double> measured_with(const observe::run_record& run, std::size_t workers) {
  const double one = seconds_on_one(run);
  for (const observe::speedup_point& point : run.curve)
    if (one > 0 && point.workers == workers && point.seconds > 0) return one / point.seconds;
  if (run.baseline && workers == 1) return 1;
  if (run.baseline && workers == run.workers.size()) return summarise(run).speedup;
  return std::nullopt;
}

/// How many times longer the same work takes than on one worker, because of caches and memories. It is known for the run's
/// own number of workers; it is assumed to grow evenly up to that number and to be constant beyond it.
double inflation_with(const observe::run_record& run, std::size_t workers) {
  const double all = run.baseline ? std::max(1.0, summarise(run).work_inflation) : 1;
  if (workers >= run.workers.size() || run.workers.size() < 2) return all;
  return 1 + (all - 1) * static_cast<double>(workers - 1) / static_cast<double>(run.workers.size() - 1);
}

}  // namespace

speedup_bounds bounds_of(const observe::work_span_record& work_span, std::size_t workers) {
  const auto p = static_cast<double>(workers), span = static_cast<double>(work_span.span_ns);
  const double work = std::max(span, static_cast<double>(work_span.work_ns));
  const double burdened = std::clamp(static_cast<double>(work_span.burdened_span_ns), span, work);
  return {.at_least = work / ((work - burdened) / p + burdened), .at_most = work / std::max(work / p, span)};
}

std::vector<predicted_speedup> predict(const observe::run_record& run) {
  std::vector<predicted_speedup> all;
  if (!run.work_span || run.work_span->span_ns == 0) return all;
  for (const std::size_t workers : numbers_of_workers(run)) {
    const speedup_bounds bounds = bounds_of(*run.work_span, workers);
    all.push_back({workers, bounds.at_least / inflation_with(run, workers), bounds.at_most,
                   measured_with(run, workers)});
  }
  return all;
}

}  // namespace skua::reports
