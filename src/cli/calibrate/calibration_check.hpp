// `skua calibrate --check`: ten workloads for real and simulated on a machine file, at one worker and at two.
#pragma once

#include <string>

namespace skua::cli {

/// Prints each with its error, and the median of the errors. Returns the tool's exit code: 1 where an answer was wrong.
int check_calibration(const std::string& machine_file, bool as_json);

}  // namespace skua::cli
