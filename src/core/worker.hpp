// A worker's place: everything that belongs to worker i of a scheduler, whoever sits there.
//
// Its own thread sits there while it has work; a thread from outside takes it for the length of a call. Whoever
// holds the place uses its plain members; the atomics are for the others.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <skua/detail/task.hpp>
#include <skua/steal_policy.hpp>

#include "core/completion.hpp"
#include "core/queue/announcements.hpp"
#include "core/queue/hint_cells.hpp"
#include "core/queue/queue_operations.hpp"
#include "core/queue/shared_words.hpp"
#include "core/queue/stack_joins.hpp"
#include "core/stack.hpp"
#include "core/vacancies.hpp"
#include "observe/counting.hpp"
#include "observe/stopwatch.hpp"
#include "observe/trace_event.hpp"
#include "observe/trace_log.hpp"
#include "observe/worker_log.hpp"

namespace skua::core {

class scheduler_core;
class worker_thief;

/// Group tasks a place can queue; beyond them a further one runs at once.
inline constexpr std::uint16_t task_capacity = 16384;

using worker_counters = observe::counting;
using trace_log = observe::trace_log<detail::host_atomics>;

/// Suspended stacks whose queues still hold records: they stay stealable. Rare, so a lock will do.
class listed_stacks {
 public:
  void add(stack& s) noexcept;
  void remove(stack& s) noexcept;
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  std::size_t load() const noexcept;

  /// Takes the oldest record of one of them that `accept(stack, frame, index)` likes.
  template <class Accept>
  bool claim_from(claimed& out, stack*& from, Accept accept) {
    if (!any()) return false;
    const std::lock_guard lock(guard_);  // a policy's confirm may throw, although it must not
    bool found = false;
    for (stack* s = first_; s && !found; s = s->next_listed) {
      from = s;
      found = claim_joins(*s, &out, 1, [&](void* f, std::uint16_t i) { return accept(*s, f, i); }) != 0;
    }
    return found;
  }

  /// Whether look(stack) succeeds for one of them, asked in the order in which claim_from would take.
  template <class Look>
  bool peek(Look look) const {
    if (!any()) return false;
    const std::lock_guard lock(guard_);  // a policy's confirm may throw, although it must not
    bool found = false;
    for (stack* s = first_; s && !found; s = s->next_listed) found = look(*s);
    return found;
  }

 private:
  mutable spin_lock guard_;
  shared<std::size_t> count_{0};
  stack* first_ = nullptr;
};

struct worker {
  scheduler_core* pool = nullptr;
  worker_id id = 0;

  alignas(detail::line_pair) tenure<host_platform> held;  // by who sits here
  shared<stack*> current{nullptr};                        // whose queue thieves look at
  shared<bool> running{false};                            // a task runs, so more work may come
  shared<std::uint32_t> begun{0};                         // how often one has begun here, or gone on
  shared<bool> ended{false};                              // its thread has left for good

  alignas(detail::line_pair) detail::task_pool tasks;
  line_array<detail::slot> slots{task_capacity + 1};      // of `tasks`
  hint_cells<detail::host_atomics, task_capacity> hints;  // beside them
  alignas(detail::line_pair) ready_list<host_platform, stack> ready;
  listed_stacks listed;

  // The holder's own.
  alignas(detail::line_pair) worker_counters counters;
  observe::stopwatch watch;
  observe::count library_in_tasks_ps;     // in virtual time, and `user` to the stopwatch
  stack* ready_now = nullptr;             // taken from `ready`, oldest first
  stack* free_stacks = nullptr;           // parked in the worker loop, to be continued there
  stack* spare_external_stack = nullptr;  // for the next thread from outside
  shared<std::size_t> suspended{0};
  shared<bool> naps{false};  // its thread sleeps by the clock
  bool lent_while_waiting =
      false;  // to an external thread, by a stack that waits in place: its thread must be woken afterwards
  bool thief_expected = false;  // the next push is published, although no worker is idle yet
  core::announcer announcing;
  std::unique_ptr<steal_policy> policy;
  std::unique_ptr<worker_thief> view;
  std::uint64_t random_state = 0;
  context thread;  // the own stack of this place's thread
  // What the stack that is switched to does first, on behalf of the one that was left.
  void (*after_switch)(void*, worker&) = nullptr;
  void* after_switch_data = nullptr;
  observe::worker_log* log = nullptr;  // null: nobody wants a report
  trace_log* events = nullptr;         // null: nobody traces
};

/// Anybody: what lies in the queues of who sits there; a guess by the time it is used. acquire: partner of attach.
inline std::size_t load_of_queues(const worker& p) noexcept {
  const stack* const s = p.current.load(std::memory_order_acquire);
  return (s ? load_of_joins(*s) : 0) + load_of<host_platform>(p.tasks);
}

}  // namespace skua::core
