// Strands of a measured run from inside (skua/detail/strand.hpp).
#pragma once

#include <cstdint>

#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>

#include "core/stack.hpp"

namespace skua::core {

/// Of the stack that runs, or of a thread without one. By a virtual thread.
detail::strand& current_strand() noexcept;

// Whatever is pushed is named before any time passes, for a thief may take it by force meanwhile. Nothing in real time.

/// The name of the next call from outside; 0 where strands are not measured.
std::uint64_t name_of_next_root() noexcept;
/// A group task that the running strand begins is run as a strand of its own, by whoever runs it.
void name_task(detail::task& t) noexcept;
/// A fork's second child, by its side.
void name_child(const stolen_side& side) noexcept;
/// What the task, which would run that, runs in the end: what it did before it was named.
using task_code = decltype(detail::task::run);
task_code code_before_name(const detail::task& t, task_code run) noexcept;
/// What such a child was named.
std::uint64_t name_of_child(const stolen_side& side) noexcept;

}  // namespace skua::core
