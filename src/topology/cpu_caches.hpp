// The caches between the cores and memory, as hwloc names them.
#pragma once

#include <hwloc.h>

#include <vector>

#include "topology/topology_data.hpp"

namespace skua::detail {

/// Not instruction caches, and not memory-side caches: some machines show those as an L3, but a line in them is no nearer to
/// one core than to another.
bool is_cpu_cache(hwloc_obj_t part);

/// Ordered by level, then in the order of the machine.
std::vector<cache_facts> cpu_caches(hwloc_topology_t tree);

}  // namespace skua::detail
