// How far one seat is from another: as the machine's tree says, or as it was measured.
//
// A measurement orders victims but draws no border: domains and their heads stay what the tree makes them, so that
// policies which stop at the domain stop at the same place. Hence first who shares a core, then the domain by measured
// latency, then the rest of the machine by measured latency.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/latency_groups.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

/// One distance, nearest first. Where nothing was measured `nanoseconds` is 0; where something was, `near` is only the
/// core, the domain or the machine, and `numa_distance` is 0.
struct step {
  nearness near;
  std::uint32_t numa_distance;  // what the machine says of the two memories; 0 for one memory
  double nanoseconds;           // the middle of the group of measured latencies
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
  std::vector<latency_group> inside_, outside_;  // of domains; empty where nothing was measured
};

}  // namespace skua::detail
