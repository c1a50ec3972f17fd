// The order in which the CPUs of a machine get workers, computed from the list of cores.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology_data.hpp"

namespace skua::detail {

struct cpu_of_core {
  std::uint32_t core;  // index in core_list
  std::uint32_t cpu;   // operating-system index
};

/// Every CPU once, in an order in which the first N spread N workers evenly, for every N (the map of the TBB thesis, section
/// 3.2.2): packages in turn, and within each of them memory nodes, domains and smaller caches in turn; one CPU of each core
/// before any second one; the most powerful kind first.
std::vector<cpu_of_core> pin_table(const topology::data& machine);

}  // namespace skua::detail
