// The return addresses of the functions that led to a call of the library.
#pragma once

#include <cstdint>
#include <span>

namespace skua::core {

/// Fills `to` with the return address `from`, which is on the stack of this thread, and with those of the calls outside of
/// it; zeros where there are no more. About 100 ns for each; no allocation.
void find_callers(const void* from, std::span<std::uint64_t> to) noexcept;

}  // namespace skua::core
