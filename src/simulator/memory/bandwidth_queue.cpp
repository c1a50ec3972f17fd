#include "simulator/memory/bandwidth_queue.hpp"

#include <algorithm>
#include <cmath>

namespace skua::simulator {

bandwidth_queue::bandwidth_queue(double bytes_a_cycle, cycles slice_cycles)
    : rate_(static_cast<std::uint64_t>(std::llround(bytes_a_cycle * 1000))),
      room_(rate_ * slice_cycles),
      length_(slice_cycles),
      slices_(64) {}

cycles bandwidth_queue::pass(cycles time, std::uint64_t bytes) {
  std::uint64_t here = with_room(std::max(time / length_, first_));
  const cycles turn = here * length_ + at(here).used / rate_;
  for (std::uint64_t left = bytes * 1000;;) {
    slice& s = at(here);
    const std::uint64_t taken = std::min(left, room_ - s.used);
    s.used += taken;
    left -= taken;
    if (s.used == room_) s.next = here + 1;
    if (left == 0) break;
    here = with_room(here + 1);
  }
  return turn > time ? turn - time : 0;
}

void bandwidth_queue::advance(cycles time) {
  const std::uint64_t first = time / length_;
  if (first <= first_) return;
  const std::uint64_t dropped = std::min<std::uint64_t>(first - first_, slices_.size());
  for (std::uint64_t i = 0; i < dropped; ++i) at(first_ + i) = slice{};
  first_ = first;
}

/// The first slice with room from this one on. Full ones on the way learn where it is.
std::uint64_t bandwidth_queue::with_room(std::uint64_t number) {
  std::uint64_t end = number;
  for (;;) {
    reach(end);
    if (at(end).used < room_) break;
    end = at(end).next;
  }
  while (number != end) {
    const std::uint64_t next = at(number).next;
    at(number).next = end;
    number = next;
  }
  return end;
}

/// As many slices as it takes to keep that one.
void bandwidth_queue::reach(std::uint64_t number) {
  if (number - first_ < slices_.size()) return;
  const std::vector<slice> old = slices_;
  std::size_t size = old.size();
  while (number - first_ >= size) size *= 2;
  slices_.assign(size, slice{});
  for (std::uint64_t i = first_; i < first_ + old.size(); ++i) at(i) = old[i & (old.size() - 1)];
}

}  // namespace skua::simulator
