// The hints of public records: one cell beside each slot of a queue, read by thieves without a lock.
//
// A cell is written under the queue's guard before its record becomes public. A thief reads `range`, the cell, and
// `range` again. If `range` is unchanged, the record was public all the time, and a compare-and-swap from that same
// word then claims exactly the record whose hint was read. `range` always changes before a cell is rewritten.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// P is a platform's atomics. Every word that a thief may read is an atomic. A cell has cache lines of its own, so that
/// false sharing does not depend on addresses.
template <class P>
class alignas(64) hint_cell {
  template <class T>
  using atomic = typename P::template atomic<T>;

 public:
  static constexpr std::size_t inline_words = 8;

  hint_cell() {
    P::made_words(this, sizeof(*this));
    kind_.store(0, std::memory_order_relaxed);
    size_.store(0, std::memory_order_relaxed);
    far_.store(nullptr, std::memory_order_relaxed);
  }
  ~hint_cell() {
    for (block* b = far_.load(std::memory_order_relaxed); b;) {
      block* const older = b->older;
      delete b;
      b = older;
    }
  }
  hint_cell(const hint_cell&) = delete;
  hint_cell& operator=(const hint_cell&) = delete;

  // Under the guard, while the record is not public. The stores release (partner: the acquires of read): a thief that
  // sees one of them also sees that `range` has changed since this slot's last record was public.
  void clear() noexcept {
    if (kind_.load(std::memory_order_relaxed) != 0) kind_.store(0, std::memory_order_release);
  }
  void write(std::uint64_t kind, const void* bytes, std::size_t size) noexcept {
    block* const far = is_far(size) ? room_for(size) : nullptr;
    if (is_far(size) && !far) return clear();
    kind_.store(kind, std::memory_order_release);
    size_.store(size, std::memory_order_release);
    for (std::size_t at = 0, i = 0; at < size; at += 8, ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(bytes) + at, std::min<std::size_t>(8, size - at));
      (far ? far->word(i) : near_[i]).store(word, std::memory_order_release);
    }
  }

  /// Any thread: returns the kind, and passes the bytes to `copy(size, word(i))`. Valid only if `range` has not
  /// changed.
  template <class Copy>
  std::uint64_t read(Copy copy) const {
    const std::uint64_t kind = kind_.load(std::memory_order_acquire);
    if (kind == 0) return 0;
    const std::size_t size = size_.load(std::memory_order_acquire);
    const block* const far = is_far(size) ? far_.load(std::memory_order_acquire) : nullptr;
    // The size and the block may belong to different hints. The second read of `range` detects that; until then the
    // reads must stay inside the block.
    copy(far ? std::min(size, 8 * far->count) : size, [this, far](std::size_t i) {
      return (far ? far->word(i) : near_[i]).load(std::memory_order_acquire);
    });
    return kind;
  }

 private:
  struct block {
    explicit block(std::size_t n) : lines(new line[(n + 7) / 8]), count(n) {
      P::made_words(lines.get(), (n + 7) / 8 * sizeof(line));
    }
    struct alignas(64) line {
      atomic<std::uint64_t> words[8];
    };
    atomic<std::uint64_t>& word(std::size_t i) const { return lines[i / 8].words[i % 8]; }
    std::unique_ptr<line[]> lines;
    std::size_t count;
    block* older = nullptr;  // kept, because a thief may still read it
  };

  static constexpr bool is_far(std::size_t size) noexcept { return size > 8 * inline_words; }
  block* room_for(std::size_t size) noexcept {
    block* const far = far_.load(std::memory_order_relaxed);
    if (far && far->count * 8 >= size) return far;
    try {
      auto* const larger = new block((size + 7) / 8);
      larger->older = far;
      far_.store(larger, std::memory_order_release);
      return larger;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  atomic<std::uint64_t> kind_;  // 0: no hint
  atomic<std::size_t> size_;    // bytes
  atomic<std::uint64_t> near_[inline_words];
  atomic<block*> far_;
};

/// The cells of one queue, allocated in runs when the first hinted record becomes public there.
template <class P, std::size_t Capacity, std::size_t RunLength = 64>
class hint_cells {
 public:
  hint_cells() {
    for (auto& run : runs_) run.store(nullptr, std::memory_order_relaxed);
  }
  ~hint_cells() {
    for (auto& run : runs_) delete[] run.load(std::memory_order_relaxed);
  }
  hint_cells(const hint_cells&) = delete;
  hint_cells& operator=(const hint_cells&) = delete;

  /// Under the guard: the cell of a slot, or null if it has not been allocated.
  hint_cell<P>* at(std::size_t slot) noexcept {
    hint_cell<P>* const run = runs_[slot / run_length].load(std::memory_order_relaxed);
    return run ? run + slot % run_length : nullptr;
  }
  /// The same, allocated if needed; null when memory is exhausted.
  hint_cell<P>* make(std::size_t slot) noexcept {
    if (hint_cell<P>* known = at(slot)) return known;
    auto* const run = new (std::nothrow) hint_cell<P>[run_length];
    runs_[slot / run_length].store(run, std::memory_order_release);  // partner: find()
    return run ? run + slot % run_length : nullptr;
  }
  /// Any thread.
  const hint_cell<P>* find(std::size_t slot) const noexcept {
    const hint_cell<P>* const run = runs_[slot / run_length].load(std::memory_order_acquire);
    return run ? run + slot % run_length : nullptr;
  }

 private:
  static constexpr std::size_t run_length = RunLength;
  typename P::template atomic<hint_cell<P>*> runs_[Capacity / run_length + 1];
};

/// Any thread: reads the hint of the oldest public record, through `copy` as in hint_cell::read. False when there is no
/// such record or it changed meanwhile; then the copied bytes are invalid.
template <class P, class Queue, class Cells, class Copy>
bool read_oldest_hint(const Queue& q, const Cells& cells, std::uint64_t& kind, Copy copy) {
  const std::uint64_t before = q.range.load(std::memory_order_acquire);  // partner: update_range()
  const auto range = detail::public_range::unpack(before);
  if (range.empty()) return false;
  const auto* const cell = cells.find(range.first);
  kind = cell ? cell->read(copy) : 0;
  return q.range.load(std::memory_order_relaxed) == before;
}

}  // namespace skua::core
