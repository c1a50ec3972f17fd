#include "report/page/timeline_shares.hpp"

#include <algorithm>
#include <cmath>

namespace skua::reports {

namespace {

std::vector<std::uint16_t> shares_of(const std::vector<worker_times>& intervals, std::size_t together,
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
    drawn.workers.push_back(shares_of(worker, together, timeline.interval_ns));
  return drawn;
}

}  // namespace skua::reports
