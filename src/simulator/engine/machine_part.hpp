// A part of a simulated machine that acts by itself in virtual time, such as a network, and the queue of its events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

// ---- events

/// Events in the order of their times. Events of the same time keep the order in which they were put in.
template <class Event>
class time_line {
 public:
  void put(cycles at, Event event) {
    entries_.push_back({at, numbers_++, std::move(event)});
    std::ranges::push_heap(entries_, later);
  }
  std::optional<cycles> next() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.front().at);
  }
  /// Removes and returns the first event. There must be one.
  std::pair<cycles, Event> take() {
    std::ranges::pop_heap(entries_, later);
    entry first = std::move(entries_.back());
    entries_.pop_back();
    return {first.at, std::move(first.event)};
  }

 private:
  struct entry {
    cycles at;
    std::uint64_t number;
    Event event;
  };
  static bool later(const entry& a, const entry& b) {
    return a.at != b.at ? a.at > b.at : a.number > b.number;
  }

  std::vector<entry> entries_;  // a heap
  std::uint64_t numbers_ = 0;
};

/// The simulated machine's clock, a virtual thread of its own, calls this whenever an event is due.
class machine_part {
 public:
  /// When the next event happens, if no thread uses this part before.
  virtual std::optional<cycles> next() const = 0;
  /// Handles all events until `now`. Time only goes forward; the call itself takes no time.
  virtual void advance(cycles now) = 0;

 protected:
  ~machine_part() = default;
};

}  // namespace skua::simulator
