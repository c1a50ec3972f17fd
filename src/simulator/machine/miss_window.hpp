// How many lines of one declared range a core waits for at a time: its out-of-order window, as far as memory sees it.
//
// A line is asked for a cycle after the one before it, but only when fewer than `at_once` are on their way; the oldest makes
// room first, as buffers for missing lines do that are filled in order. With at_once = 1 every line waits for the one
// before it.
//
//   miss_window window(machine.memory.misses_at_once, now);
//   for (line ...) { const cycles at = window.next(); window.asked(at, at + memory.demand(line, at)); }
//   busy = window.end() - now;
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

inline constexpr unsigned max_misses_at_once = 128;

class miss_window {
 public:
  /// From 1 to most_misses_at_once.
  miss_window(unsigned at_once, cycles now) : at_once_(at_once), free_(now), end_(now) {
    std::fill_n(comes_.begin(), at_once, now);
  }

  /// When the next line can be asked for.
  cycles next() const noexcept { return std::max(free_, comes_[oldest_]); }
  /// It has been, at that time, and comes at another.
  void asked(cycles at, cycles comes) noexcept {
    comes_[oldest_] = comes;
    oldest_ = oldest_ + 1 == at_once_ ? 0 : oldest_ + 1;
    free_ = at + 1;
    end_ = std::max(end_, comes);
  }
  /// When all have come.
  cycles end() const noexcept { return end_; }

 private:
  unsigned at_once_, oldest_ = 0;
  cycles free_, end_;
  std::array<cycles, max_misses_at_once> comes_;
};

}  // namespace skua::simulator
