// The command line of this process, and the time of day.
#pragma once

#include <string>

namespace skua::base {

/// With quotes around arguments that need them; empty if there is no /proc.
std::string command_line();
/// "2026-01-31 23:59:59"
std::string utc_now();

}  // namespace skua::base
