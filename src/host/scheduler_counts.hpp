// What the kernel's scheduler counts of one thread: /proc/thread-self/schedstat.
#pragma once

#include <cstdint>
#include <optional>

namespace skua::core {

struct scheduler_counts {
  std::uint64_t on_cpu_ns = 0;
  std::uint64_t waiting_ns = 0;  // could have run and did not, since others did

  /// Of the real thread that runs; none without /proc, or where the kernel does not count. Some microseconds.
  static std::optional<scheduler_counts> of_this_thread() noexcept;
};

}  // namespace skua::core
