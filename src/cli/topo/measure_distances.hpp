// The time to pass a cache line between two cores: two threads, bound to these cores, pass a line back and forth.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::cli {

struct distances_found {
  detail::measured_distances median;  // of the passes
  std::vector<double> min;            // of the passes, cores x cores
};

/// Measures each pair of cores once in each of several passes, so that a short disturbance affects many pairs once, not one
/// pair always. Takes about 5 ms per pair, 10 s for 64 cores. Calls `progress` with the share that is done, 0 to 1.
/// Throws bad_input where nothing can be measured: on one core, or where the kernel binds no threads.
distances_found measure_distances(const topology& host, const std::function<void(double)>& progress);

struct measure_request {
  std::string output;  // a file; empty: none
  bool json = false;
};

/// `skua topo --measure`: measures the distances of the host, prints them beside hwloc's, and writes them to a file.
void show_measured(const topology& machine, const measure_request& request);

}  // namespace skua::cli
