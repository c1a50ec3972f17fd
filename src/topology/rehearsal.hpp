// hwloc trusts its input: some damaged XML files make it crash, others make it complain on stderr and go on.
// So a file is first tried where neither does harm.
#pragma once

#include <functional>

namespace skua::detail {

/// Does `act` return true in a copy of this process, and neither die, nor take 20 seconds, nor print
/// `complaint`? Nothing that it does or prints is seen here. True, too, where no process can be made.
bool survives_rehearsal(const std::function<bool()>& act, const char* complaint);

}  // namespace skua::detail
