// Sentences that say where measured distances contradict the machine's tree.
#pragma once

#include <string>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::detail {

/// There are two kinds, with one sentence each: pairs of cores that the tree puts nearer than other pairs, but whose latency
/// is higher than the median of those; and pairs at the same distance in the tree whose latencies differ. Differences of up
/// to `latency_slack` are ignored. `machine` is the measured one, without distances.
std::vector<std::string> disagreements(const topology& machine, const measured_distances& measured);

}  // namespace skua::detail
