// Checks synthetic machine descriptions ("package:4 core:4 pu:1") before hwloc reads them. hwloc gives no reason when
// it refuses one, and builds machines of any size.
#pragma once

#include <string>

namespace skua::detail {

/// Throws bad_input for an unknown type (with the nearest match), a count of 0, a last level other than pu, and too
/// many CPUs.
void check_synthetic(const std::string& description);

/// Throws bad_input for errors that only hwloc found.
[[noreturn]] void refuse_synthetic(const std::string& description);

}  // namespace skua::detail
