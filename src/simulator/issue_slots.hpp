// Hardware threads of a core share what it issues: together they get less done than so many cores would.
//
//   issue_slots slots(64, 4, smt_throughput::of_two_slots());  // cores, threads of each
//   slots.begin(core);
//   pass(slots.stretched(core, cycles));                       // twice as long if all four compute
//   slots.end(core);
//
// Only who computes takes part: who waits for a message or for work needs no slot. A wait for declared data that follows
// no other step of its thread does take part, since it belongs to the computing that comes after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/memory_types.hpp"

namespace skua::simulator {

/// How much several threads of one core get done at the same time, in hundredths of what one does that is alone there.
class smt_throughput {
 public:
  /// An in-order core that issues two instructions a cycle, threaded like a Niagara 2, as in the ADM paper. Where that is
  /// silent: a thread issues one a cycle at most, so two do not disturb each other.
  static constexpr smt_throughput of_two_slots() noexcept { return {2, 200}; }
  /// A core that one thread can nearly fill: any more add so much, all of them together.
  static constexpr smt_throughput with_gain(unsigned percent) noexcept { return {1, 100 + percent}; }

  /// Do so many hold each other up?
  constexpr bool scarce(std::size_t threads) const noexcept { return threads > undisturbed_; }
  constexpr cycles stretched(cycles alone, std::size_t threads) const noexcept {
    return scarce(threads) ? std::max(alone, alone * threads * 100 / most_) : alone;
  }

 private:
  constexpr smt_throughput(std::size_t undisturbed, std::size_t most) noexcept
      : undisturbed_(undisturbed), most_(most) {}
  std::size_t undisturbed_, most_;
};

class issue_slots {
 public:
  /// Who computes for long looks now and then how many others do: so long of what is left is taken at once.
  static constexpr cycles slice_of(cycles left) noexcept {
    return std::min(left, std::max<cycles>(left / 16, 500));
  }

  issue_slots(std::size_t cores, std::size_t threads_a_core, smt_throughput together)
      : threads_(threads_a_core), together_(together), busy_(cores) {}

  bool scarce() const noexcept { return together_.scarce(threads_); }
  void begin(std::size_t core) noexcept { ++busy_[core]; }
  void end(std::size_t core) noexcept { --busy_[core]; }
  /// For a thread that has begun, or (`one_more`) for a handler beside those that have.
  cycles stretched(std::size_t core, cycles alone, bool one_more = false) const noexcept {
    return together_.stretched(alone, std::min(busy_[core] + (one_more ? 1 : 0), threads_));
  }

 private:
  std::size_t threads_;
  smt_throughput together_;
  std::vector<std::size_t> busy_;  // by core: who computes there
};

}  // namespace skua::simulator
