#include "report/page/chart_data.hpp"

#include <algorithm>
#include <cmath>

#include "report/summary.hpp"

namespace skua::reports {

namespace {

constexpr std::size_t max_points = 128;  // of a predicted curve

std::vector<predicted_speedup> predicted_of(const observe::work_span_record& work_span, std::size_t workers) {
  std::vector<predicted_speedup> curve;
  if (work_span.work_ns == 0 || work_span.span_ns == 0) return curve;
  const std::size_t step = (workers + max_points - 1) / max_points;
  const auto add = [&](std::size_t p) {
    const speedup_bounds bounds = bounds_of(work_span, p);
    curve.push_back({p, bounds.at_least, bounds.at_most});
  };
  for (std::size_t p = 1; p < workers; p += step) add(p);
  add(workers);
  return curve;
}

// The curve, relative to its own run on one worker, or to the baseline of this run.
std::vector<measured_speedup> measured_of(const observe::run_record& run) {
  double one = run.baseline ? run.baseline->seconds : 0;
  for (const observe::speedup_point& point : run.curve)
    if (point.workers == 1) one = point.seconds;
  std::vector<measured_speedup> points;
  if (one > 0)
    for (const observe::speedup_point& point : run.curve)
      if (point.seconds > 0) points.push_back({point.workers, one / point.seconds});
  const auto add = [&points](std::size_t workers, double speedup) {
    const bool there = std::ranges::any_of(points, [&](const auto& p) { return p.workers == workers; });
    if (!there && speedup > 0) points.push_back({workers, speedup});
  };
  const summary run_itself = summarise(run);
  add(run_itself.workers, run_itself.speedup);
  if (run_itself.speedup_measured) add(1, 1.0);
  std::ranges::sort(points, {}, &measured_speedup::workers);
  return points;
}

}  // namespace

speedups speedups_of(const observe::run_record& run) {
  speedups both{measured_of(run), {}};
  std::size_t workers = 2 * run.workers.size();
  for (const measured_speedup& point : both.measured) workers = std::max(workers, point.workers);
  if (run.work_span) both.predicted = predicted_of(*run.work_span, workers);
  return both;
}

namespace {

std::vector<std::uint16_t> shares_of_worker(const std::vector<worker_times>& intervals, std::size_t together,
                                            std::uint64_t interval_ns) {
  std::vector<std::uint16_t> shares;
  for (std::size_t first = 0; first < intervals.size(); first += together) {
    worker_times sum;
    const std::size_t end = std::min(first + together, intervals.size());
    for (std::size_t i = first; i < end; ++i) sum += intervals[i];
    for (const std::uint64_t ns : sum.ns) {
      const double share = static_cast<double>(ns) / static_cast<double>(interval_ns * together);
      shares.push_back(static_cast<std::uint16_t>(std::lround(1000 * std::min(share, 1.0))));
    }
  }
  return shares;
}

}  // namespace

timeline_shares shares_of(const observe::timeline_record& timeline, std::size_t max) {
  timeline_shares drawn;
  std::size_t intervals = 0;
  for (const auto& worker : timeline.workers) intervals = std::max(intervals, worker.size());
  if (intervals == 0 || timeline.interval_ns == 0) return drawn;
  const std::size_t together = (intervals + max - 1) / max;
  drawn.interval_ns = timeline.interval_ns * together;
  for (const auto& worker : timeline.workers)
    drawn.workers.push_back(shares_of_worker(worker, together, timeline.interval_ns));
  return drawn;
}

}  // namespace skua::reports
