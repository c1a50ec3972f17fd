// From hwloc's tree to the facts of a skua::topology.
#pragma once

#include "topology/hwloc_tree.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

topology::data machine_facts(const hwloc_tree& tree);

/// The facts without hwloc: each of these CPUs is a core, and all are in one domain.
topology::data flat_facts(const std::vector<std::uint32_t>& cpus);

}  // namespace skua::detail
