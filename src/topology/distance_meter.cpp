#include "topology/distance_meter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace skua::detail {

std::string step::name() const {
  constexpr std::array names = {"same core",      "same cache",   "same domain",
                                "same NUMA node", "same package", "same machine"};
  std::string text = names[static_cast<std::size_t>(near)];
  if (numa_distance > 0) text += ", NUMA distance " + std::to_string(numa_distance);
  if (nanoseconds > 0) {
    char number[32];
    std::snprintf(number, sizeof number, ", %.3g ns", nanoseconds);
    text += number;
  }
  return text;
}

distance_meter::distance_meter(const topology& machine, const topology::data& facts)
    : machine_(machine), facts_(facts), wide_(facts.numa_nodes + 1) {
  std::vector<std::int64_t> first_package(facts.numa_nodes + 1, -1);
  for (const core_info& core : facts.core_list) {
    std::int64_t& first = first_package[core.numa_node];
    if (first >= 0 && first != core.package) wide_[core.numa_node] = true;
    if (first < 0) first = core.package;
  }
  if (!facts.measured.empty()) group_latencies();
}

// Uses all cores of the machine, so that a level does not depend on the placement of the workers.
void distance_meter::group_latencies() {
  std::vector<double> inside, outside;
  const std::size_t cores = facts_.core_list.size();
  for (std::size_t a = 0; a < cores; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = facts_.core_list[a].domain == facts_.core_list[b].domain;
      (together ? inside : outside).push_back(facts_.measured[a * cores + b]);
    }
  }
  inside_ = latency_groups(std::move(inside));
  outside_ = latency_groups(std::move(outside));
}

step distance_meter::operator()(const seat& a, const seat& b) const {
  if (facts_.measured.empty() || a.core == b.core) return by_tree(a, b);
  const double latency = facts_.measured[a.core * facts_.core_list.size() + b.core];
  if (a.domain == b.domain) return {nearness::same_domain, 0, group_of(inside_, latency).middle};
  return {nearness::same_machine, 0, group_of(outside_, latency).middle};
}

step distance_meter::by_tree(const seat& a, const seat& b) const {
  // The larger of both directions, so that the distance is symmetric even if the machine's table is not.
  const std::uint32_t apart = a.numa_node == b.numa_node
                                  ? 0
                                  : std::max(machine_.numa_distance(a.numa_node, b.numa_node),
                                             machine_.numa_distance(b.numa_node, a.numa_node));
  return {nearest(a, b), apart, 0};
}

nearness distance_meter::nearest(const seat& a, const seat& b) const {
  if (a.core == b.core) return nearness::same_core;
  if (facts_.shared_cache[a.core] == facts_.shared_cache[b.core]) return nearness::same_cache;
  if (a.domain == b.domain) return nearness::same_domain;
  // A memory node of several packages is larger than a package, so sharing it has no meaning of its own.
  if (a.numa_node == b.numa_node && !wide_[a.numa_node]) return nearness::same_numa_node;
  if (a.package == b.package && facts_.packages > 0) return nearness::same_package;
  return nearness::same_machine;
}

}  // namespace skua::detail
