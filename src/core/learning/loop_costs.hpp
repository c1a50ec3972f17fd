// How long a position of each loop took when it was measured last.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// By the type of the loop's body (loop_run::thief_site). For all workers of a scheduler. A guess: two loops may share an entry.
class loop_costs {
 public:
  /// Nanoseconds; 0 where no loop was measured.
  float of(const void* loop) const noexcept { return ns_[at(loop)].load(std::memory_order_relaxed); }

  /// Stores nothing if the time has hardly changed, so that the line stays in the caches of all workers.
  void measured(const void* loop, float ns) noexcept {
    ns = std::max(ns, min_ns);
    std::atomic<float>& known = ns_[at(loop)];
    const float before = known.load(std::memory_order_relaxed);
    if (ns > before * 1.5f || ns < before / 1.5f) known.store(ns, std::memory_order_relaxed);
  }

 private:
  static constexpr int index_bits = 6;
  static constexpr float min_ns = 1e-3f;  // not 0, even if the clock did not advance
  static std::size_t at(const void* loop) noexcept {
    return (reinterpret_cast<std::uintptr_t>(loop) * 0x9E3779B97F4A7C15u) >> (64 - index_bits);
  }
  // Relaxed: each value stands for itself. No words of the simulated machine, since they hardly ever change.
  alignas(detail::line_pair) std::atomic<float> ns_[std::size_t{1} << index_bits] = {};
};

}  // namespace skua::core
