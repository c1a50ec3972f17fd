// Derives hops from NUMA distances. Firmware reports 10 for the own node and larger numbers for others; only their
// order matters.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

struct numa_hops {
  std::vector<std::vector<unsigned>> packages;  // 0 within a package, 1 to the nearest other one
  std::vector<std::vector<unsigned>> nodes;     // 0 to the node itself, 1 to the nearest other one
  std::vector<std::uint32_t>
      distances;  // by hops between nodes, 10 for 0 hops: the minimum of distances that count as equal
};

/// The model must have its hardware threads. Without distances all other nodes are one hop away.
numa_hops hops_by_distance(const machine_model& model);

}  // namespace skua::simulator
