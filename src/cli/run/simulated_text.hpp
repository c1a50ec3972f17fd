// What a simulated run says of its machine, as text.
#pragma once

#include <skua/simulation.hpp>

namespace skua::cli {

/// Where the time went, and what each level of caches and each memory did: lines on standard output.
void print_report(const simulation_report& report);

}  // namespace skua::cli
