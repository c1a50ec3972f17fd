// What it costs to pass a cache line from one core to another: two threads, one bound to each, hand a line to and fro.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::cli {

struct distances_found {
  detail::measured_distances median;  // of the passes
  std::vector<double> min;          // of the passes, cores x cores
};

/// Every pair of cores, in each of several passes over all pairs, so that a moment's disturbance falls on many pairs
/// once and not on one pair always. Some 5 ms a pair: 10 s for 64 cores. `progress` hears the share done, 0 to 1.
/// Throws bad_input where there is nothing to measure: one core, or a kernel that binds no threads.
distances_found measure_distances(const topology& host, const std::function<void(double)>& progress);

}  // namespace skua::cli
