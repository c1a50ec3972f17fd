// What a schedule may do to a program, at its worst: among threads of the same time anybody goes first, and now and then
// one is held up, mostly for as long as a cache miss, rarely for as long as an operating system that has taken its CPU
// away.
//
//   hostility fate(7);
//   cycles late = fate.delay();
//
// All of it follows from the seed, also how often what happens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class hostility {
 public:
  explicit hostility(std::uint64_t seed) noexcept : state_(base::generator_state(seed, 0)) {
    for (trouble& one : troubles_) one.of_lots >>= below(4);
  }

  /// In front of an event's number, so that equals come in any order.
  std::uint64_t precedence() noexcept { return below(std::uint64_t{1} << 24) << 40; }

  cycles delay() noexcept {
    std::uint64_t lot = below(lots);
    for (const trouble& one : troubles_) {
      if (lot < one.of_lots) return 1 + below(one.max >> below(8));
      lot -= one.of_lots;
    }
    return 0;
  }

 private:
  std::uint64_t below(std::uint64_t bound) noexcept { return base::random_below(bound, state_); }

  static constexpr std::uint64_t lots = std::uint64_t{1} << 20;
  struct trouble {
    std::uint64_t of_lots;
    cycles max;
  };
  std::array<trouble, 4> troubles_{{
      {lots / 8, 1'000},           // a miss, an interrupt
      {lots / 128, 50'000},        // a page fault, a wake-up of somebody else
      {lots / 8192, 3'000'000},    // about a millisecond: a time slice
      {lots / 131072, 60'000'000}  // a suspended process
  }};
  std::uint64_t state_;
};

}  // namespace skua::simulator
