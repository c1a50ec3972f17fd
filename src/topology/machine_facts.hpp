// Extracts the facts of a skua::topology from hwloc's tree.
#pragma once

#include "topology/hwloc_tree.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {

topology::data machine_facts(const hwloc_tree& tree);

/// The facts without hwloc: these CPUs, each a core, in one domain.
topology::data flat_facts(const std::vector<std::uint32_t>& cpus);

}  // namespace skua::detail
