// What a stack runs on top of what it was doing, and forks that lie in no slot.
#include <new>

#include "core/scheduler_core.hpp"
#include "core/work_span/groups.hpp"

namespace skua::core {

// ---- what a stack runs

task_structure::task_structure(stack& self, const stolen_side& side) : structure_(self.structure) {
  if (!structure_) return;
  child_ = self.seat_pool->structured->child_of(&side);
  outer_ = child_ && child_->watched ? structure_->begin_task(child_->begin, child_->where, child_->depth)
                                     : structure_->begin_task({}, 0, 0);
}

task_structure::task_structure(stack& self, const void* from) : structure_(self.structure) {
  if (!structure_) return;
  what_ = what::call;
  book_ = self.seat_pool->structured.get();
  call_ = book_->begin_call();
  outer_ = structure_->begin_task(call_.begin, 0, 0);
  structure_->asked_from(from);
}

task_structure::task_structure(stack& self, const told_task& task) : structure_(self.structure) {
  if (!structure_) return;
  what_ = what::group_task;
  group_ = task.group;
  outer_ = structure_->begin_task(task.begin, task.where, task.depth);
}

void task_structure::end() noexcept {
  if (!structure_) return;
  path_end end;
  structure_->end_task(outer_, child_ ? &child_->end : &end);
  if (child_) child_->ended = true;
  if (what_ == what::call) book_->end_call(call_, end);
  if (what_ == what::group_task) group_->ended(end);
  structure_ = nullptr;
}

// ---- forks that lie in no slot

loose_fork::loose_fork(stack& self, const void* from)
    : structure_(self.structure && self.structure->on_path() ? self.structure : nullptr),
      book_(self.seat_pool->structured.get()) {
  if (!structure_) return;
  child_.reset(new (std::nothrow) child_structure());
  if (!child_ || !structure_->has_frame()) {
    structure_ = nullptr;
    return;
  }
  structure_->begin_fork(structure_->place(site_kind::join, from));
  structure_->stop();
  structure_->describe(*child_);
}

loose_fork::~loose_fork() {
  if (!structure_) return;
  if (second_) book_->remove_child(second_);
  structure_->end_fork();
}

void loose_fork::second_is(const stolen_side& side) {
  if (!structure_) return;
  try {
    book_->add_child(&side, *child_);
    second_ = &side;
  } catch (const std::bad_alloc&) {  // then a thief tells nothing of it
  }
}

void loose_fork::begins(bool second) noexcept {
  if (!structure_) return;
  if (second)
    structure_->begin_second();
  else
    structure_->resume();
}
void loose_fork::ended() noexcept {
  if (!structure_) return;
  structure_->end_first();  // or the second one
  structure_->stop();
}
void loose_fork::second_was_taken() noexcept {
  if (structure_ && child_->ended) structure_->child_ended(child_->end);
}

}  // namespace skua::core
