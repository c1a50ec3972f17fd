// What a stack runs on top of what it was doing, and forks that lie in no slot.
#include <new>

#include "core/scheduler_core.hpp"
#include "core/work_span/groups.hpp"

namespace skua::core {

// ---- what a stack runs

task_work_span::task_work_span(stack& self, const stolen_side& side) : work_span_(self.work_span) {
  if (!work_span_) return;
  child_ = self.seat_pool->work_span->child_of(&side);
  outer_ = child_ && child_->watched ? work_span_->begin_task(child_->begin, child_->where, child_->depth)
                                     : work_span_->begin_task({}, 0, 0);
}

task_work_span::task_work_span(stack& self, const void* from) : work_span_(self.work_span) {
  if (!work_span_) return;
  what_ = what::call;
  book_ = self.seat_pool->work_span.get();
  call_ = book_->begin_call();
  outer_ = work_span_->begin_task(call_.begin, 0, 0);
  work_span_->asked_from(from);
}

task_work_span::task_work_span(stack& self, const told_task& task) : work_span_(self.work_span) {
  if (!work_span_) return;
  what_ = what::group_task;
  group_ = task.group;
  outer_ = work_span_->begin_task(task.begin, task.where, task.depth);
}

void task_work_span::end() noexcept {
  if (!work_span_) return;
  path_end end;
  work_span_->end_task(outer_, child_ ? &child_->end : &end);
  if (child_) child_->ended = true;
  if (what_ == what::call) book_->end_call(call_, end);
  if (what_ == what::group_task) group_->ended(end);
  work_span_ = nullptr;
}

// ---- forks that lie in no slot

loose_fork::loose_fork(stack& self, const void* from)
    : work_span_(self.work_span && self.work_span->on_path() ? self.work_span : nullptr),
      book_(self.seat_pool->work_span.get()) {
  if (!work_span_) return;
  child_.reset(new (std::nothrow) child_work_span());
  if (!child_ || !work_span_->has_frame()) {
    work_span_ = nullptr;
    return;
  }
  work_span_->begin_fork(work_span_->call_site(call_site_kind::join, from));
  work_span_->stop();
  work_span_->describe(*child_);
}

loose_fork::~loose_fork() {
  if (!work_span_) return;
  if (second_) book_->remove_child(second_);
  work_span_->end_fork();
}

void loose_fork::second_is(const stolen_side& side) {
  if (!work_span_) return;
  try {
    book_->add_child(&side, *child_);
    second_ = &side;
  } catch (const std::bad_alloc&) {  // then a thief tells nothing of it
  }
}

void loose_fork::begins(bool second) noexcept {
  if (!work_span_) return;
  if (second)
    work_span_->begin_second();
  else
    work_span_->resume();
}
void loose_fork::ended() noexcept {
  if (!work_span_) return;
  work_span_->end_first();  // or the second one
  work_span_->stop();
}
void loose_fork::second_was_taken() noexcept {
  if (work_span_ && child_->ended) work_span_->child_ended(child_->end);
}

}  // namespace skua::core
