// The limits of this process (setrlimit(2), `ulimit`): whether it may have another thread, and how many files its threads may keep
// open.
#pragma once

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace skua::core {

/// Holds as many addresses as the stack of one more thread needs, while it lives. False when there are not so many.
class room_for_thread_stack {
 public:
  room_for_thread_stack() noexcept;
  ~room_for_thread_stack();
  room_for_thread_stack(const room_for_thread_stack&) = delete;
  room_for_thread_stack& operator=(const room_for_thread_stack&) = delete;
  explicit operator bool() const noexcept;

 private:
  std::size_t bytes_;
  void* there_;
};

/// Whether there may be addresses for the stacks of so many new threads. A few of them may have one already: the C library
/// keeps stacks of threads that ended.
bool may_have_room_for_threads(std::size_t threads) noexcept;

/// The limit that keeps this process from another thread or more memory now, with its number: "ulimit -v is 300000 kB".
std::string limit_of_threads();
std::string limit_of_memory();

/// Files that threads keep open in order to read them often. The program needs files too, so all threads together keep at
/// most a quarter of the files that the process may open (ulimit -n).
///
///   if (kept_files::may_keep(4)) { open four files; ...; close them; kept_files::closed(4); }
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
