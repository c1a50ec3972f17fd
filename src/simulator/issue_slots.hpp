// The threads of an in-order core share what it issues: with more of them at work than it has slots, each takes longer.
//
//   issue_slots slots(64, 4);                     // cores, threads of each
//   slots.begin(core);
//   pass(slots.stretched(core, cycles));          // twice as long if all four compute
//   slots.end(core);
//
// The ADM paper's cores issue two instructions a cycle and are threaded like Niagara 2's. Where it is silent: a thread
// issues one a cycle at most, so two do not disturb each other, and what waits for memory or for a message needs no slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/memory_types.hpp"

namespace skua::simulator {

class issue_slots {
 public:
  static constexpr std::size_t of_a_core = 2;
  /// Who computes for long looks again after so many cycles how many others do.
  static constexpr cycles slice = 500;

  issue_slots(std::size_t cores, std::size_t threads_a_core)
      : scarce_(threads_a_core > of_a_core), busy_(cores) {}

  bool scarce() const noexcept { return scarce_; }
  void begin(std::size_t core) noexcept { ++busy_[core]; }
  void end(std::size_t core) noexcept { --busy_[core]; }
  /// For a thread that has begun, or (`one_more`) for a handler beside those that have.
  cycles stretched(std::size_t core, cycles alone, bool one_more = false) const noexcept {
    return alone * std::max(of_a_core, busy_[core] + (one_more ? 1 : 0)) / of_a_core;
  }

 private:
  bool scarce_;
  std::vector<std::size_t> busy_;
};

}  // namespace skua::simulator
