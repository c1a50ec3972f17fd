// What was measured last of each loop or group task, for instance how long a position of the loop took.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// What is remembered by an address of code has so many entries, and that of this code is there.
inline constexpr int code_index_bits = 6;
inline std::size_t code_index(const void* code) noexcept {
  return (reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15u) >> (64 - code_index_bits);
}

/// By an address of code: that of a task's function, or one for each type of a loop's body (loop_run::thief_site). For all workers of
/// a scheduler. A guess: two codes may share an entry.
class code_estimates {
 public:
  /// 0 where nothing was measured.
  float of(const void* code) const noexcept {
    return values_[code_index(code)].load(std::memory_order_relaxed);
  }

  /// Stores nothing if the value has hardly changed, so that the line stays in the caches of all workers.
  void measured(const void* code, float value) noexcept {
    value = std::max(value, min_value);
    std::atomic<float>& known = values_[code_index(code)];
    const float before = known.load(std::memory_order_relaxed);
    if (value > before * 1.5f || value < before / 1.5f) known.store(value, std::memory_order_relaxed);
  }

 private:
  static constexpr float min_value = 1e-3f;  // not 0, even if the clock did not advance
  // Relaxed: each value stands for itself. No words of the simulated machine, since they hardly ever change.
  alignas(detail::line_pair) std::atomic<float> values_[std::size_t{1} << code_index_bits] = {};
};

}  // namespace skua::core
