// What the kernel's scheduler counts of one thread: /proc/thread-self/schedstat.
#pragma once

#include <cstdint>
#include <optional>

namespace skua::core {

struct scheduler_counts {
  std::uint64_t on_cpu_ns = 0;
  std::uint64_t waiting_ns = 0;  // could have run and did not, since others did

  /// Of the real thread that runs; none without /proc, or where the kernel does not count. A microsecond with a file that
  /// stays open until the thread ends, ten for a thread for which there are none left (kept_files.hpp).
  static std::optional<scheduler_counts> of_this_thread() noexcept;
};

}  // namespace skua::core
