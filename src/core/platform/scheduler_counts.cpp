#include "core/platform/scheduler_counts.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "core/platform/kept_files.hpp"
#include "core/platform/platform.hpp"

namespace skua::core {

namespace {

int open_schedstat() noexcept { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

std::optional<scheduler_counts> read_counts(int file) noexcept {
  char text[128];
  const ssize_t got = file < 0 ? -1 : pread(file, text, sizeof text, 0);
  if (got <= 0) return std::nullopt;
  const char* const end = text + got;
  scheduler_counts counts;
  const auto [after, wrong] = std::from_chars(text, end, counts.on_cpu_ns);
  if (wrong != std::errc() || after == end) return std::nullopt;
  if (std::from_chars(after + 1, end, counts.waiting_ns).ec != std::errc()) return std::nullopt;
  return counts;
}

// A thread's objects die before static ones, whose destructors may still call us.
constinit thread_local bool thread_ends = false;
constinit thread_local int kept_file = -1;

/// Opening takes ten times as long as reading.
class kept_schedstat {
 public:
  kept_schedstat() noexcept = default;
  ~kept_schedstat() {
    thread_ends = true;
    close();
  }
  kept_schedstat(const kept_schedstat&) = delete;
  kept_schedstat& operator=(const kept_schedstat&) = delete;

  void open() noexcept {
    if (!kept_files::may_keep(1)) return;
    kept_file = open_schedstat();
    if (kept_file < 0) kept_files::closed(1);
  }
  void close() noexcept {
    if (kept_file < 0) return;
    ::close(std::exchange(kept_file, -1));
    kept_files::closed(1);
  }
};

kept_schedstat& of_thread() noexcept {
  static thread_local kept_schedstat own;
  return own;
}

// What it inherits is its parent's.
void begin_anew_in_child() noexcept {
  if (kept_file >= 0) of_thread().close();
}

void keep_file() noexcept {
  static const int told = pthread_atfork(nullptr, nullptr, begin_anew_in_child);
  if (told == 0 && !thread_ends) of_thread().open();
}

}  // namespace

// Not inlined, as thread_number().
[[gnu::noinline]] std::optional<scheduler_counts> scheduler_counts::of_this_thread() noexcept {
  if (kept_file < 0) keep_file();
  if (kept_file >= 0) return read_counts(kept_file);
  const int file = open_schedstat();
  const auto counts = read_counts(file);
  if (file >= 0) close(file);
  return counts;
}

std::int64_t host_platform::kept_waiting_ns() noexcept {
  const auto counts = scheduler_counts::of_this_thread();
  return counts ? static_cast<std::int64_t>(counts->waiting_ns) : -1;
}

}  // namespace skua::core
