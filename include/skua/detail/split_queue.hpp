// The split queue of one owner: only the owner uses its private records, and thieves take its public records.
//
//   slots   | taken ... | public ...        | private ...      | free ...
//                       ^ range.first       ^ split            ^ top
//
// - The owner pushes and pops at `top` with plain stores. A pop succeeds when `split` is at or below the popped slot.
// - Thieves take the oldest public record by compare-and-swap on `range`. This one word holds both ends of the public
//   part and a version. A thief reads a record before it takes it, so a record that it refuses stays in its slot.
// - `limit` ends the fast path. A thread that needs the owner's attention lowers `limit`. The owner's next push then
//   takes the slow path (task_context::slow_push), which publishes records (src/core/queue/queue_operations.hpp). On a
//   simulated machine `limit` is the first slot, so every push takes the slow path and virtual time passes there.
//
// The owner stores `top`, then reads `limit` (push) or `split` (pop). Another thread writes `limit` or `split`, runs
// the heavy half of the fence (membarrier), then reads `top`. So at least one of the two threads sees the store of the
// other (Dekker's algorithm). The owner's half of the fence is only a compiler barrier and costs no instruction.
// After Lace (van Dijk and van de Pol, 2014). Taking private records by force is an asymmetric Dekker algorithm that
// uses membarrier(2).
#pragma once

#include <cstddef>
#include <cstdint>

#include <skua/detail/atomics.hpp>

namespace skua::core {
class stack_work_span;
}

namespace skua::detail {

/// A record, which a thief reads: the code to run, and the frame that holds its callable and result.
template <class P>
struct basic_slot {
  typename P::template atomic<void*> run;
  typename P::template atomic<void*> frame;
};

/// Both ends of the public part as indices into the slots, and a version that each change by the owner increments.
struct public_range {
  std::uint32_t version;
  std::uint16_t first;
  std::uint16_t end;

  static public_range unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint16_t>(word >> 16),
            static_cast<std::uint16_t>(word)};
  }
  std::uint64_t pack() const noexcept {
    return (std::uint64_t{version} << 32) | (std::uint64_t{first} << 16) | end;
  }
  bool empty() const noexcept { return first == end; }
};

// The processor fetches neighbouring cache lines in pairs. A thief that polls a word in the pair of `top` slows down
// every fork, so the words of different writers are 128 bytes apart.
inline constexpr std::size_t line_pair = 128;

template <class P>
struct split_queue {
  template <class T>
  using atomic = typename P::template atomic<T>;
  using slot = basic_slot<P>;

  // Written by the owner only.
  alignas(line_pair) atomic<slot*> top;
  slot* first_slot = nullptr;
  slot* last = nullptr;   // never published: a push there means the queue is full
  slot* armed = nullptr;  // `limit` without a request: `last`, or a slot that the owner chose
  static constexpr slot* lowered = nullptr;    // `limit` after a request
  std::uint64_t pushes = 0;                    // not yet added to the worker's counters
  core::stack_work_span* work_span = nullptr;  // in a queue of joins, when a report is recorded
  bool watched = false;                        // every push takes the slow path

  // The owner reads these at every push and pop. Threads that need its attention write them.
  alignas(line_pair) atomic<slot*> limit;
  atomic<slot*> split;

  // Thieves contend for these.
  alignas(line_pair) atomic<std::uint64_t> range;  // a public_range
  atomic<int> guard;                               // a spin lock for every change of `split`

  std::uint16_t index_of(const slot* s) const noexcept { return static_cast<std::uint16_t>(s - first_slot); }

  /// Owner: the slot of the next record.
  slot* own_top() const noexcept { return P::quietly(top).load(std::memory_order_relaxed); }

  /// Owner: the frame of the record at `s`, which is below `top`.
  static void* own_frame(const slot* s) noexcept {
    return P::quietly(s->frame).load(std::memory_order_relaxed);
  }

  /// Owner: pushes a record at `s`, which is `top`. Returns true when the caller must take the slow path.
  [[gnu::always_inline]] bool push(slot* s, void* run, void* frame) noexcept {
    P::quietly(s->run).store(run, std::memory_order_relaxed);
    return push(s, frame);
  }
  /// As above, for a slot whose `run` has the right value already.
  [[gnu::always_inline]] bool push(slot* s, void* frame) noexcept {
    ++pushes;
    // release: partner of claim's acquire. A thief may read a frame that was pushed after it read `range`.
    tell_release(&s->frame, std::memory_order_release);  // only in the library, see atomics.hpp
    P::quietly(s->frame).store(frame, std::memory_order_release);
    P::quietly(top).store(s + 1, std::memory_order_release);  // partner: the acquire of force_publish
    P::light_fence();
    return P::quietly(limit).load(std::memory_order_relaxed) <= s;
  }

  /// Owner: pops the newest record, which is at `s`. Returns false when the record is, or may be, public.
  [[gnu::always_inline]] bool pop(slot* s) noexcept {
    P::quietly(top).store(s,
                          std::memory_order_release);  // as in push: a thief that reads it sees the records
    P::light_fence();
    return P::quietly(split).load(std::memory_order_relaxed) <= s;
  }
};

}  // namespace skua::detail
