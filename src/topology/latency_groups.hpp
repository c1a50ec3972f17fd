// Groups measured latencies. They never repeat to the nanosecond, so latencies that differ only by noise are one
// distance.
//
// In ascending order, a group begins with its smallest latency and contains all that are at most `slack` above it. So
// the latencies of a group differ by at most `slack`. Chains of small steps would not guarantee that.
#pragma once

#include <cstddef>
#include <vector>

namespace skua::detail {

/// The width of a group. Most measurements of one pair were within 14% (docs/distances.md lists the exceptions). The
/// steps from a shared cache to a die to a package are 50% and more.
inline constexpr double latency_slack = 0.15;

struct latency_group {
  double min, max;
  double middle;  // the median of its latencies
  std::size_t count;
};

/// The groups in ascending order. O(n log n).
std::vector<latency_group> latency_groups(std::vector<double> latencies);

/// The group that contains one of the grouped latencies.
const latency_group& group_of(const std::vector<latency_group>& groups, double latency);

}  // namespace skua::detail
