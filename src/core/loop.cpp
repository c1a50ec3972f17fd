// The parts of loops that do not depend on their types.
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>

#include <string>

#include <skua/topology.hpp>

#include "core/scheduler_core.hpp"

namespace skua::detail {

void loop_fate::keep(std::uint64_t position) noexcept {
  while (guard_.exchange(1, std::memory_order_acquire)) core::host_platform::relax();
  if (!thrown_ || position < stop_.load(std::memory_order_relaxed)) {
    thrown_ = std::current_exception();
    stop_.store(position, std::memory_order_relaxed);
  }
  guard_.store(0, std::memory_order_release);
}

std::size_t worker_count(const task_context& w) noexcept { return w.seat->pool->workers(); }

void refuse_negative_start(std::int64_t first) {
  throw bad_input(
      "loop begins at " + std::to_string(first) +
      ", but its end has an unsigned type, and so have its positions; allowed: 0 or more, or two ends of "
      "a signed type; nearest: 0");
}

void refuse_tiles() {
  throw bad_input("the axes of a loop have 2^64 tiles or more together; allowed: fewer; give larger grains");
}

std::uint32_t checked_grain(std::int64_t grain) {
  if (grain < 0)
    throw bad_input("loop grain is " + std::to_string(grain) +
                    "; allowed: 0 (skua chooses) or a positive number of iterations; nearest: 0");
  constexpr std::int64_t largest = std::int64_t{1} << 30;  // a loop is one chunk beyond this size
  return grain == 0 ? 1 : static_cast<std::uint32_t>(grain < largest ? grain : largest);
}

}  // namespace skua::detail
