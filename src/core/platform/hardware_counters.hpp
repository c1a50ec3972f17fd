// The processor's counters of one thread (perf_event_open(2)): cycles, instructions, last-level misses and remote node
// accesses, in user mode. No root is needed where /proc/sys/kernel/perf_event_paranoid is 2 or less.
//
// Where the processor allows it, a counter is read with one instruction, from a page that the kernel shares; then no file
// stays open. Elsewhere one system call reads all counters of a thread. They form one group whose files stay open, and a
// thread for which no files are left (resource_limits.hpp) is not counted. Without hardware counters, as in most virtual
// machines, page faults are counted instead.
//
// host_platform::read_hardware() (platform.hpp) reads the counters of the calling thread.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "observe/hardware_log.hpp"

namespace skua::core {

/// Opens one event of the calling thread, in the group of that file or, with -1, in a group of its own. Returns a file, or
/// -errno.
using event_opener = int (*)(perf_event_attr& what, int group);
int open_event(perf_event_attr& what, int group);

struct hardware_event {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

/// What this process can count.
struct hardware_events {
  std::vector<hardware_event> events;
  bool by_page = false;  // read from shared pages
  std::string missing;   // one sentence: what cannot be counted, and why; empty where nothing is missing

  /// The files that a counted thread keeps open.
  std::size_t files_of_thread() const noexcept { return by_page ? 0 : events.size(); }
  /// What `threads` threads can count if they may keep `max_files` open together: all events or none.
  hardware_events of_threads(std::size_t threads, std::size_t max_files) const;
};
hardware_events find_hardware_events(event_opener open);

/// The counters of the thread that makes the object. Only this thread reads and destroys it.
class thread_counters {
 public:
  thread_counters(const hardware_events& of, event_opener open);
  ~thread_counters();
  thread_counters(const thread_counters&) = delete;
  thread_counters& operator=(const thread_counters&) = delete;

  /// Whether the kernel opened any.
  bool any() const noexcept { return size_ != 0; }
  /// Zeros where there are none.
  observe::hardware_reading read() const noexcept;
  /// In a child process. The kernel does not copy the pages, and their addresses may have been mapped anew. Reads zeros
  /// from now on.
  void forget_pages() noexcept;
  /// From 1, and unique in the process.
  std::uint64_t number() const noexcept { return number_; }

 private:
  observe::hardware_reading read_pages() const noexcept;
  observe::hardware_reading read_group() const noexcept;

  std::uint64_t number_;
  std::size_t size_ = 0;
  std::array<const perf_event_mmap_page*, observe::max_hardware_events> pages_{};
  std::array<int, observe::max_hardware_events> files_;
};

/// Reads one event of the calling thread from the page that the kernel shares. `counter(n)` reads the processor's n-th
/// counter.
struct page_reading {
  std::uint64_t value, wanted_ns, had_ns;
};
template <class Counter>
page_reading read_page(const perf_event_mmap_page& page, Counter counter) noexcept {
  const auto lock = [&] { return __atomic_load_n(&page.lock, __ATOMIC_ACQUIRE); };
  // The kernel changes the page only while this thread does not run, so fences for the compiler are enough.
  for (;;) {
    const std::uint32_t before = lock();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    page_reading r{.value = static_cast<std::uint64_t>(page.offset),
                   .wanted_ns = page.time_enabled,
                   .had_ns = page.time_running};
    // 0: the event is not on the processor now, and the offset holds its whole count.
    if (const std::uint32_t index = page.index; page.cap_user_rdpmc && index != 0) {
      const unsigned unused = 64U - page.pmc_width;
      r.value +=
          static_cast<std::uint64_t>(static_cast<std::int64_t>(counter(index - 1) << unused) >> unused);
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (lock() == before) return r;
  }
}

}  // namespace skua::core
