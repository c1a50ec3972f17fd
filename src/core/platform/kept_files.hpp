// Files that threads keep open in order to read them often. The program needs files too, so all threads together keep at
// most a quarter of the files that the process may open (ulimit -n).
//
//   if (kept_files::may_keep(4)) { open four files; ...; close them; kept_files::closed(4); }
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skua::core {

class kept_files {
 public:
  /// By the limit that is valid now.
  static std::size_t max() noexcept {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    return static_cast<std::size_t>(limit.rlim_cur) / 4;
  }
  /// Whether `files` more may be kept. If so, they count from now on.
  static bool may_keep(std::size_t files) noexcept {
    if (files == 0) return true;
    if (open_.fetch_add(files, std::memory_order_relaxed) + files <= max()) return true;
    closed(files);
    return false;
  }
  static void closed(std::size_t files) noexcept { open_.fetch_sub(files, std::memory_order_relaxed); }

 private:
  static constinit inline std::atomic<std::size_t> open_{0};
};

}  // namespace skua::core
