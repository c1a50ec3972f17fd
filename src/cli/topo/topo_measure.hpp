// `skua topo --measure`: measures the host's distances, prints them beside what hwloc says, writes them to a file.
#pragma once

#include <string>

#include <skua/topology.hpp>

namespace skua::cli {

struct measure_request {
  std::string output;  // a file; none where empty
  bool json = false;
};

void show_measured(const topology& machine, const measure_request& request);

}  // namespace skua::cli
