// The caches between the cores and memory, as hwloc names them.
#pragma once

#include <hwloc.h>

#include <vector>

#include "topology/topology_data.hpp"

namespace skua::detail {

/// Instruction caches carry no work. A cache in front of memory is drawn as an L3 by some machines, but a line in it is
/// no nearer to one core than to another.
bool is_cpu_cache(hwloc_obj_t part);

/// By level, then in the order of the machine.
std::vector<cache_facts> cpu_caches(hwloc_topology_t tree);

}  // namespace skua::detail
