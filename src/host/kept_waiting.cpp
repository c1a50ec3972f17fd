#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstring>

#include "core/platform.hpp"

namespace skua::core {

namespace {

/// What the kernel's scheduler counts of one thread.
class scheduler_counts {
 public:
  scheduler_counts() noexcept : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~scheduler_counts() {
    if (file_ >= 0) close(file_);
  }
  scheduler_counts(const scheduler_counts&) = delete;
  scheduler_counts& operator=(const scheduler_counts&) = delete;

  /// The second of its three numbers: nanoseconds in which the thread could have run and did not. -1 without it: no /proc,
  /// or a kernel that does not count.
  std::int64_t waited_ns() const noexcept {
    char text[128];
    const ssize_t got = file_ < 0 ? -1 : pread(file_, text, sizeof text, 0);
    if (got <= 0) return -1;
    const char* const end = text + got;
    const auto* second = static_cast<const char*>(std::memchr(text, ' ', static_cast<std::size_t>(got)));
    std::int64_t ns = -1;
    if (second) std::from_chars(second + 1, end, ns);
    return ns;
  }

 private:
  int file_;
};

}  // namespace

// Not inlined, as thread_number().
[[gnu::noinline]] std::int64_t host_platform::kept_waiting_ns() noexcept {
  static thread_local const scheduler_counts of_this_thread;
  return of_this_thread.waited_ns();
}

}  // namespace skua::core
