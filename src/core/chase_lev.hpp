// A Chase-Lev deque of the records of a stack: the papers' baseline, which publishes every record when it is pushed.
//
// The owner pushes and pops the newest, thieves take the oldest by compare-and-swap on `oldest_`. Both ends only
// grow, but for the owner's end at a pop, so a thief's compare-and-swap fails when its record is gone. A record's
// slot is used again as the stack's joins come and go; so the ring holds which slot a record lies in. It never
// overflows: it has a place for each slot.
// After Chase and Lev (2005); orders after Lê, Pop, Cohen and Zappa Nardelli (2013), whose two fences are here
// orders of the accesses beside them: pop stores the owner's end and loads the thieves', take loads both.
// Checked by tests/model/chase_lev_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// P is a platform's atomics. A slot is known by its index, below Capacity.
template <class P, std::size_t Capacity>
class chase_lev_deque {
  template <class T>
  using atomic = typename P::template atomic<T>;

 public:
  chase_lev_deque() {
    oldest_.store(0, std::memory_order_relaxed);
    end_.store(0, std::memory_order_relaxed);
  }

  /// Owner: publishes the record in a slot, and what was written before.
  void push(std::uint16_t slot) noexcept {
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    place(end).store(slot, std::memory_order_relaxed);
    end_.store(end + 1, std::memory_order_release);  // partner: the loads of `end_` by thieves
  }

  /// Owner: takes the newest record back; false when thieves have them all.
  bool pop() noexcept {
    const std::int64_t newest = end_.load(std::memory_order_relaxed) - 1;
    // seq_cst, both: partners of take's load of `end_` and of its compare-and-swap. Either the thieves of the newest
    // record see that it is gone, or this sees how far they are.
    end_.store(newest, std::memory_order_seq_cst);
    std::int64_t oldest = oldest_.load(std::memory_order_seq_cst);
    if (oldest < newest) return true;
    // The last one: thieves want it too. relaxed: what the owner writes next orders nothing for who lost.
    const bool mine =
        oldest == newest && oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_relaxed,
                                                            std::memory_order_relaxed);
    end_.store(newest + 1,
               std::memory_order_release);  // as in push: who sees it, too late, still finds a slot
    return mine;
  }

  /// Thief: takes the oldest record if `accept(slot)`; its slot, or none. Tries again when another one was faster.
  template <class Accept>
  bool take(std::uint16_t& slot, Accept accept) noexcept {
    for (;;) {
      std::int64_t oldest = 0;
      if (!find_oldest(oldest, slot) || !accept(slot)) return false;
      // seq_cst: partner of pop's load; and release, for the acquire of the next thief.
      if (oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
        return true;
    }
  }

  /// Anybody: look(slot) of the oldest record; false when there is none, or it is taken meanwhile.
  template <class Look>
  bool look_at_oldest(Look look) const {
    std::int64_t oldest = 0;
    std::uint16_t slot = 0;
    if (!find_oldest(oldest, slot)) return false;
    look(slot);
    return oldest_.load(std::memory_order_relaxed) == oldest;
  }

  /// Anybody: a guess by the time it is used.
  std::size_t size() const noexcept {
    const std::int64_t oldest = oldest_.load(std::memory_order_relaxed);
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    return end > oldest ? static_cast<std::size_t>(end - oldest) : 0;
  }

 private:
  bool find_oldest(std::int64_t& oldest, std::uint16_t& slot) const noexcept {
    // acquire: partner of take's compare-and-swap; this load of `end_` is then after the pop that the other thief met.
    oldest = oldest_.load(std::memory_order_acquire);
    // seq_cst: partner of pop's store; and acquire: of push, the record is visible.
    if (oldest >= end_.load(std::memory_order_seq_cst)) return false;
    slot = place(oldest).load(std::memory_order_relaxed);
    return true;
  }

  atomic<std::uint16_t>& place(std::int64_t at) noexcept {
    return ring_[static_cast<std::size_t>(at) % Capacity];
  }
  const atomic<std::uint16_t>& place(std::int64_t at) const noexcept {
    return ring_[static_cast<std::size_t>(at) % Capacity];
  }

  alignas(detail::line_pair) atomic<std::int64_t> oldest_;  // thieves' end
  alignas(detail::line_pair) atomic<std::int64_t> end_;     // one beyond the newest
  std::array<atomic<std::uint16_t>, Capacity> ring_;
};

}  // namespace skua::core
