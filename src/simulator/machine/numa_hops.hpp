// Hops from NUMA distances: firmware says 10 for a node itself and larger numbers for others; what counts is their order.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

struct numa_hops {
  std::vector<std::vector<unsigned>> packages;  // 0 within one, 1 to the nearest other one
  std::vector<std::vector<unsigned>> nodes;     // 0 to itself, 1 to the nearest other one
  std::vector<std::uint32_t>
      distances;  // by hops between nodes, 10 for 0: the least of those that count as equal
};

/// Of a machine whose hardware is known. Without distances all others are one hop away.
numa_hops hops_by_distance(const machine_model& model);

}  // namespace skua::simulator
