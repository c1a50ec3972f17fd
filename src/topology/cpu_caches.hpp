// The caches between the cores and memory, as hwloc names them.
#pragma once

#include <hwloc.h>

#include <vector>

#include "topology/topology_data.hpp"

namespace skua::detail {

/// Whether cores exchange data through the cache. Instruction caches do not count. Some machines report a cache in
/// front of memory as an L3, but its lines are equally far from all cores.
bool is_cpu_cache(hwloc_obj_t part);

/// The caches, ordered by level and then in the order of the machine.
std::vector<cache_facts> cpu_caches(hwloc_topology_t tree);

}  // namespace skua::detail
