// A Chase-Lev deque: the papers' baseline, which publishes every record when it is pushed.
//
// The owner pushes and pops the newest, thieves take the oldest by compare-and-swap on `oldest_`. Both ends only
// grow, but for the owner's end at a pop, so a thief's compare-and-swap fails when its record is gone. What lies in
// it is the ring's affair (chase_lev_ring.hpp): for the joins of a stack the slot of a record, since slots are used
// again as joins come and go; for tasks of a phase their words.
// After Chase and Lev (2005); orders after Lê, Pop, Cohen and Zappa Nardelli (2013), whose two fences are here
// orders of the accesses beside them: pop stores the owner's end and loads the thieves', take loads both.
// Checked by tests/model/chase_lev_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <skua/detail/split_queue.hpp>

#include "core/queue/chase_lev_ring.hpp"

namespace skua::core {

/// P is a platform's atomics.
template <class P, class Ring>
class chase_lev_deque {
  template <class T>
  using atomic = typename P::template atomic<T>;

 public:
  using value = typename Ring::value;

  chase_lev_deque() {
    oldest_.store(0, std::memory_order_relaxed);
    end_.store(0, std::memory_order_relaxed);
  }

  /// Owner: publishes a record, and what was written before. Throws what the ring throws when it grows.
  void push(const value& record) noexcept(noexcept(std::declval<Ring&>().make_room(0, 0))) {
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    // acquire: partner of take's compare-and-swap; the thief has read the place that is written now.
    ring_.make_room(oldest_.load(std::memory_order_acquire), end);
    ring_.store(end, record);
    end_.store(end + 1, std::memory_order_release);  // partner: the loads of `end_` by thieves
  }

  /// Owner: takes the newest record back; false when thieves have them all.
  bool pop(value* record = nullptr) noexcept {
    const std::int64_t newest = end_.load(std::memory_order_relaxed) - 1;
    // seq_cst, both: partners of take's load of `end_` and of its compare-and-swap. Either the thieves of the newest
    // record see that it is gone, or this sees how far they are.
    end_.store(newest, std::memory_order_seq_cst);
    std::int64_t oldest = oldest_.load(std::memory_order_seq_cst);
    if (record && oldest <= newest) *record = ring_.load(newest);
    if (oldest < newest) return true;
    // The last one: thieves want it too. seq_cst: partner of find_oldest's loads; who sees that it is gone sees that
    // `end_` is where it was set above, and no older one.
    const bool mine =
        oldest == newest && oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_seq_cst,
                                                            std::memory_order_relaxed);
    end_.store(newest + 1,
               std::memory_order_release);  // as in push: who sees it, too late, still finds a slot
    return mine;
  }

  /// Thief: takes the oldest record if `accept(record)`. Tries again when another one was faster.
  template <class Accept>
  bool take(value& record, Accept accept) noexcept {
    for (;;) {
      std::int64_t oldest = 0;
      if (!find_oldest(oldest, record) || !accept(record)) return false;
      // seq_cst: partner of pop's load; and release, for the acquire of the next thief.
      if (oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
        return true;
    }
  }

  /// Anybody: look(record) of the oldest one; false when there is none, or it is taken meanwhile.
  template <class Look>
  bool look_at_oldest(Look look) const {
    std::int64_t oldest = 0;
    value record{};
    if (!find_oldest(oldest, record)) return false;
    look(record);
    return oldest_.load(std::memory_order_relaxed) == oldest;
  }

  /// Anybody: a guess by the time it is used.
  std::size_t size() const noexcept {
    const std::int64_t oldest = oldest_.load(std::memory_order_relaxed);
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    return end > oldest ? static_cast<std::size_t>(end - oldest) : 0;
  }

 private:
  bool find_oldest(std::int64_t& oldest, value& record) const noexcept {
    // seq_cst: partner of both compare-and-swaps; this load of `end_` is then after the pop that the other one met.
    oldest = oldest_.load(std::memory_order_seq_cst);
    // seq_cst: partner of pop's store; and acquire: of push, the record is visible.
    if (oldest >= end_.load(std::memory_order_seq_cst)) return false;
    record = ring_.load(oldest);
    return true;
  }

  alignas(detail::line_pair) atomic<std::int64_t> oldest_;  // thieves' end
  alignas(detail::line_pair) atomic<std::int64_t> end_;     // one beyond the newest
  Ring ring_;
};

}  // namespace skua::core
