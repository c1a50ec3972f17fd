// Microbenchmarks of the kernel's services that a scheduler needs, and of skua's forks where nobody steals.
#pragma once

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {

/// All but step_cycles, which is no property of a machine. Some 2 s; on a machine of one core who is woken shares it with
/// the one who wakes.
simulator::runtime_costs measure_runtime(const simulator::machine_model& machine, double cycle_ns);

}  // namespace skua::cli
