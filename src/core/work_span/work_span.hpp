// The fork-join structure of a run, kept while it runs: work, span and burdened span as Cilkscale and Cilkview define
// them, and the places of the program that hold the span. Only with keep_report.
//
// A *strand* is what a stack runs between two forks, joins or waits, and its *path* the longest chain of strands that must
// run one after the other, from the beginning of the run to where it is. At a fork both callables begin at the same point of
// the path; at the join it goes on at the later of their two ends. Who takes a record begins where it was forked, and hands
// its end back beside the record. So the span is the end of the longest path, whoever ran what. A call from outside
// begins where the longest path ended of those calls that had ended by then, so that calls one after the other add up and
// calls beside each other do not. Waiting, and what a stack runs while it waits, is on no path of its own.
//
// A clock at every fork would cost more than a small fork. In real time a fork is *watched*, with a clock, where it is
// expected to hold at least a grain of work, and else taken as serial with all below it. What is expected is what the
// fork of the same place and depth held last: in the order of a recursion that is its brother or cousin. Forks that are
// taken as serial come to the slow path nevertheless, where they are counted; every sixteenth asks the clock whether the
// expectation was wrong, and then what follows is watched. Where they are too small even for that, the fast path is open,
// a level further down. On a simulated machine every fork is watched.
//
// A loop's pieces are what its owner and its thieves ran, but the program could have been cut anywhere: the span of a loop
// is that of its longest iteration (or so many iterations as its grain says), found as the largest average of a timed piece,
// or what a piece took beyond the average of those before it. Its burden is one steal a halving, down to pieces that are
// worth one.
//
// Not told apart yet: what a phase (skua/phase.hpp) runs is part of the strand that takes part in it, and a blocking call
// that a worker hands to another thread is on no path.
//
// A stack's structure belongs to who runs the stack. Nothing here is shared but by handing over: beside a record, in a
// group under its lock, and the book's own sums under its lock.
#pragma once

#include <cstdint>
#include <memory>

#include "core/platform/platform.hpp"
#include "core/work_span/stack_work_span.hpp"
#include "core/work_span/totals.hpp"

namespace skua::core {

/// What a stack runs on top of what it was doing, while this lives; nothing without a structure.
class task_work_span {
 public:
  /// A stolen join.
  task_work_span(stack& self, const stolen_side& side);
  /// A call from outside, `from` as in detail::call_outside.
  task_work_span(stack& self, const void* from);
  task_work_span(stack& self, const told_task& task);
  ~task_work_span() { end(); }
  task_work_span(const task_work_span&) = delete;
  task_work_span& operator=(const task_work_span&) = delete;
  /// Before its end is told.
  void end() noexcept;

 private:
  enum class what : std::uint8_t { child, call, group_task };
  stack_work_span* work_span_;
  work_span_totals* book_ = nullptr;
  work_span_totals::call call_;
  child_work_span* child_ = nullptr;
  group_work_span* group_ = nullptr;
  what what_ = what::child;
  stack_work_span::outer_task outer_;
};

/// A fork whose second callable lies in no slot, while both run; nothing where no path is kept.
class loose_fork {
 public:
  loose_fork(stack& self, const void* from);
  ~loose_fork();
  loose_fork(const loose_fork&) = delete;
  loose_fork& operator=(const loose_fork&) = delete;
  void second_is(const stolen_side& side);
  /// A callable is run here; and has ended.
  void begins(bool second) noexcept;
  void ended() noexcept;
  /// Somebody else has run the second one.
  void second_was_taken() noexcept;

 private:
  stack_work_span* work_span_;
  const stolen_side* second_ = nullptr;
  work_span_totals* book_;
  std::unique_ptr<child_work_span> child_;
};

/// The strand pauses while this lives.
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

/// What the core does around code of the program, which runs on: on a simulated machine it takes time.
class around_code {
 public:
  explicit around_code(const task_context& w) noexcept
      : work_span_(w.work_span && host_platform::in_virtual_time() && w.work_span->runs() ? w.work_span
                                                                                          : nullptr) {
    if (work_span_) work_span_->stop();
  }
  ~around_code() {
    if (work_span_) work_span_->resume();
  }
  around_code(const around_code&) = delete;
  around_code& operator=(const around_code&) = delete;

  /// The code itself.
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

}  // namespace skua::core
