// The parts of a machine file that say what takes how long in memory, in the runtime and in the kernel.
#pragma once

#include "base/json_part.hpp"
#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

memory_model memory_of(const base::json_part& part);

/// Of the members `runtime` and `os`, both of which may be absent.
runtime_costs costs_of(const base::json_part& all);

}  // namespace skua::simulator
