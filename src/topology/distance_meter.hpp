// The distance of two seats: by the machine's tree, or as it was measured.
//
// A measurement changes the order of victims but not the domains and their heads, so that policies which stay within a domain
// do not change. Hence the order is: the same core, then the domain by measured latency, then the rest of the machine by
// measured latency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/measured_distances.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

/// A distance; the nearest compares least. Without a measurement `nanoseconds` is 0. With one, `near` is only the core, the
/// domain or the machine, and `numa_distance` is 0.
struct step {
  nearness near;
  std::uint32_t numa_distance;  // of the two memories, from the machine; 0 for the same memory
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
  std::vector<bool> wide_;                       // by NUMA node: does it serve several packages?
  std::vector<latency_group> inside_, outside_;  // of domains; empty without a measurement
};

}  // namespace skua::detail
