// With how many threads those of a core speak under a tree of managers: what a translation buffer of direct messages must
// know so that it never overflows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "managers/manager_tree.hpp"

namespace skua::cli {

/// Of the core that speaks with most. Managers sit where they do on the simulated chips.
std::size_t translations_needed(const managers::manager_tree& tree, std::uint32_t threads_a_core);
/// Of a thread that is a worker and a manager, if managers may sit anywhere, but no two at one thread.
std::size_t translations_needed_anywhere(const managers::manager_tree& tree);

}  // namespace skua::cli
