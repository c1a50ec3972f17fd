// Who has which cache: the explicit lists of a model, from whatever describes the machine.
#pragma once

#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

using cache_instances = std::vector<std::vector<cache_instance>>;  // by level

/// The hardware threads of a machine, without caches. Memory nodes without a thread are not counted.
std::vector<hardware_thread> hardware_of(const topology& machine);

/// Orders the instances of each level by their first threads and tells each thread of the model which are its own.
void set_instances(machine_model& model, cache_instances instances);

/// Sets them as the model's caches say how many cores share one: the first k cores, the next k.
void share_by_cores(machine_model& model);

}  // namespace skua::simulator
