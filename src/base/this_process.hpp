// What a report says of the process: its command line, and the time of day.
#pragma once

#include <string>

namespace skua::base {

/// With quotes where an argument needs them; empty where there is no /proc.
std::string command_line();
/// "2026-01-31 23:59:59"
std::string utc_now();

}  // namespace skua::base
