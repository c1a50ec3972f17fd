// Where a Chase-Lev deque keeps its records: a place for each, or an array that grows.
//
// Thieves read a place before they know whether its record is still theirs, so what it holds is atomic. relaxed: the
// deque's ends order it, but for the array itself.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/queue/line_array.hpp"

namespace skua::core {

/// For records that lie in slots of their own: never full with a place for each slot.
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

/// For records of a few words each. Grows to twice its size when full; what it grew out of stays until the end, since
/// thieves may still read there.
template <class P, std::size_t Words, std::size_t First = 64>
class growing_ring {
  static_assert(std::has_single_bit(First));

 public:
  using value = std::array<std::uint64_t, Words>;

  growing_ring() { use(std::make_unique<array>(First)); }

  /// Owner: records from `oldest` up to `end` are there, and one more is about to be. May throw std::bad_alloc.
  void make_room(std::int64_t oldest, std::int64_t end) {
    const array& full = *arrays_.back();
    if (static_cast<std::size_t>(end - oldest) < full.places) return;
    auto grown = std::make_unique<array>(2 * full.places);
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
    const array& here = *now_.load(std::memory_order_acquire);  // partner: use
    value v{};
    for (std::size_t w = 0; w < Words; ++w) v[w] = here.word(at, w).load(std::memory_order_relaxed);
    return v;
  }

 private:
  struct array {
    using atomic = typename P::template atomic<std::uint64_t>;
    explicit array(std::size_t n) : places(n), words(n * Words) {
      P::made_words(words.get(), words.size() * sizeof(atomic));
      // A thief that comes late reads where nothing was copied to, before it learns that it came late.
      for (std::size_t i = 0; i < n * Words; ++i) words[i].store(0, std::memory_order_relaxed);
    }
    auto& word(std::int64_t at, std::size_t w) const noexcept {
      return words[(static_cast<std::size_t>(at) & (places - 1)) * Words + w];
    }
    const std::size_t places;
    const line_array<atomic> words;
  };
  void use(std::unique_ptr<array> next) {
    arrays_.push_back(std::move(next));
    now_.store(arrays_.back().get(), std::memory_order_release);  // what was copied; partner: load
  }

  std::vector<std::unique_ptr<array>> arrays_;
  typename P::template atomic<array*> now_;
};

}  // namespace skua::core
