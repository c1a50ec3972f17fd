#pragma once

#include <cstddef>

namespace skua::cli {

/// On a terminal: one line, with the share that is done; none when all is.
void show_progress(std::size_t done, std::size_t all);

}  // namespace skua::cli
