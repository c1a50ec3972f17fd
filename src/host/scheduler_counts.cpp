#include "host/scheduler_counts.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "core/platform.hpp"

namespace skua::core {

namespace {

class schedstat {
 public:
  schedstat() noexcept : file_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}
  ~schedstat() {
    if (file_ >= 0) close(file_);
  }
  schedstat(const schedstat&) = delete;
  schedstat& operator=(const schedstat&) = delete;

  std::optional<scheduler_counts> read() const noexcept {
    char text[128];
    const ssize_t got = file_ < 0 ? -1 : pread(file_, text, sizeof text, 0);
    if (got <= 0) return std::nullopt;
    const char* const end = text + got;
    scheduler_counts counts;
    const auto [after, wrong] = std::from_chars(text, end, counts.on_cpu_ns);
    if (wrong != std::errc() || after == end) return std::nullopt;
    if (std::from_chars(after + 1, end, counts.waiting_ns).ec != std::errc()) return std::nullopt;
    return counts;
  }

 private:
  int file_;
};

}  // namespace

// Not inlined, as thread_number().
[[gnu::noinline]] std::optional<scheduler_counts> scheduler_counts::of_this_thread() noexcept {
  static thread_local const schedstat file;
  return file.read();
}

std::int64_t host_platform::kept_waiting_ns() noexcept {
  const auto counts = scheduler_counts::of_this_thread();
  return counts ? static_cast<std::int64_t>(counts->waiting_ns) : -1;
}

}  // namespace skua::core
