#include "report/prediction.hpp"

#include <algorithm>
#include <set>

#include "report/summary.hpp"

namespace skua::reports {

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
