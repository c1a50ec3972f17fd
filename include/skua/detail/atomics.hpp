// The atomics of real threads. The model checker brings its own, so that it runs the code that ships.
#pragma once

#include <atomic>

namespace skua::detail {

struct host_atomics {
  template <class T>
  using atomic = std::atomic<T>;

  /// The owner's half of an asymmetric fence: keeps the compiler from reordering. The other half is
  /// heavy_fence() in src/core/platform.hpp, run by whoever wants the owner's attention.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
};

}  // namespace skua::detail
