// One thing that passes so many bytes a cycle: memory controllers, a link, a bus.
//
// Time is cut into slices, each of which has room for so many bytes. Who comes takes room from the slice of its time on,
// so accesses may come in another order than their times: one that comes later, for an earlier time, takes what is left
// there. Those that come in order wait as in a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class bandwidth_queue {
 public:
  /// Kept in thousandths of bytes.
  bandwidth_queue(double bytes_a_cycle, cycles slice);

  /// How long `bytes` that come at `time` wait until their turn. O(1), amortised.
  cycles pass(cycles time, std::uint64_t bytes);
  /// Nobody comes any more for a time before this one; who does counts as coming then.
  void advance(cycles time);

 private:
  struct slice {
    std::uint64_t used = 0;  // in thousandths of bytes
    std::uint64_t next = 0;  // of a full one: where there may be room
  };

  slice& at(std::uint64_t number) noexcept { return slices_[number & (slices_.size() - 1)]; }
  std::uint64_t with_room(std::uint64_t number);
  void reach(std::uint64_t number);

  std::uint64_t rate_, room_;  // in thousandths of bytes, of a cycle and of a slice
  cycles length_;
  std::uint64_t first_ = 0;  // slice that is still kept
  std::vector<slice> slices_;
};

}  // namespace skua::simulator
