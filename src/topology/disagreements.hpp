// Where measured distances contradict the machine's tree, in plain sentences.
#pragma once

#include <string>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::detail {

/// Two kinds, one sentence each. A pair of cores that the tree puts nearer than other pairs, but that takes clearly
/// longer than the middle one of those. And pairs that the tree puts equally far, but that differ clearly among
/// themselves. Clearly is more than `latency_slack`. `machine` is the measured one, without distances.
std::vector<std::string> disagreements(const topology& machine, const measured_distances& measured);

}  // namespace skua::detail
