#include "topology/latency_groups.hpp"

#include <algorithm>
#include <iterator>

namespace skua::detail {

std::vector<latency_group> latency_groups(std::vector<double> latencies) {
  std::ranges::sort(latencies);
  std::vector<latency_group> groups;
  for (auto first = latencies.begin(); first != latencies.end();) {
    const auto end = std::upper_bound(first, latencies.end(), *first * (1 + latency_slack));
    const auto count = end - first;
    groups.push_back({.min = *first,
                      .max = *std::prev(end),
                      .middle = (first[(count - 1) / 2] + first[count / 2]) / 2,
                      .count = static_cast<std::size_t>(count)});
    first = end;
  }
  return groups;
}

const latency_group& group_of(const std::vector<latency_group>& groups, double latency) {
  const auto next = std::ranges::upper_bound(groups, latency, {}, &latency_group::min);
  return next == groups.begin() ? *next : *std::prev(next);
}

}  // namespace skua::detail
