// hwloc trusts its input: some damaged XML files make it crash, others make it print errors on stderr and continue. So a file is
// first loaded in a child process.
#pragma once

#include <functional>

namespace skua::detail {

/// Runs `act` in a copy of this process. Returns whether it returns true within 20 seconds without a crash and without
/// printing `complaint`. Its effects and output stay in the copy. Also true if no process can be created.
bool survives_rehearsal(const std::function<bool()>& act, const char* complaint);

}  // namespace skua::detail
