// Binding a thread to a CPU.
#pragma once

#include <cstdint>

namespace skua::base {

/// Binds the calling thread to the CPU that the system calls `cpu`. False when the system refuses.
bool bind_this_thread(std::uint32_t cpu) noexcept;

}  // namespace skua::base
