// The split queue: private records that only the owner touches, public ones that thieves take.
//
//   slots   | taken ... | public ...        | private ...      | free ...
//                       ^ range.first       ^ split            ^ top
//
// - The owner pushes and pops at `top` with plain stores. A pop is good when `split` lies at or below it.
// - Thieves take the oldest public record by compare-and-swap on `range`, one word that holds both ends
//   of the public part and a version, so a record that was refused was never moved.
// - `limit` ends the fast path: whoever wants the owner's attention lowers it, and the owner's next push
//   falls into the slow path (src/core/queue/queue_operations.hpp), which publishes. On a simulated machine it lies at the first
//   slot, so that time passes at every push.
//
// The owner stores `top`, then reads `limit` (push) or `split` (pop). A thief writes one of those, then
// runs the heavy half of the fence, then reads `top`. One of the two sees the other (Dekker), although
// the owner pays for no fence.
// After Lace (van Dijk and van de Pol, 2014); taking private records by force is an asymmetric Dekker
// over membarrier(2).
#pragma once

#include <cstddef>
#include <cstdint>

#include <skua/detail/atomics.hpp>

namespace skua::core {
class stack_work_span;
}

namespace skua::detail {

/// What a thief reads: the code to run and the frame that holds its callable and result.
template <class P>
struct basic_slot {
  typename P::template atomic<void*> run;
  typename P::template atomic<void*> frame;
};

/// Both ends of the public part as indices into the slots, and a version that every owner's change bumps.
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

// 128 bytes apart: neighbouring lines are fetched in pairs, and a thief polling on the line of `top`
// made a fork three times slower.
inline constexpr std::size_t line_pair = 128;

template <class P>
struct split_queue {
  template <class T>
  using atomic = typename P::template atomic<T>;
  using slot = basic_slot<P>;

  // Written by the owner only.
  alignas(line_pair) atomic<slot*> top;
  slot* slots = nullptr;
  slot* last = nullptr;   // never published: a push there means the queue is full
  slot* armed = nullptr;  // where `limit` lies while nobody wants attention: `last`, or where the owner does
  static constexpr slot* lowered = nullptr;    // where it lies when somebody does
  std::uint64_t pushes = 0;                    // not yet added to the worker's counters
  core::stack_work_span* work_span = nullptr;  // of a stack's joins, where a report is kept
  bool watched = false;                        // every push is to come to the slow path

  // Read by the owner at every push and pop, written by whoever wants its attention.
  alignas(line_pair) atomic<slot*> limit;
  atomic<slot*> split;

  // Where thieves contend.
  alignas(line_pair) atomic<std::uint64_t> range;  // a public_range
  atomic<int> guard;                               // a spin lock for every change of `split`

  std::uint16_t index(const slot* s) const noexcept { return static_cast<std::uint16_t>(s - slots); }

  /// Owner: where the next record goes.
  slot* own_top() const noexcept { return P::quietly(top).load(std::memory_order_relaxed); }

  /// Owner: what a private record below it holds.
  static void* own_frame(const slot* s) noexcept {
    return P::quietly(s->frame).load(std::memory_order_relaxed);
  }

  /// Owner: pushes to `s`, which is `top`; true when the slow path must look at it.
  [[gnu::always_inline]] bool push(slot* s, void* run, void* frame) noexcept {
    P::quietly(s->run).store(run, std::memory_order_relaxed);
    return push(s, frame);
  }
  /// The same where `run` of the slot is right already.
  [[gnu::always_inline]] bool push(slot* s, void* frame) noexcept {
    ++pushes;
    // Partner: claim's acquire; what a thief looks at before it claims may be newer than what it saw published.
    P::quietly(s->frame).store(frame, std::memory_order_release);
    P::quietly(top).store(s + 1, std::memory_order_release);  // partner: the acquire of force_publish
    P::light_fence();
    return P::quietly(limit).load(std::memory_order_relaxed) <= s;
  }

  /// Owner: pops the newest record, which lies in `s`; false when it is (or may be) public.
  [[gnu::always_inline]] bool pop(slot* s) noexcept {
    P::quietly(top).store(s,
                          std::memory_order_release);  // as in push, whose release a weaker store would undo
    P::light_fence();
    return P::quietly(split).load(std::memory_order_relaxed) <= s;
  }
};

}  // namespace skua::detail
