// A part of a simulated machine that acts by itself in virtual time, as a network does: a virtual thread of its own, the
// world's clock, calls it when something is due.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {
// ---- events

// What happens when: the earliest first, and of what happens at the same time whatever was put down first.

template <class Event>
class time_line {
 public:
  void put(cycles at, Event what) {
    entries_.push_back({at, numbers_++, std::move(what)});
    std::ranges::push_heap(entries_, later);
  }
  std::optional<cycles> next() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.front().at);
  }
  /// There is one.
  std::pair<cycles, Event> take() {
    std::ranges::pop_heap(entries_, later);
    entry first = std::move(entries_.back());
    entries_.pop_back();
    return {first.at, std::move(first.what)};
  }

 private:
  struct entry {
    cycles at;
    std::uint64_t number;
    Event what;
  };
  static bool later(const entry& a, const entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  std::vector<entry> entries_;  // a heap
  std::uint64_t numbers_ = 0;
};

class machine_part {
 public:
  /// When something happens next, if nobody uses it before.
  virtual std::optional<cycles> next() const = 0;
  /// Everything until then happens. Time goes forward only; the caller spends none.
  virtual void advance(cycles now) = 0;

 protected:
  ~machine_part() = default;
};

}  // namespace skua::simulator
