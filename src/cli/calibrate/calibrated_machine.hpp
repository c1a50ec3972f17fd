// A machine file of what was measured, and of what hwloc knows or is assumed for the rest.
#pragma once

#include <string>
#include <vector>

#include "cli/calibrate/measure_memory.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {

struct calibration {
  memory_found memory;
  std::vector<double> transfer_ns;  // of a changed line from core to core, cores x cores; empty: one core
  simulator::runtime_costs runtime;
};

/// Throws bad_input for a machine that machine files cannot describe, since its packages, cores or caches differ.
void check_regular(const simulator::machine_model& host);

/// The text of a file.
std::string machine_text(const simulator::machine_model& host, const calibration& measured);

}  // namespace skua::cli
