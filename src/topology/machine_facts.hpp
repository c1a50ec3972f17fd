// From hwloc's tree to the facts of a skua::topology.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/hwloc_tree.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

topology::data machine_facts(const hwloc_tree& tree);

/// The facts without hwloc: each of these CPUs is a core, and all are in one domain.
topology::data flat_facts(const std::vector<std::uint32_t>& cpus);

// domains.cpp: the caches between the cores and memory, and the domains that they make. A domain consists of the cores under the
// largest CPU cache that two or more cores share; without such a cache, of the cores of one NUMA node if there are several
// nodes; otherwise of the cores of the package, or else of the machine. See docs/decisions/0001-domains.md.

/// Not instruction caches, and not memory-side caches: some machines show those as an L3, but a line in them is no nearer to
/// one core than to another.
bool is_cpu_cache(hwloc_obj_t part);

/// Ordered by level, then in the order of the machine.
std::vector<cache_facts> cpu_caches(hwloc_topology_t tree);

/// A core, or a CPU that is in no core: a seat for workers.
struct seat_core {
  hwloc_obj_t object;
  std::vector<std::uint32_t> pus;
};

/// All of them, in logical order.
std::vector<seat_core> seat_cores(hwloc_topology_t tree);

/// Fills in the domain of each entry of core_list (one for each of `cores`) and the facts about domains.
void find_domains(const std::vector<seat_core>& cores, topology::data& facts);

}  // namespace skua::detail
