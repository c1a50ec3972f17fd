// Determines the cores of a domain. It is the largest CPU cache that two or more cores share; else a NUMA node if there
// are several; else the package; else the machine. See docs/decisions/0001-domains.md.
#pragma once

#include <vector>

#include "topology/hwloc_tree.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

/// A place for workers: a core, or a CPU that is in no core.
struct place {
  hwloc_obj_t object;
  std::vector<std::uint32_t> pus;
};

/// All places in logical order.
std::vector<place> places_of(hwloc_topology_t tree);

/// Fills in the domain of each entry of core_list (one for each place) and all facts about domains.
void find_domains(const std::vector<place>& places, topology::data& facts);

}  // namespace skua::detail
