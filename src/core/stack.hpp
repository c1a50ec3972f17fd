// A stack: the state of a suspended task. Its join queue lies next to it and outlives every use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <skua/detail/strand.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/trace_span.hpp>

#include "core/completion.hpp"
#include "core/dealing/dealing.hpp"
#include "core/platform/context.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/stack_memory.hpp"
#include "core/queue/chase_lev.hpp"
#include "core/queue/hint_cells.hpp"
#include "core/queue/queue_operations.hpp"
#include "observe/worker_log.hpp"

namespace skua::core {

class scheduler_core;
class stack;
class call_row;
class domain_pool;
struct awaited_event;

/// A waiter for one event: a suspended stack, or a thread that keeps its stack and parks on `woken`.
struct waiter {
  waiter() noexcept { has_new_words(*this); }
  stack* suspended = nullptr;  // null: the thread waits in place
  shared<std::uint32_t> woken{0};
  shared<std::uint32_t>* also_on =
      nullptr;  // another word on which it may be parked; it looks at `woken` from time to time
};

/// The state of one stolen record that the thief and the owner share, next to its slot.
struct stolen_side {
  completion<host_platform, waiter> done;
  shared<task_context*> runner;  // its queue holds the children of the stolen task ...
  shared<detail::slot*> floor;   // ... from here on
  std::exception_ptr thrown;
  shared<detail::scope*> scope;
  shared<std::uint64_t> isolation;
  shared<std::uint32_t> bound;  // which workers may take it, see bound_to_none
  bool inter;                   // an inter-domain task, whose runner holds its domain's token
};

/// Which workers may take a record: all (0), none, or those of domain `bound - 1`.
inline constexpr std::uint32_t bound_to_none = ~std::uint32_t{0};

/// Joins that a stack can have outstanding; a further one runs its child at its join. This is far more than fit on a
/// stack with frames of the usual size, and few enough for the 16-bit ends of a public_range.
inline constexpr std::uint16_t join_capacity = 16384;
using joins_deque = chase_lev_deque<detail::host_atomics, slot_ring<detail::host_atomics, join_capacity>>;

/// Whether a stack of any scheduler is at this address. A group may live longer than the stack that made it.
bool stack_exists(const task_context* at) noexcept;
/// From now on stack_exists() is false for all stacks except those that `keep` accepts.
void forget_stacks(bool (*keep)(const stack&)) noexcept;

/// Tasks of a group that the group counts already, before the stack publishes them. So a row of tasks of the group changes the
/// count, which other workers change too, once for all that it publishes (group/task_row.hpp).
struct counted_ahead {
  detail::group_base* of = nullptr;
  std::uint64_t left = 0;
};

class stack final : public task_context {
 public:
  /// bytes == 0: the own stack of an external thread.
  explicit stack(std::size_t bytes);
  ~stack();

  /// From now on its joins are in a deque. Before its first use.
  void use_deque();

  stolen_side& side(const detail::slot* s) noexcept { return sides_[s - first_slot]; }
  void* memory() const noexcept { return mapping_.memory(); }
  std::size_t bytes() const noexcept { return bytes_; }
  bool external() const noexcept { return bytes_ == 0; }

  hint_cells<detail::host_atomics, join_capacity> hints;  // beside the slots
  std::unique_ptr<joins_deque> deque;                     // null: they are in the split queue
  context execution;
  waiter waiting;
  stack* next = nullptr;            // in a ready list or a free list
  stack* next_listed = nullptr;     // among the suspended stacks of a worker that still hold records
  core::worker* home = nullptr;     // where it was suspended, and continues
  awaited_event* awaits = nullptr;  // while it is suspended
  bool held_up = false;             // `awaits` knows that it is ready and something else runs first
  scheduler_core* pool = nullptr;   // to which it belongs, always
  stack* entered_from =
      nullptr;  // of an external thread: the stack of this thread that called into this scheduler
  domain_pool* token = nullptr;          // of the domain in which this stack runs an inter-domain task
  core::worker* listed_at = nullptr;     // the worker whose list of suspended stacks holds it
  detail::strand strand;                 // the strand that it runs, on a simulated machine that measures
  detail::open_slice* slices = nullptr;  // drawn now in a trace, the innermost first
  observe::pair_counts* account =
      nullptr;            // of the steal that brought what runs here; null: not stolen, or no report is kept
  handed_records handed;  // of its joins
  counted_ahead ahead;
  call_row* row =
      nullptr;  // of an external thread that keeps its worker between its calls, if they are recorded
  std::int64_t waits_since_ns = 0;  // when the last piece of a loop that ran here began to wait for its thief
  /// Until then no thief takes private joins by force, in nanoseconds; 0: they may (dealt_loops.hpp).
  alignas(detail::line_pair) shared<std::int64_t> undisturbed_until{0};

 private:
  alignas(detail::line_pair) std::size_t bytes_;
  stolen_side* sides_;
  stack_memory mapping_;
};

// ---- the joins of a stack, in the kind of queue that the scheduler's policy asks for (steal_policy::queue)
//
// All policies but the baseline use the split queue. The baseline uses a Chase-Lev deque beside the slots: there
// `limit` is the first slot and `split` lies above the last one, so every push and pop takes the slow path
// (slow_path.cpp), and thieves find the split queue empty.

/// As load_of: the number of joins.
inline std::size_t load_of_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() : load_of<host_platform>(s);
}

/// As has_public.
inline bool has_public_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() != 0 : has_public<host_platform>(s);
}

/// As claim. A deque yields its records one by one, so the owner or other thieves may take some of them in between.
template <class Accept, class Also = any_further>
std::size_t claim_joins(stack& s, claimed* out, std::size_t max, Accept accept, Also also = {}) {
  if (!s.deque) return claim<host_platform>(s, out, max, accept, also);
  const std::size_t wanted = max > 1 ? std::min(max, (s.deque->size() + 1) / 2) : max;
  std::size_t taken = 0;
  const auto accept_oldest = [&](std::uint16_t at) {
    return taken == 0 ? accept(nullptr, at) : also(nullptr, taken);
  };
  for (std::uint16_t at = 0; taken < wanted && s.deque->take(at, accept_oldest); ++taken)
    // No other thread writes to a taken slot until its join has ended.
    out[taken] = {s.first_slot[at].run.load(std::memory_order_relaxed),
                  s.first_slot[at].frame.load(std::memory_order_relaxed), at};
  return taken;
}

}  // namespace skua::core
