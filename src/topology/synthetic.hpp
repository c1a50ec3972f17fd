// Checks of synthetic machine descriptions ("package:4 core:4 pu:1") before hwloc reads them, since hwloc
// says of a bad one only that it is bad, and builds a good one of any size.
#pragma once

#include <string>

namespace skua::detail {

/// Throws bad_input for an unknown type (naming the nearest), a count of 0, no pu at the end and too many
/// CPUs.
void check_synthetic(const std::string& description);

/// Throws bad_input for what only hwloc found wrong.
[[noreturn]] void refuse_synthetic(const std::string& description);

}  // namespace skua::detail
