// Strands of a measured run from inside (skua/detail/strand.hpp).
#pragma once

#include <cstdint>

#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>

namespace skua::core {

/// Of the stack that runs, or of a thread without one. By a virtual thread.
detail::strand& current_strand() noexcept;

/// A group task is run as a strand of that name, by whoever runs it.
void name_task(detail::task& t, std::uint64_t name) noexcept;

}  // namespace skua::core
