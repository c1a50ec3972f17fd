// What the core tells about a stack: each object stands for what happens while it lives. An object costs a test or two
// where nothing is recorded: no clock runs, no trace is kept, no work and span is measured, and time is real.
#pragma once

#include <cstdint>
#include <optional>

#include <skua/detail/strand.hpp>

#include "core/record/call_row.hpp"
#include "core/record/observer.hpp"
#include "core/record/slices.hpp"
#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"
#include "observe/lock_log.hpp"

namespace skua::core {

/// A task enters the scheduler, which does `what`. At the end the task continues, perhaps on another worker.
class scoped_activity {
 public:
  scoped_activity(const task_context& self, activity what) noexcept
      : self_(self), outer_(self.worker->observer.watch.does()) {
    self.worker->observer.enters(what);
  }
  ~scoped_activity() { self_.worker->observer.enters(outer_); }
  scoped_activity(const scoped_activity&) = delete;
  scoped_activity& operator=(const scoped_activity&) = delete;

 private:
  const task_context& self_;
  activity outer_;
};

/// A fork that is recorded for work and span. It has a name before any time passes, because a thief may take it by
/// force.
class observed_fork {
 public:
  observed_fork(stack& self, const detail::slot* s) noexcept : named_(self, s) {}

 private:
  struct name {
    name(stack& self, const detail::slot* s) noexcept {
      if (s < self.last) name_child(self.side(s));
    }
  } named_;
  detail::strand_steps step_;  // what the program has computed so far belongs to the strand that ends
};

/// A fork that the slow path pushes.
class observed_push {
 public:
  observed_push(stack& self, const detail::slot* s) noexcept
      : fork_(self, s), publishes_(counted(self), activity::spawning) {}

 private:
  static stack& counted(stack& self) noexcept {
    count_fast_path(timed_step::fork);
    return self;
  }
  observed_fork fork_;
  scoped_activity publishes_;
};

/// A join that asks on the slow path whether its child has been taken.
class observed_reclaim {
 public:
  observed_reclaim(stack& self, detail::slot* s) noexcept : takes_back_(told(self, s), activity::own_queue) {}

 private:
  static stack& told(stack& self, detail::slot* s) noexcept {
    if (self.work_span) self.work_span->before_reclaim(s);
    return self;
  }
  detail::strand_pauses pause_;
  scoped_activity takes_back_;
};

/// A join that waits for its child, which another worker took.
class observed_child_wait {
 public:
  observed_child_wait(stack& self, detail::slot* s) noexcept : self_(self), slot_(s) {
    if (self.row) self.row->waits_for_thief();
    if (self.work_span) waits_ = self.work_span->before_child(s);
  }
  ~observed_child_wait() {
    if (self_.work_span) self_.work_span->child_ended(slot_, waits_);
  }
  observed_child_wait(const observed_child_wait&) = delete;
  observed_child_wait& operator=(const observed_child_wait&) = delete;

 private:
  stack& self_;
  detail::slot* slot_;
  stack_work_span::child_wait waits_{};
};

/// A wait of any kind: the waiting task does no work.
class observed_wait {
 public:
  explicit observed_wait(stack& self) noexcept
      : no_work_(self.work_span), leaves_(self, activity::suspending) {}

 private:
  strand_stops no_work_;
  scoped_activity leaves_;
};

/// A stack that waits in place runs something else. At the end it waits again.
class observed_interruption {
 public:
  explicit observed_interruption(const stack& self) noexcept : self_(self) {}
  ~observed_interruption() { self_.worker->observer.enters(activity::waiting); }
  observed_interruption(const observed_interruption&) = delete;
  observed_interruption& operator=(const observed_interruption&) = delete;

 private:
  const stack& self_;
};

/// A stack is away, and continues at the end, perhaps on another worker.
class observed_suspension {
 public:
  explicit observed_suspension(stack& self) noexcept : self_(self), before_(self.worker) {
    before_->observer.counters.suspensions.add();
    interrupt_slices(self);
  }
  ~observed_suspension() {
    if (self_.worker != before_)
      self_.account = nullptr;  // it belongs to the other worker, which writes there
    resume_slices(self_);
  }
  observed_suspension(const observed_suspension&) = delete;
  observed_suspension& operator=(const observed_suspension&) = delete;

 private:
  stack& self_;
  worker* const before_;
};

/// A task found a skua::mutex locked. Ends when it has the mutex, perhaps on another worker.
class observed_lock {
 public:
  explicit observed_lock(const void* from) noexcept {
    const stack* const self = current_stack();
    if (self && self->worker->observer.log) [[unlikely]]
      begin(from);
  }
  ~observed_lock() {
    if (where_[0] != 0) [[unlikely]]
      end();
  }
  observed_lock(const observed_lock&) = delete;
  observed_lock& operator=(const observed_lock&) = delete;

  /// Until here it only looked at the mutex.
  void waits_in_line() noexcept {
    if (where_[0] != 0) [[unlikely]]
      left_ = host_platform::ticks();
  }

 private:
  void begin(const void* from) noexcept;
  void end() noexcept;
  observe::lock_log::place where_{};    // zeros without keep_report
  std::uint64_t began_ = 0, left_ = 0;  // left_: 0 if it has not waited in line
};

/// A worker's own thread sleeps.
class observed_sleep {
 public:
  explicit observed_sleep(worker& here) noexcept : here_(here), from_(host_platform::now_ns()) {
    here.observer.counters.sleeps.add();
  }
  ~observed_sleep() {
    here_.observer.counters.asleep_ns.add(static_cast<std::uint64_t>(host_platform::now_ns() - from_));
  }
  observed_sleep(const observed_sleep&) = delete;
  observed_sleep& operator=(const observed_sleep&) = delete;

 private:
  worker& here_;
  const std::int64_t from_;
};

/// A search tries to take from one victim.
class observed_claim {
 public:
  explicit observed_claim(worker& here) noexcept : here_(here) { here.observer.enters(activity::claiming); }
  ~observed_claim() { here_.observer.enters(activity::looking); }
  observed_claim(const observed_claim&) = delete;
  observed_claim& operator=(const observed_claim&) = delete;

 private:
  worker& here_;
};

/// A stack in the worker loop runs what a search found. `victim`: the worker that it was stolen from, if known.
class observed_loot {
 public:
  observed_loot(stack& self, std::optional<worker_id> victim) noexcept {
    if (self.worker->observer.log) [[unlikely]]
      begin(self, victim);
  }
  ~observed_loot() {
    if (self_) [[unlikely]]
      end();
  }
  observed_loot(const observed_loot&) = delete;
  observed_loot& operator=(const observed_loot&) = delete;

 private:
  void begin(stack& self, std::optional<worker_id> victim) noexcept;
  void end() noexcept;
  stack* self_ = nullptr;  // null without keep_report
  worker* here_ = nullptr;
  std::uint64_t began_ = 0;
  std::uint32_t begun_before_ = 0;
};

/// The code of a stolen join runs.
class observed_task {
 public:
  observed_task(stack& self, const stolen_side& side, const void* code)
      : strand_(name_of_child(side)), drawn_(self, observe::trace_kind::task, code), work_span_(self, side) {}

 private:
  detail::strand_here strand_;
  traced drawn_;
  task_work_span work_span_;
};

/// The code of a call from outside runs, `from` as in detail::call_outside.
class observed_call {
 public:
  observed_call(stack& self, const void* from)
      : drawn_(self, observe::trace_kind::call), strand_(name_of_next_root()), work_span_(self, from) {}

 private:
  traced drawn_;
  detail::strand_here strand_;
  task_work_span work_span_;
};

/// An external thread has attached with this stack, for the first time in a call; has left; has attached once more.
void external_thread_attached(const stack& self) noexcept;
void external_thread_leaves(const stack& self) noexcept;
void external_thread_returned(const stack& self) noexcept;

}  // namespace skua::core
