// A Chase-Lev deque: the papers' baseline, which publishes every record when it is pushed.
//
// The owner pushes and pops the newest record. Thieves take the oldest one by compare-and-swap on `oldest_`. Both ends
// only grow, except that a pop lowers the owner's end, so a thief's compare-and-swap fails when its record is gone. A
// ring stores the records: slot indices for the joins of a stack (slot_ring), because joins reuse their slots; words
// for the tasks of a phase (growing_ring). A thief reads a ring's cell before it knows whether the record is still
// there to take, so cells are atomic. Their accesses are relaxed: the deque's ends order them, except for the pointer
// to the array.
//
// After Chase and Lev (2005). The memory orders follow Lê, Pop, Cohen and Zappa Nardelli (2013); here, orders of the
// neighbouring accesses replace their two fences: pop stores the owner's end and loads the thieves', take loads both.
// Checked by tests/model/chase_lev_test.cpp.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <skua/detail/split_queue.hpp>

#include "core/queue/shared_words.hpp"

namespace skua::core {

/// For records that lie in slots of their own. It has one cell for each slot, so it is never full.
template <class P, std::size_t Capacity>
class slot_ring {
 public:
  using value = std::uint16_t;  // a slot's index

  void make_room(std::int64_t, std::int64_t) noexcept {}
  void store(std::int64_t at, value slot) noexcept { cell(at).store(slot, std::memory_order_relaxed); }
  value load(std::int64_t at) const noexcept { return cell(at).load(std::memory_order_relaxed); }

 private:
  using atomic = typename P::template atomic<value>;
  atomic& cell(std::int64_t at) noexcept { return cells_[static_cast<std::size_t>(at) % Capacity]; }
  const atomic& cell(std::int64_t at) const noexcept {
    return cells_[static_cast<std::size_t>(at) % Capacity];
  }
  std::array<atomic, Capacity> cells_;
};

/// For records of a few words each. When full it doubles; the old arrays are kept, because thieves may still read them.
template <class P, std::size_t Words, std::size_t First = 64>
class growing_ring {
  static_assert(std::has_single_bit(First));

 public:
  using value = std::array<std::uint64_t, Words>;

  growing_ring() { use(std::make_unique<array>(First)); }

  /// Owner: makes room for one more record after those from `oldest` to `end`. May throw std::bad_alloc.
  void make_room(std::int64_t oldest, std::int64_t end) {
    const array& full = *arrays_.back();
    if (static_cast<std::size_t>(end - oldest) < full.size) return;
    auto grown = std::make_unique<array>(2 * full.size);
    for (std::int64_t at = oldest; at < end; ++at)
      for (std::size_t w = 0; w < Words; ++w)
        grown->word(at, w).store(full.word(at, w).load(std::memory_order_relaxed), std::memory_order_relaxed);
    use(std::move(grown));
  }
  void store(std::int64_t at, const value& v) noexcept {
    for (std::size_t w = 0; w < Words; ++w)
      arrays_.back()->word(at, w).store(v[w], std::memory_order_relaxed);
  }
  value load(std::int64_t at) const noexcept {
    const array& here = *current_.load(std::memory_order_acquire);  // partner: use()
    value v{};
    for (std::size_t w = 0; w < Words; ++w) v[w] = here.word(at, w).load(std::memory_order_relaxed);
    return v;
  }

 private:
  struct array {
    using atomic = typename P::template atomic<std::uint64_t>;
    explicit array(std::size_t n) : size(n), words(n * Words) {
      P::made_words(words.get(), words.size() * sizeof(atomic));
      // A late thief may read a cell to which nothing was copied, before its compare-and-swap fails.
      for (std::size_t i = 0; i < n * Words; ++i) words[i].store(0, std::memory_order_relaxed);
    }
    auto& word(std::int64_t at, std::size_t w) const noexcept {
      return words[(static_cast<std::size_t>(at) & (size - 1)) * Words + w];
    }
    const std::size_t size;
    const line_array<atomic> words;
  };
  void use(std::unique_ptr<array> next) {
    arrays_.push_back(std::move(next));
    current_.store(arrays_.back().get(), std::memory_order_release);  // the copies; partner: load()
  }

  std::vector<std::unique_ptr<array>> arrays_;
  typename P::template atomic<array*> current_;
};

/// P is a platform's atomics, Ring one of the rings above.
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

  /// Owner: publishes a record, and what was written before it. Throws what the ring throws when it grows.
  void push(const value& record) noexcept(noexcept(std::declval<Ring&>().make_room(0, 0))) {
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    // acquire: partner of take's compare-and-swap; the thief has read the cell before it is written again.
    ring_.make_room(oldest_.load(std::memory_order_acquire), end);
    ring_.store(end, record);
    end_.store(end + 1, std::memory_order_release);  // partner: the loads of `end_` by thieves
  }

  /// Owner: takes the newest record back; false when thieves have them all.
  bool pop(value* record = nullptr) noexcept {
    const std::int64_t newest = end_.load(std::memory_order_relaxed) - 1;
    // seq_cst, both: partners of take's load of `end_` and of its compare-and-swap. Either the thieves of the newest
    // record see that it is gone, or this load sees how far they have come.
    end_.store(newest, std::memory_order_seq_cst);
    std::int64_t oldest = oldest_.load(std::memory_order_seq_cst);
    if (record && oldest <= newest) *record = ring_.load(newest);
    if (oldest < newest) return true;
    // The last record: thieves compete for it. seq_cst: partner of find_oldest's loads; a thief that sees that it is
    // gone sees the `end_` that was stored above, and no older one.
    const bool mine =
        oldest == newest && oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_seq_cst,
                                                            std::memory_order_relaxed);
    // release, as in push: a late thief that sees this value still finds a record's slot.
    end_.store(newest + 1, std::memory_order_release);
    return mine;
  }

  /// Thief: takes the oldest record if `accept(record)`, which may throw. Tries again when another thief was faster.
  template <class Accept>
  bool take(value& record, Accept accept) {
    for (;;) {
      std::int64_t oldest = 0;
      if (!find_oldest(oldest, record) || !accept(record)) return false;
      // seq_cst: partner of pop's load. It includes release, for the acquire of the next thief.
      if (oldest_.compare_exchange_strong(oldest, oldest + 1, std::memory_order_seq_cst,
                                          std::memory_order_relaxed))
        return true;
    }
  }

  /// Any thread: calls look(record) for the oldest record; false when there is none, or it was taken meanwhile.
  template <class Look>
  bool look_at_oldest(Look look) const {
    std::int64_t oldest = 0;
    value record{};
    if (!find_oldest(oldest, record)) return false;
    look(record);
    return oldest_.load(std::memory_order_relaxed) == oldest;
  }

  /// Any thread: an estimate, since it may change at once.
  std::size_t size() const noexcept {
    const std::int64_t oldest = oldest_.load(std::memory_order_relaxed);
    const std::int64_t end = end_.load(std::memory_order_relaxed);
    return end > oldest ? static_cast<std::size_t>(end - oldest) : 0;
  }

 private:
  bool find_oldest(std::int64_t& oldest, value& record) const noexcept {
    // seq_cst: partner of both compare-and-swaps; the load of `end_` then follows the pop that this load has seen.
    oldest = oldest_.load(std::memory_order_seq_cst);
    // seq_cst: partner of pop's store. It includes acquire, partner of push's release: the record is visible.
    if (oldest >= end_.load(std::memory_order_seq_cst)) return false;
    record = ring_.load(oldest);
    return true;
  }

  alignas(detail::line_pair) atomic<std::int64_t> oldest_;  // thieves' end
  alignas(detail::line_pair) atomic<std::int64_t> end_;     // owner's end: one beyond the newest
  Ring ring_;
};

}  // namespace skua::core
