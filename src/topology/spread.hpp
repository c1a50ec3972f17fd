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

/// All CPUs in an order of which the first N are an even spread of N workers for each N (the map of the TBB thesis,
/// section 3.2.2). Packages alternate, and within each of them memory nodes, domains and smaller caches. One CPU of
/// each core comes before any second one. The most powerful kind comes first.
std::vector<cpu_of_core> pin_table(const topology::data& machine);

}  // namespace skua::detail
