// The limits of this process (setrlimit(2), `ulimit`) that keep it from another thread.
#pragma once

#include <string>

namespace skua::core {

/// Whether the memory of one more thread's stack can be mapped now.
bool has_room_for_thread_stack() noexcept;
/// "ulimit -v is 300000 kB", "ulimit -d ..."; empty without such a limit.
std::string limit_of_addresses();
/// "ulimit -u is 100"; empty without such a limit.
std::string limit_of_user_threads();

}  // namespace skua::core
