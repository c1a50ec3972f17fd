// The state of worker i of a scheduler, independent of the thread that holds it.
//
// The worker's own thread holds it while there is work. An external thread takes it for the duration of a call. The
// holder uses the plain members. The atomics are for the other threads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include <skua/detail/task.hpp>
#include <skua/steal_policy.hpp>

#include "core/completion.hpp"
#include "core/dealing/dealing.hpp"
#include "core/external/lease.hpp"
#include "core/external/vacancies.hpp"
#include "core/idle/small_loops.hpp"
#include "core/idle/tiny_steals.hpp"
#include "core/idle/unanswered.hpp"
#include "core/platform/stack_memory.hpp"
#include "core/queue/announcements.hpp"
#include "core/queue/arrivals.hpp"
#include "core/queue/backlog.hpp"
#include "core/queue/hint_cells.hpp"
#include "core/queue/queue_operations.hpp"
#include "core/queue/shared_words.hpp"
#include "core/record/observer.hpp"
#include "core/stack.hpp"

namespace skua::core {

class kept_worker;
class mutex_waiter;
class scheduler_core;
class worker_thief;

/// Group tasks in a worker's split queue, and how many of them stay there when it is full. The others go to its backlog.
inline constexpr std::uint16_t task_capacity = 16384, task_capacity_kept = 1024;

/// Stacks that a worker keeps for itself. Half of them go to the scheduler when there would be more: with
/// continuation::free a stack often ends on another worker than the one that took it.
inline constexpr std::size_t max_free_stacks = 8;

/// Suspended stacks whose queues still hold records. These can still be stolen. Rarely used, so a lock is fast enough.
class listed_stacks {
 public:
  void add(stack& s) noexcept;
  void remove(stack& s) noexcept;
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  std::size_t load() const noexcept;

  /// Takes the oldest record of one of them for which `accept(stack, frame, index)` is true.
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

/// A number that no other worker of this process has now, the smallest one that is free. per_worker finds values by it.
class worker_number {
 public:
  worker_number();
  ~worker_number();
  worker_number(const worker_number&) = delete;
  worker_number& operator=(const worker_number&) = delete;
  operator std::uint32_t() const noexcept { return number_; }

 private:
  std::uint32_t number_;
};

/// How many waits for groups a worker expects thieves after one has stolen a task from it.
inline constexpr std::uint8_t waits_with_thieves = 32;

struct worker {
  scheduler_core* pool = nullptr;
  worker_id id = 0;
  worker_number number;

  alignas(detail::line_pair) tenure<host_platform> held;  // by the thread that holds this worker
  shared<stack*> current{nullptr};                        // thieves look at its queue
  shared<bool> running{false};                            // a task runs, so more work may come
  shared<std::uint32_t> begun{0};                         // how often a task has begun or continued here
  shared<bool> ended{false};                              // its thread has left for good
  std::atomic<int> thread_number{0};                      // of the real thread that was attached last
  lease_at_worker<host_platform, kept_worker> kept;       // by an external thread, between its calls

  alignas(detail::line_pair) detail::task_pool tasks;
  line_array<detail::slot> slots{task_capacity + 1};      // of `tasks`
  hint_cells<detail::host_atomics, task_capacity> hints;  // beside them
  alignas(detail::line_pair) task_backlog backlog;        // the older tasks, for which it has no room
  alignas(detail::line_pair) arrivals<host_platform, stack> ready;  // to continue here; only the holder takes
  listed_stacks listed;
  alignas(detail::line_pair) worker_call_box calls;  // by which other workers hand it records

  // How often a call has begun here of a thread that keeps the worker. Thieves look at the lines above, so each call would fetch
  // theirs.
  alignas(detail::line_pair) shared<std::uint32_t> calls_begun{0};
  shared<std::uint32_t> loops_begun{0};  // how often a loop has begun here, in a task or in a call

  // For the holder only.
  alignas(detail::line_pair) worker_observer observer;  // what is kept of this worker
  stack* ready_now = nullptr;                           // taken from `ready`, oldest first
  mutex_waiter* mutex_waiters = nullptr;                // of stacks that are suspended here; see mutex.cpp
  stack* free_stacks = nullptr;                         // parked in the worker loop, to be continued there
  std::size_t free_stacks_count = 0;                    // at most max_free_stacks
  stack* spare_external_stack = nullptr;                // for the next external thread
  shared<std::size_t> suspended{0};
  shared<bool> naps{false};  // its thread sleeps with a timer
  tiny_steals last_steals;
  small_loops victims_loops;
  unanswered unanswered_tasks, unanswered_joins;  // publications
  dealing_state dealing;
  bool has_just_lent = false;  // to an external thread, when its own thread last looked for work
  bool lent_while_waiting =
      false;  // to an external thread, by a stack that waits in place: its thread must be woken afterwards
  bool thief_expected = false;  // the next push is published, although no worker is idle yet
  std::uint8_t thieves_at_waits =
      0;  // for so many waits, a worker publishes tasks before it waits, although no worker is idle
  core::announcer announcing;
  std::unique_ptr<steal_policy> policy;
  std::unique_ptr<worker_thief> view;
  std::uint64_t random_state = 0;
  context thread;  // the own stack of this worker's thread
  std::unique_ptr<signal_stack>
      overflow_stack;  // of this worker's thread; null where nothing watches for overflows
  // The first action of the stack after a switch, requested by the previous stack.
  void (*after_switch)(void*, worker&) = nullptr;
  void* after_switch_data = nullptr;
};

/// How many tasks and calls have begun at the worker. In virtual time the look takes no time.
inline std::uint32_t tasks_begun(const worker& p) noexcept {
  const auto number = [](const auto& of) {
    return detail::host_atomics::quietly(of).load(std::memory_order_relaxed);
  };
  return number(p.begun) + number(p.calls_begun);
}

/// For any thread: the number of the worker's group tasks; a guess by the time it is used.
inline std::size_t load_of_tasks(const worker& p) noexcept {
  return load_of<host_platform>(p.tasks) + p.backlog.size();
}

/// The same of all records in the worker's queues. acquire: partner of attach.
inline std::size_t load_of_queues(const worker& p) noexcept {
  const stack* const s = p.current.load(std::memory_order_acquire);
  return (s ? load_of_joins(*s) : 0) + load_of_tasks(p);
}

}  // namespace skua::core
