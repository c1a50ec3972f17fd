// Describes in sentences where measured distances contradict the machine's tree.
#pragma once

#include <string>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::detail {

/// There are two kinds of contradiction, with one sentence for each. First: the tree puts a pair of cores nearer than
/// other pairs, but its latency is clearly above the median of those. Second: the tree puts pairs equally far, but
/// their latencies differ clearly. Clearly means by more than `latency_slack`. `machine` is the measured machine,
/// without distances.
std::vector<std::string> disagreements(const topology& machine, const measured_distances& measured);

}  // namespace skua::detail
