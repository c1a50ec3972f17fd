// An event of each worker, and the earliest of all: a tournament. Each worker has a leaf, and each inner node holds the
// earlier one of the two events below it, so the root holds the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// A worker continues at this time. Of two events with the same time, the one with the smaller number is first.
struct event {
  cycles time;
  std::uint64_t number;
  worker_id worker;
  bool before(const event& other) const noexcept {
    return time != other.time ? time < other.time : number < other.number;
  }
};

class event_tournament {
 public:
  static constexpr cycles never = std::numeric_limits<cycles>::max();

  event_tournament() { grow(); }

  /// Adds a worker without an event. It has the next number, beginning with 0. Strong guarantee if there is no memory.
  void add_worker() {
    if (workers_ == leaves_) grow();
    ++workers_;
  }

  /// The worker's event, in place of its last one. O(log workers), as remove().
  void set(const event& one) noexcept {
    std::size_t at = leaves_ + one.worker;
    event winner = nodes_[at] = one;
    for (; at > 1; at /= 2) {
      const event& other = nodes_[at ^ 1];
      if (other.before(winner)) winner = other;
      nodes_[at / 2] = winner;
    }
  }
  void remove(worker_id worker) noexcept { set({never, 0, worker}); }

  bool empty() const noexcept { return first().time == never; }
  const event& first() const noexcept { return nodes_[1]; }

 private:
  void grow() {
    const std::size_t leaves = nodes_.empty() ? 1 : 2 * leaves_;
    std::vector<event> nodes(2 * leaves, event{never, 0, 0});
    nodes.swap(nodes_);
    const std::size_t before = leaves_;
    leaves_ = leaves;
    for (std::size_t i = 0; i < workers_; ++i)
      if (const event& one = nodes[before + i]; one.time != never) set(one);
  }

  std::vector<event> nodes_;  // the root is at 1, the leaves from leaves_ on
  std::size_t leaves_ = 0, workers_ = 0;
};

}  // namespace skua::simulator
