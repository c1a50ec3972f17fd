// What the hardware counted while one worker did what (skua::doing): the differences of two readings of its thread.
//
//   log.passed(doing::user, &thread, reading now);   // until now it was in tasks
//   log.of(doing::user).values                       // by anybody, at any time
//
// Whoever holds the worker's place adds; others may read. What the thread that held it last did elsewhere meanwhile does
// not count, nor what waking takes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <skua/report.hpp>

#include "observe/counting.hpp"

namespace skua::observe {

inline constexpr std::size_t most_hardware_events = 4;

/// Of one thread since its counters were opened: values in the order of the events' names, and for how long (ns) it had the
/// processor's counters, of how long it wanted them.
struct hardware_reading {
  std::array<std::uint64_t, most_hardware_events> values{};
  std::uint64_t wanted_ns = 0, had_ns = 0;
};

class hardware_log {
 public:
  /// Until it is turned on nobody need read anything.
  bool on() const noexcept { return on_; }
  void turn_on() noexcept { on_ = true; }

  void passed(doing done, const void* thread, const hardware_reading& now) noexcept {
    if (thread == thread_ && done != doing::asleep) {
      auto& sums = sums_[static_cast<std::size_t>(done)];
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].add(passed_between(before_.values[i], now.values[i]));
      wanted_ns_.add(passed_between(before_.wanted_ns, now.wanted_ns));
      had_ns_.add(passed_between(before_.had_ns, now.had_ns));
    }
    thread_ = thread;
    before_ = now;
  }

  /// Of one event, by what was done.
  std::array<std::uint64_t, doing_count> of(std::size_t event) const noexcept {
    std::array<std::uint64_t, doing_count> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = sums_[i][event].read();
    return all;
  }
  std::uint64_t wanted_ns() const noexcept { return wanted_ns_.read(); }
  std::uint64_t had_ns() const noexcept { return had_ns_.read(); }

  void clear() noexcept {
    for (auto& sums : sums_)
      for (count& sum : sums) sum.clear();
    wanted_ns_.clear();
    had_ns_.clear();
  }

 private:
  // Counters whose place on the processor was given to others may show a little less.
  static std::uint64_t passed_between(std::uint64_t before, std::uint64_t now) noexcept {
    return now - std::min(before, now);
  }

  bool on_ = false;
  const void* thread_ = nullptr;
  hardware_reading before_;
  std::array<std::array<count, most_hardware_events>, doing_count> sums_;
  count wanted_ns_, had_ns_;
};

}  // namespace skua::observe
