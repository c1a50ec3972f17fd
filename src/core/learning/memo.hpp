// Loops that remember which worker ran which block.
#pragma once

#include <cstdint>

#include <skua/parallel_for.hpp>

namespace skua::core {

/// Runs positions 0 .. size-1 of a loop, in blocks that the memo distributes, and constructs the result at `result`, if
/// the loop has one. `all` keeps the exceptions of the body.
void run_as_last(task_context& w, loop_memo& memo, detail::loop_run& all, std::uint64_t size, void* result);

}  // namespace skua::core
