// Work and span of a run, measured while it runs: work, span and burdened span as Cilkscale and Cilkview define them,
// and the call sites on the span. Only with keep_report.
//
// A *strand* is what a stack runs between two forks, joins or waits. Its *path* is the longest chain of strands that
// must run one after the other, from the beginning of the run to the current point. At a fork both callables begin at
// the same point of the path; at the join the path continues at the later of their two ends. A thief begins at the
// point where its record was forked, and leaves its end beside the record. So the span is the end of the longest path,
// whichever thread ran which part. A call from outside begins at the end of the longest path of the calls that had
// ended by then: consecutive calls add up, and concurrent calls do not. Waiting, and what a stack runs while it waits,
// is on no path of its own.
//
// Reading a clock at every fork would cost more than a small fork. In real time a fork is *watched*, with a clock, if
// it is expected to hold at least a grain of work. Otherwise it is taken as serial, with all forks below it. The
// expectation is what the last fork of the same call site and depth held; in a recursion that is a sibling or a cousin.
// Forks that are taken as serial still take the slow path, where they are counted. Every sixteenth of them checks with
// the clock whether the expectation was wrong; if so, the forks that follow are watched. If they are too small even for
// that, the fast path is opened one level further down. On a simulated machine every fork is watched.
//
// The pieces of a loop are what its owner and its thieves ran, but the loop could have been cut anywhere. So the span
// of a loop is that of its longest iteration (or of as many iterations as its grain). It is estimated as the largest
// average of a timed piece, or as what a piece took beyond the average of the pieces before it. Its burden is one steal
// for each halving, down to pieces that are worth one.
//
// Not separated yet: what a phase (skua/phase.hpp) runs is part of the strand that takes part in it, and a blocking
// call that a worker passes to another thread is on no path.
//
// A stack's data belongs to the thread that runs the stack. Data passes between threads in three ways only: beside a
// record, in a group under the group's lock, and in work_span_totals under its lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <skua/detail/task.hpp>

#include "core/platform/platform.hpp"
#include "core/work_span/stack_work_span.hpp"
#include "core/work_span/totals.hpp"

namespace skua::core {

/// Records a task that a stack runs on top of what it was doing, while this lives. Does nothing if no report is kept.
class task_work_span {
 public:
  /// A stolen join.
  task_work_span(stack& self, const stolen_side& side);
  /// A call from outside; `from` as in detail::call_outside.
  task_work_span(stack& self, const void* from);
  task_work_span(stack& self, const watched_task& task);
  ~task_work_span() { end(); }
  task_work_span(const task_work_span&) = delete;
  task_work_span& operator=(const task_work_span&) = delete;
  /// Call it before the end of the task is reported.
  void end() noexcept;

 private:
  enum class what : std::uint8_t { child, call, group_task };
  stack_work_span* work_span_;
  work_span_totals* totals_ = nullptr;
  work_span_totals::call call_;
  child_work_span* child_ = nullptr;
  group_work_span* group_ = nullptr;
  what what_ = what::child;
  stack_work_span::outer_task outer_;
};

/// Records a fork whose second callable lies in no slot, while both run. Does nothing where no path is recorded.
class slotless_fork {
 public:
  slotless_fork(stack& self, const void* from);
  ~slotless_fork();
  slotless_fork(const slotless_fork&) = delete;
  slotless_fork& operator=(const slotless_fork&) = delete;
  void second_is(const stolen_side& side);
  /// A callable begins on this stack; and has ended.
  void begins(bool second) noexcept;
  void ended() noexcept;
  /// Another stack has run the second one.
  void second_was_taken() noexcept;

 private:
  stack_work_span* work_span_;
  const stolen_side* second_ = nullptr;
  work_span_totals* totals_;
  std::unique_ptr<child_work_span> child_;
};

/// While the pieces of a dealt loop run: they belong to the loop's call site. Does nothing if no report is kept.
class dealt_loop_work_span {
 public:
  dealt_loop_work_span(task_context& w, const void* from, std::uint64_t iterations) noexcept
      : work_span_(w.work_span) {
    if (work_span_) outer_ = work_span_->begin_dealt_loop(site_at(call_site_kind::loop, from), iterations);
  }
  ~dealt_loop_work_span() {
    if (work_span_) work_span_->end_dealt_loop(outer_);
  }
  dealt_loop_work_span(const dealt_loop_work_span&) = delete;
  dealt_loop_work_span& operator=(const dealt_loop_work_span&) = delete;

 private:
  stack_work_span* work_span_;
  site outer_ = 0;
};

/// Pauses the strand while this lives.
class strand_stops {
 public:
  explicit strand_stops(stack_work_span* s) noexcept : work_span_(s && s->runs() ? s : nullptr) {
    if (work_span_) work_span_->stop();
  }
  ~strand_stops() {
    if (work_span_) work_span_->resume();
  }
  strand_stops(const strand_stops&) = delete;
  strand_stops& operator=(const strand_stops&) = delete;

 private:
  stack_work_span* work_span_;
};

/// Pauses the strand for the core's own work around the program's code, on a simulated machine, where that takes time.
class around_code {
 public:
  explicit around_code(const task_context& w) noexcept
      : work_span_(w.work_span && host_platform::charges_code() && w.work_span->runs() ? w.work_span
                                                                                       : nullptr) {
    if (work_span_) work_span_->stop();
  }
  ~around_code() {
    if (work_span_) work_span_->resume();
  }
  around_code(const around_code&) = delete;
  around_code& operator=(const around_code&) = delete;

  /// Runs the program's code, with the strand resumed.
  void call(void (*code)(void*, task_context&), void* data, task_context& w) const {
    const inside here(work_span_);
    code(data, w);
  }

 private:
  struct inside {
    explicit inside(stack_work_span* s) noexcept : work_span(s) {
      if (work_span) work_span->resume();
    }
    ~inside() {
      if (work_span) work_span->stop();
    }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    stack_work_span* work_span;
  };
  stack_work_span* work_span_;
};

// ---- groups

/// What is kept of a group's tasks. Each watched task begins at the point of the path where it was pushed, and the
/// group's wait continues at the latest of their ends. In real time a group of small tasks has only some of them
/// watched; the others count as work, and are on no path. Made with the first watched task, and destroyed with the
/// group.
struct group_work_span {
 public:
  group_work_span(work_span_totals& totals, site where, std::uint32_t between) noexcept
      : totals_(totals), where_(where), between_(between) {}

  work_span_totals& totals() const noexcept { return totals_; }
  site where() const noexcept { return where_; }

  /// Called by the thread that pushes a task: whether the task is to be watched.
  bool wants_next() noexcept;
  /// Called by the thread that has run a watched task, before it reports the end to the group.
  void ended(const path_end& end) noexcept;

  struct sums {
    path_end latest;
    std::uint64_t tasks, work;
  };
  /// Since the last call.
  sums take() noexcept;
  void watch_each(std::uint32_t between) noexcept { between_.store(between, std::memory_order_relaxed); }

 private:
  work_span_totals& totals_;
  const site where_;
  std::atomic<std::uint32_t> between_;  // tasks from one watched task to the next; 0: their size is unknown
  std::atomic<std::uint32_t> runs_{0}, next_{0};
  std::mutex guard_;  // a real mutex also in virtual time: no other virtual thread runs meanwhile
  path_end latest_{};
  std::uint64_t tasks_ = 0, work_ = 0;
};

/// Stands for a group of little work, which is taken as serial: no task is watched until the next wait.
inline group_work_span* const little_group = reinterpret_cast<group_work_span*>(1);

/// The program's function of a group task, whether the task is watched or not. A guess if the calling thread does not hold the task:
/// another one, or null.
detail::task_code own_code(const detail::task& t, stack& here);

/// Records a wait for the group at `of`, whose data is `group`, while this lives.
class group_wait_work_span {
 public:
  group_wait_work_span(stack& self, const void* of, group_work_span* group);
  ~group_wait_work_span();
  group_wait_work_span(const group_wait_work_span&) = delete;
  group_wait_work_span& operator=(const group_wait_work_span&) = delete;

 private:
  stack_work_span* work_span_;
  const void* of_;
  group_work_span* group_;
  stack_work_span::outer_task outer_;
  std::optional<strand_stops> stops_;
};

/// While a stack that has no strand runs tasks: the tasks that are not watched count as work.
class tasks_work_span {
 public:
  explicit tasks_work_span(task_context& w) noexcept
      : work_span_(w.work_span && !w.work_span->runs() ? w.work_span : nullptr) {
    if (work_span_) outer_ = work_span_->begin_pathless(0);
  }
  ~tasks_work_span() {
    if (work_span_) work_span_->end_task(outer_, nullptr);
  }
  tasks_work_span(const tasks_work_span&) = delete;
  tasks_work_span& operator=(const tasks_work_span&) = delete;

 private:
  stack_work_span* work_span_;
  stack_work_span::outer_task outer_;
};

}  // namespace skua::core
