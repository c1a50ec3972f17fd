// The distance between the CPUs of two workers, from the machine's tree or from a measurement.
//
// A measurement orders victims, but does not change domains. Domains and their heads always come from the tree, so that
// policies that stop at the domain have the same limit. So the order is: workers of the same core, then the domain by
// measured latency, then the rest of the machine by measured latency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/latency_groups.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

/// One distance; levels are ordered from near to far. Without a measurement `nanoseconds` is 0. With a measurement
/// `near` is the core, the domain or the machine, and `numa_distance` is 0.
struct step {
  nearness near;
  std::uint32_t numa_distance;  // of the two memories as the machine reports it; 0 for one memory
  double nanoseconds;           // the median of the group of measured latencies
  auto operator<=>(const step&) const = default;

  std::string name() const;  // "same domain", "same machine, NUMA distance 21", "same domain, 62 ns"
};

class distance_meter {
 public:
  distance_meter(const topology& machine, const topology::data& facts);
  step operator()(const seat& a, const seat& b) const;

 private:
  void group_latencies();
  nearness nearest(const seat& a, const seat& b) const;
  step by_tree(const seat& a, const seat& b) const;

  const topology& machine_;
  const topology::data& facts_;
  std::vector<bool> wide_;                       // by NUMA node: whether it serves several packages
  std::vector<latency_group> inside_, outside_;  // of domains; empty without a measurement
};

}  // namespace skua::detail
