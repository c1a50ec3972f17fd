// Where the parts of a machine file's machine lie: the description and the counts, put together.
#pragma once

#include "base/json_part.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

/// Gives the model its hardware threads, cache instances and hops between memory nodes. Throws bad_input where the
/// description (`synthetic`) and the counts of the file are of different machines.
void lay_out(const base::json_part& all, machine_model& model);

/// Gives the model's topology the distances that policies see: `slit`, what firmware would say, else relative latencies
/// with 10 for a node itself, as firmware counts. The model must be checked.
void add_distances(const base::json_part& all, machine_model& model);

}  // namespace skua::simulator
