// Strands and paths of one stack, the tasks that it runs on top of each other, and forks that lie in no slot.
#include "core/work_span/work_span.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <skua/detail/strand.hpp>

#include "core/scheduler_core.hpp"

namespace skua::core {

// ---- call sites

call_site_table::entry& call_site_table::of(site where) noexcept {
  if (where == 0) return outside_;
  std::size_t at = static_cast<std::size_t>(detail::strand::mix(where));
  for (std::size_t i = 0; i < size; ++i) {
    entry& e = entries_[(at + i) % size];
    const site there = e.where.load(std::memory_order_relaxed);
    if (there == where) return e;
    if (there != 0) continue;
    e.where.store(where, std::memory_order_relaxed);
    return e;
  }
  return others_;  // the table is full
}

// ---- strands

stack_work_span::stack_work_span(work_span_totals& totals, stack& of)
    : totals_(totals), of_(of), entry_(&sites.of(0)) {
  // The system provides zeroed pages when they are touched.
  children_.reset(static_cast<child_work_span*>(std::calloc(join_capacity, sizeof(child_work_span))));
  if (!children_) throw std::bad_alloc();
  parts_.reserve(256);
  frames_.reserve(64);
  of.work_span = this;
  if (!totals.exact()) set_watched(true);
}

stack_work_span::~stack_work_span() = default;

child_work_span* stack_work_span::child(const detail::slot* s) noexcept {
  return s && s < of_.last ? children_.get() + (s - of_.first_slot) : nullptr;
}

void stack_work_span::stop(std::uint64_t now) noexcept {
  open_ = false;
  const std::uint64_t ticks = now > mark_ ? now - mark_ : 0;  // another CPU's clock may be behind
  own_work.add(ticks);
  work_ += ticks;
  entry_->work.add(ticks);
  if (pathless_) return;
  path_.span += ticks;
  path_.burdened += ticks;
  add_part(where_, ticks);
}

void stack_work_span::go_to(site where) noexcept {
  if (where == where_) return;
  where_ = where;
  entry_ = &sites.of(where);
}

void stack_work_span::add_part(site where, std::uint64_t ticks) {
  for (std::size_t i = parts_.size(); i-- > base_;)
    if (parts_[i].where == where) {
      parts_[i].ticks += ticks;
      return;
    }
  try {
    parts_.push_back({where, ticks});
  } catch (const std::bad_alloc&) {  // then these ticks have no call site
  }
}

void stack_work_span::keep_parts(std::uint32_t base, std::uint32_t from, std::uint32_t to) {
  std::array<call_site_part, 64> kept;
  const std::size_t n = std::min<std::size_t>(to - from, kept.size());
  std::copy_n(parts_.begin() + from, n, kept.begin());
  parts_.resize(std::min<std::size_t>(from, frames_.back().first_base));
  base_ = base;
  for (std::size_t i = 0; i < n; ++i) add_part(kept[i].where, kept[i].ticks);
}

void stack_work_span::add_parts(const path_end& end) {
  for (std::uint32_t i = 0; i < end.parts; ++i)
    add_part(end.part[i].where == 0 ? where_ : end.part[i].where, end.part[i].ticks);
}

// ---- tasks

stack_work_span::outer_task stack_work_span::begin_task(const path_point& at, site where,
                                                        std::uint32_t depth) noexcept {
  const outer_task outer{open_,
                         pathless_,
                         of_.watched,
                         std::exchange(unseen_, false),
                         std::exchange(of_call_, nullptr),
                         work_,
                         path_,
                         where_,
                         base_,
                         depth_,
                         called_from_,
                         serial_,
                         serial_guess_,
                         unattributed(),
                         little_,
                         outermost_};
  stop();
  if (!of_.watched && !totals_.exact()) set_watched(true);
  pathless_ = false;
  work_ = 0;
  path_ = at;
  go_to(where);
  base_ = static_cast<std::uint32_t>(parts_.size());
  depth_ = depth;
  called_from_ = nullptr;
  serial_ = nullptr;
  serial_guess_ = nullptr;
  little_ = {};
  resume();
  return outer;
}

void stack_work_span::end_task(const outer_task& outer, path_end* end) noexcept {
  stop();
  if (end) {
    end->at = path_;
    end->work = work_;
    const auto first = parts_.begin() + base_;
    const auto n = std::min<std::ptrdiff_t>(parts_.end() - first, path_end::max_parts);
    std::partial_sort(first, first + n, parts_.end(),
                      [](const call_site_part& a, const call_site_part& b) { return a.ticks > b.ticks; });
    std::copy_n(first, n, end->part);
    end->parts = static_cast<std::uint32_t>(n);
  }
  parts_.resize(base_);
  of_.watched = outer.watched;  // if the fast path was open, the next push opens it again
  pathless_ = outer.pathless;
  unseen_ = outer.unseen;
  of_call_ = outer.of_call;
  work_ = outer.work;
  path_ = outer.path;
  go_to(outer.where);
  base_ = outer.base;
  depth_ = outer.depth;
  called_from_ = outer.called_from;
  serial_ = outer.serial;
  serial_guess_ = outer.serial_guess;
  little_ = outer.little;
  outermost_ = outer.forks;
  attributed_ += unattributed() - outer.unattributed;
  if (outer.open) resume();
}

void stack_work_span::is_call() noexcept { of_call_ = of_.own_top(); }

// ---- tasks on top of each other

task_work_span::task_work_span(stack& self, const stolen_side& side) : work_span_(self.work_span) {
  if (!work_span_) return;
  child_ = self.pool->work_span->child_of(&side);
  outer_ = child_ && child_->watched ? work_span_->begin_task(child_->begin, child_->where, child_->depth)
                                     : work_span_->begin_task({}, 0, 0);
}

task_work_span::task_work_span(stack& self, const void* from) : work_span_(self.work_span) {
  if (!work_span_) return;
  what_ = what::call;
  totals_ = self.pool->work_span.get();
  call_ = totals_->begin_call();
  outer_ = work_span_->begin_task(call_.begin, 0, 0);
  work_span_->is_call();
  work_span_->called_from(from);
}

task_work_span::task_work_span(stack& self, const watched_task& task) : work_span_(self.work_span) {
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
  if (what_ == what::call) totals_->end_call(call_, end);
  if (what_ == what::group_task) group_->ended(end);
  work_span_ = nullptr;
}

// ---- forks that lie in no slot

slotless_fork::slotless_fork(stack& self, const void* from)
    : work_span_(self.work_span && self.work_span->on_path() ? self.work_span : nullptr),
      totals_(self.pool->work_span.get()) {
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

slotless_fork::~slotless_fork() {
  if (!work_span_) return;
  if (second_) totals_->remove_child(second_);
  work_span_->end_fork();
}

void slotless_fork::second_is(const stolen_side& side) {
  if (!work_span_) return;
  try {
    totals_->add_child(&side, *child_);
    second_ = &side;
  } catch (const std::bad_alloc&) {  // then its thief's path is unknown
  }
}

void slotless_fork::begins(bool second) noexcept {
  if (!work_span_) return;
  if (second)
    work_span_->begin_second();
  else
    work_span_->resume();
}
void slotless_fork::ended() noexcept {
  if (!work_span_) return;
  work_span_->end_first();  // or the second one
  work_span_->stop();
}
void slotless_fork::second_was_taken() noexcept {
  if (work_span_ && child_->ended) work_span_->child_ended(child_->end);
}

}  // namespace skua::core
