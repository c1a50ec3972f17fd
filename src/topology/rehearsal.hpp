// hwloc trusts its input. Some damaged XML files make it crash, for others it prints a message on stderr and continues.
// So a file is first tried in a child process.
#pragma once

#include <functional>

namespace skua::detail {

/// Whether `act` returns true in a copy of this process without dying, taking 20 seconds or printing `complaint`. Its
/// effects and output are discarded. Also true when no process can be created.
bool survives_rehearsal(const std::function<bool()>& act, const char* complaint);

}  // namespace skua::detail
