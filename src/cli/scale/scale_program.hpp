// `skua scale ./program ARGUMENT...`: any program that uses skua, by its variables and its report.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "cli/scale/scale_plan.hpp"

namespace skua::cli {

/// Throws bad_input for a file that cannot be run, and for options that only workloads have.
void check_program(const command& of, const scale_options& options);

/// Runs the program for each point of the curves and fills them in. Returns the record of the first curve's last point.
/// Throws std::runtime_error for a run that failed or left no report.
std::string measure_program(const scale_options& options, paper::scaling& all,
                            const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace skua::cli
