// How a stack or a thread waits for the tasks of a group.
#include <skua/task_group.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "core/dealing/dealt_tasks.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace detail {

namespace {

struct group_wait final : awaited_event {
  group_wait(pending_tasks<host_atomics>& p, group_base& g) : pending(p), group(g) {}
  // Only counted tasks: wait_here() looks again for those that this stack has left in its pool meanwhile.
  bool done() override { return pending.done(); }
  bool wait_by(waiter& w) override { return pending.wait_by(&w); }

  // Only tasks of the group, and inside an isolated region only tasks of that region.
  stolen help(stack& self, std::int64_t waited_ns) override {
    const restriction only{.isolation = isolation_of(self), .group = &group, .taker = self.worker};
    return take_help(self, only, waited_ns, help_from::all_queues, this);
  }

  bool lost_in_child() const override { return true; }
  group_base* awaited_group() const override { return &group; }

  pending_tasks<host_atomics>& pending;
  group_base& group;
};

}  // namespace

// Publishes and counts the private tasks: they may lie below other groups' tasks, and what this stack runs while it
// waits may leave more of them.
//
// No stale value can hide a task here. Only home's stack writes `uncounted_`, so home reads its own last store, also after
// it has moved to another thread, since a switch orders the two threads. load_of() reads `top`, which the holder of the
// worker writes, and the first public record, which thieves advance. An old value of the latter is too small, and the
// load then too large, which only costs a call of publish_here(). What lies on top, of whichever group, does not
// matter: publish_here() publishes all private records of the queue.
void group_base::count_own(stack& self) noexcept {
  if (&self != home_) {
    if (!home_) return;
    // This stack waits for a group that another stack has made.
    for (auto& p : static_cast<stack*>(home_)->pool->all_workers) publish_tasks_of(*p, self);
  } else if (uncounted_.load(std::memory_order_relaxed) != 0) {
    if (load_of<host_platform>(*self.tasks) != 0) publish_here(self);
    // Inside one of the group's own tasks the count still includes the tasks that run below it; they are subtracted
    // later.
    if (depth_ == 0) uncounted_.store(0, std::memory_order_relaxed);
  }
}

// Whether a task of the group is below the calling thread: this thread runs it, or runs a blocking call for it. `w`: the stack
// of the calling thread, if it has a worker.
bool group_base::is_below(const task_context* w) const noexcept {
  const auto is_here = [this](const stack& one) {
    const scope* s = one.scope.load(std::memory_order_relaxed);
    if (s == scope_.outer) return false;  // where the group was made
    while (s && s->group != this) s = s->outer;
    return s != nullptr;
  };
  const blocking_caller* called_by = blocking_caller_here;
  for (auto* at = static_cast<const stack*>(w);; called_by = called_by->outer) {
    for (; at; at = at->entered_from)
      if (is_here(*at)) return true;
    if (!called_by) return false;
    at = &called_by->from;
  }
}

// Such a task would wait for its own end. In oneTBB it hangs.
void group_base::refuse_own_tasks(const task_context* w, waits_in place) const {
  if (!is_below(w)) [[likely]]
    return;
  if (place == waits_in::destructor) {
    std::fputs("skua: a task_group cannot be destroyed by one of its own tasks\n", stderr);
    std::terminate();
  }
  throw std::logic_error(
      "skua: a task of a task_group, or a task inside it, waits for that group, so it would wait for its own "
      "end; create another task_group inside the task");
}

void group_base::wait_all(task_context& w, waits_in place) {
  const stack& self = static_cast<const stack&>(w);
  // The common case: nothing is below this stack, and it waits where the group was made.
  if (self.entered_from || blocking_caller_here || self.scope.load(std::memory_order_relaxed) != scope_.outer)
      [[unlikely]]
    refuse_own_tasks(&w, place);
  wait_all_of(w);
}

void group_base::wait_all_of(task_context& w) {
  forget_tasks_of_parent(&w);
  if (home_ && home_ != &w && !stack_exists(home_)) {
    // The scheduler in which the group was made has ended, and has run all of its tasks before.
    home_ = nullptr;
    uncounted_.store(0, std::memory_order_relaxed);
  }
  scheduler_core* const made_in = home_ ? static_cast<stack*>(home_)->pool : nullptr;
  if (!made_in || made_in == static_cast<stack&>(w).pool) return wait_here(w);
  // In the scheduler that holds the tasks.
  run_as_worker(
      *made_in, [](void* group, task_context& inside) { static_cast<group_base*>(group)->wait_here(inside); },
      this);
}

// The calling thread has no worker. If it gets one, it runs the tasks; once, because the last of them may run elsewhere for long.
void group_base::sleep_until_done(core::scheduler_core* tasks_go_to, bool had_worker) noexcept {
  struct outside_wait {
    group_base& group;
    bool withdrawn;
  };
  const auto wait_there = [](void* data, task_context& here) {
    auto& wait = *static_cast<outside_wait*>(data);
    wait.withdrawn = wait.group.pending_.withdraw();
    if (wait.withdrawn) wait.group.run_while_there_are_tasks(here);
  };
  if (!had_worker && tasks_go_to && waits_in_parts(*tasks_go_to)) {
    waiter w;
    w.also_on = &tasks_go_to->free_workers.word();
    if (!pending_.wait_by(&w)) return;
    outside_wait wait{*this, false};
    run_unless_woken(*tasks_go_to, w, wait_there, &wait);
    if (!wait.withdrawn) return sleep_until_woken(w, tasks_go_to, this);
  }
  waiter w;
  if (pending_.wait_by(&w)) sleep_until_woken(w, tasks_go_to, this);
}

// A thread that waits outside has got a worker. It leaves it when it finds no task of the group, because others may have
// taken the worker when the tasks have ended.
void group_base::run_while_there_are_tasks(task_context& w) {
  stack& self = static_cast<stack&>(w);
  group_wait event(pending_, *this);
  self.worker->dealing.is_filled(this);
  do {
    run_own(w);
    count_own(self);
    if (!event.done()) self.worker->thieves_at_waits = waits_with_thieves;
  } while (help_for_a_while(self, event));
  if (is_alone(self) && !event.done()) lose_tasks();
}

void group_base::wait_here(task_context& w) {
  const strand_pauses pause;
  stack& self = static_cast<stack&>(w);
  group_work_span* const its = work_span_.load(std::memory_order_acquire);
  const group_wait_work_span recorded(self, this, its);
  if (its == little_group) work_span_.store(nullptr, std::memory_order_relaxed);  // later tasks may be large
  group_wait event(pending_, *this);
  for (;;) {
    if (self.worker->pool->may_deal) deal_rest(w);
    run_own(w);
    count_own(self);
    // Workers to which tasks were dealt end soon, or this worker finds nothing else to do.
    const std::int64_t until =
        &w == home_ && known_before_ != 0 ? host_platform::now_ns() + dealt_awaited_ns : 0;
    for (int i = 0; !event.done() && (i < 64 || (until != 0 && host_platform::now_ns() < until)); ++i)
      host_platform::relax();
    if (event.done()) {
      if (self.worker->pool->may_deal) deal_ended(w);
      return;
    }
    wait_for(self, event);
    if (is_alone(self) && !event.done()) return lose_tasks();
    expect_thief(self);
  }
}

}  // namespace detail
}  // namespace skua
