// What stacks wait for, and how they wait (waiting.cpp).
#pragma once

#include <cstdint>

#include <skua/detail/task_context.hpp>
#include <skua/steal_policy.hpp>

#include "core/completion.hpp"
#include "core/platform/platform.hpp"
#include "core/stack.hpp"
#include "core/stealing.hpp"
#include "core/worker.hpp"

namespace skua::core {

class scheduler_core;

/// The event that a waiter waits for has happened.
void wake_waiter(waiter& w) noexcept;
/// The same. Returns whether the waiter can run soon. If it says so and its thread then begins something else first, it
/// calls awaited_event::held_up().
bool wake_and_ask(waiter& w) noexcept;
/// A task begins at this worker, or continues there. The stacks that are ready there must wait for it.
void hold_up_ready_stacks(worker& here) noexcept;
/// As wake_waiter(), called by the last child on its worker. With continuation::free the waiter continues there.
void wake_where_child_ended(waiter& w) noexcept;
/// Runs the action that the previous stack requested. Each stack calls it first after a switch.
void arrive() noexcept;
/// Leaves a stack that is in the worker loop for a ready one.
void continue_stack(stack& self, stack& ready) noexcept;
/// Inside skua::isolate: nothing from outside the region may run on this stack's thread.
inline std::uint64_t isolation_of(const task_context& self) noexcept {
  const detail::scope* const scope = self.scope.load(std::memory_order_relaxed);
  return scope ? scope->isolation : 0;
}
inline bool isolated(const task_context& self) noexcept { return isolation_of(self) != 0; }
inline bool has_ready(const worker& here) noexcept { return here.ready_now || here.ready.any(); }
/// The next stack to continue here, oldest first, or null.
stack* next_ready(worker& here) noexcept;
/// A thread that has found nothing for this long takes private records by force: an owner answers a request at its
/// next fork, so a longer wait means a long leaf.
inline constexpr std::int64_t force_after_ns = 5'000;
/// A wait in place looks for tasks for this long before it gives up its thread. Sleeping and waking take about as long.
inline constexpr std::int64_t help_for_ns = 50'000;

/// The event that a stack waits for.
struct awaited_event {
  virtual bool done() = 0;
  /// Registers the waiter to be woken, once. False when the event has already happened.
  virtual bool wait_by(waiter& w) = 0;
  /// A task that may run on top of a stack that waits in place, or none. `waited_ns`: since it last found one.
  virtual stolen help(stack& self, std::int64_t waited_ns) = 0;
  /// The waiter cannot react soon, since its thread does something else first. Called after wait_by(), before or after
  /// the waiter is woken. An event that has woken one of several waiters then wakes another one.
  virtual void held_up() noexcept {}
  /// Whether the event cannot happen in a child of fork() once help() finds nothing: only a thread of the parent could
  /// cause it.
  virtual bool lost_in_child() const { return false; }
  /// The group that it waits for, if it does: a stand-in may run its tasks.
  virtual detail::group_base* awaited_group() const { return nullptr; }

 protected:
  ~awaited_event() = default;
};
/// Another thread has ended or has a message; there is nothing to help with.
struct completion_event final : awaited_event {
  explicit completion_event(completion<host_platform, waiter>& o) : of(o) {}
  bool done() override { return of.done(); }
  bool wait_by(waiter& w) override { return of.wait_by(&w); }
  stolen help(stack&, std::int64_t) override { return {}; }
  completion<host_platform, waiter>& of;
};
/// Suspends this stack until the event, or waits in place if suspending is forbidden or impossible. A stack that runs
/// an inter-domain task above the boundary releases its domain's token during the wait.
void wait_for(stack& self, awaited_event& event);
/// As above, but the stack keeps the token.
void wait_plainly_for(stack& self, awaited_event& event);
/// For an external thread without a worker: sleeps until it is woken. `group`: the one that it waits for, or null. Its tasks
/// may lie in `pool`, if there is one, beneath tasks that block their workers; then a stand-in runs them.
void sleep_until_woken(waiter& w, scheduler_core* pool, detail::group_base* group) noexcept;
/// Waits for the thread that runs the record beside which `side` lies.
void wait_for_child(stack& self, stolen_side& side, bool handed = false);
/// Called after a wait. The worker that ran the awaited task will look for work in a moment. So the next push is
/// published without a request. In a loop of steps that is the largest piece of the next step.
void expect_thief(stack& self) noexcept;

/// One of this worker's own tasks. It may lie below what the wait must not touch, or above it.
stolen take_own_help(worker& here, const restriction& only);
/// tasks: only group tasks and joins that thieves have put into a queue to run later, without the joins of running
/// stacks, because nested waits could pile up those without end.
enum class help_from { all_queues, tasks };
/// A task for a wait in place: one of this worker's own, else another worker's, by force after force_after_ns. On
/// a large machine it asks now and then whether the event `until` has happened, and then returns none.
stolen take_help(stack& self, const restriction& only, std::int64_t waited_ns, help_from where,
                 awaited_event* until = nullptr);
/// In place: runs one task that event.help() finds. False when the event has happened, or when help() has found none for a while
/// although other threads could use the worker.
bool help_for_a_while(stack& self, awaited_event& event);
/// Whether this worker may take from others without messages.
bool may_help_elsewhere(const worker& here) noexcept;

}  // namespace skua::core
