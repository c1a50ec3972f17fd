// Checks synthetic machine descriptions ("package:4 core:4 pu:1") before hwloc reads them: hwloc gives no reason for refusing
// one, and has no limit on the size.
#pragma once

#include <string>

namespace skua::detail {

/// Throws bad_input for an unknown type (with the nearest one), a count of 0, a missing pu at the end, and too many CPUs.
void check_synthetic(const std::string& description);

/// Throws bad_input for an error that only hwloc found.
[[noreturn]] void refuse_synthetic(const std::string& description);

}  // namespace skua::detail
