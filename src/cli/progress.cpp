#include "cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>

namespace skua::cli {

void show_progress(std::size_t done, std::size_t all) {
  if (!isatty(STDERR_FILENO)) return;
  if (done == all)
    fmt::print(stderr, "\r\033[K");
  else
    fmt::print(stderr, "\r\033[K{}%: {} of {} runs", 100 * done / all, done, all);
  std::fflush(stderr);
}

}  // namespace skua::cli
