// Groups of measured latencies: latencies that differ only by noise count as one distance.
//
// The rule: in ascending order, a group begins with its minimum and contains all latencies that are at most `latency_slack`
// above it. So no two of a group differ by more than that, which chains of small steps would not ensure.
#pragma once

#include <cstddef>
#include <vector>

namespace skua::detail {

/// The range of one group. Most measurements of one pair were within 14% (docs/distances.md lists the exceptions); the steps
/// from a shared cache to a die to a package are 50% and more.
inline constexpr double latency_slack = 0.15;

struct latency_group {
  double min, max;
  double middle;  // the median of its latencies
  std::size_t count;
};

/// Ascending. O(n log n).
std::vector<latency_group> latency_groups(std::vector<double> latencies);

/// The group of one of those latencies.
const latency_group& group_of(const std::vector<latency_group>& groups, double latency);

}  // namespace skua::detail
