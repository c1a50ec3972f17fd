// The counters of the threads of this process: opened by the first reading, closed with the thread.
#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/platform/hardware_counters.hpp"
#include "core/platform/kept_files.hpp"
#include "core/platform/platform.hpp"

namespace skua::core {

namespace {

// Never destroyed: threads count on during static destruction.
const hardware_events& events_here() {
  static const hardware_events& found = *new hardware_events(find_hardware_events(open_event));
  return found;
}

// A thread's objects die before static ones, whose destructors may still call us.
constinit thread_local bool thread_ends = false;
constinit thread_local thread_counters* open_counters = nullptr;

class own_counters {
 public:
  own_counters() noexcept = default;
  ~own_counters() {
    thread_ends = true;
    close();
  }
  own_counters(const own_counters&) = delete;
  own_counters& operator=(const own_counters&) = delete;

  void open(const hardware_events& what) noexcept {
    if (!kept_files::may_keep(what.files_of_thread())) return;
    files_ = what.files_of_thread();
    open_counters = &counters_.emplace(what, open_event);
    if (!open_counters->any()) close();
  }
  void close() noexcept {
    if (!counters_) return;
    open_counters = nullptr;
    counters_.reset();
    kept_files::closed(files_);
  }

 private:
  std::optional<thread_counters> counters_;
  std::size_t files_ = 0;
};

own_counters& of_this_thread() noexcept {
  static thread_local own_counters own;
  return own;
}

// What it inherits counts its parent's thread. The next reading opens counters of its own.
void begin_anew_in_child() noexcept {
  if (!open_counters) return;
  open_counters->forget_pages();
  of_this_thread().close();
}

// Again at every reading where there were no files left: meanwhile others may have ended.
const thread_counters* counters_of_this_thread() noexcept {
  if (open_counters) [[likely]]
    return open_counters;
  if (thread_ends || events_here().events.empty()) return nullptr;
  static const int told = pthread_atfork(nullptr, nullptr, begin_anew_in_child);
  if (told == 0) of_this_thread().open(events_here());
  return open_counters;
}

/// Of one reading: the least of some, since others disturb; 1 at least. With counters that are closed again, since the
/// thread need not be one that works.
std::uint64_t ticks_of_reading(const hardware_events& what) {
  const thread_counters counters(what, open_event);
  std::uint64_t min = UINT64_MAX;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t before = host_platform::ticks();
    counters.read();
    min = std::min(min, host_platform::ticks() - before);
  }
  return std::max<std::uint64_t>(min, 1);
}

constexpr std::uint64_t time_for_reading = 200;  // one part of so many

}  // namespace

counted_hardware host_platform::hardware_here(std::size_t threads) {
  const hardware_events found = events_here().of_threads(threads, kept_files::max());
  counted_hardware here{.events = {}, .missing = found.missing};
  if (!found.events.empty()) here.ticks_apart = time_for_reading * ticks_of_reading(found);
  for (const hardware_event& event : found.events) here.events.emplace_back(event.name);
  return here;
}

// Not inlined, as thread_number().
[[gnu::noinline]] std::uint64_t host_platform::read_hardware(observe::hardware_reading& to) noexcept {
  const thread_counters* const counters = counters_of_this_thread();
  to = counters ? counters->read() : observe::hardware_reading{};
  return counters ? counters->number() : 0;
}

}  // namespace skua::core
