// Watched forks: where their callables begin and end, on this stack or a thief's.
#include <algorithm>

#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

bool stack_work_span::push_on_slow_path(detail::slot* s) {
  if (!s) return false;
  if (!totals_.exact() && no_request<host_platform>(of_, s)) return false;
  of_.slow_push(s);
  return true;
}

stack_work_span::frame& stack_work_span::watch(kind what, detail::slot* s, site where, guess* g) {
  const auto size = static_cast<std::uint32_t>(parts_.size());
  frames_.push_back({.what = what,
                     .now = stage::first,
                     .slot = s,
                     .outer = where,
                     .base = base_,
                     .first_base = size,
                     .second_base = size,
                     .begin = path_,
                     .first = {},
                     .second = {},
                     .work = work_,
                     .child_work = work_,
                     .unattributed = unattributed(),
                     .clock = 0,
                     .expected = g});
  return frames_.back();
}

void stack_work_span::begin_fork(site where) { begin(kind::watched, nullptr, where, nullptr); }

stack_work_span::frame& stack_work_span::begin(kind what, detail::slot* s, site where, guess* g) {
  const std::uint64_t now = host_platform::ticks();
  if (open_) stop(now);
  if (s) ++attributed_;
  frame& f = watch(what, s, where_, g);
  sites.of(where, where_).times.add();
  go_to(where);
  ++depth_;
  base_ = f.first_base;
  describe_to_thief(s);
  const bool long_ago = push_on_slow_path(s) || totals_.exact();
  resume(long_ago ? host_platform::ticks() : now);
  return frames_.back();
}

// The record is withdrawn while it is described. One that a thief has published by force meanwhile stays without a
// description.
void stack_work_span::describe_to_thief(detail::slot* s) noexcept {
  child_work_span* const c = child(s);
  if (!c) return;
  const bool in_queue = !of_.deque;
  if (in_queue && !of_.pop(s)) {
    push_again<host_platform>(of_, s);
    return;
  }
  describe(*c);
  if (in_queue) push_again<host_platform>(of_, s);
}

void stack_work_span::describe(child_work_span& child) const noexcept {
  child.watched = true;
  child.ended = false;
  child.depth = depth_;
  child.where = where_;
  child.begin = {path_.span, path_.burdened + totals_.burden_ticks()};
}

void stack_work_span::end_first() noexcept {
  frame& f = frames_.back();
  if (f.what != kind::watched || f.now != stage::first) return;
  f.clock = host_platform::ticks();
  if (open_) stop(f.clock);
  f.now = stage::between;
  f.first = path_;
  f.second_base = static_cast<std::uint32_t>(parts_.size());
  refresh_expectation(work_ - f.work);
  f.child_work = work_;
  path_ = f.begin;
  base_ = f.second_base;
}

void stack_work_span::begin_second() noexcept {
  frame& f = frames_.back();
  if (f.what != kind::watched) return;
  f.now = stage::second;
  // The second callable's forks reuse the slot, and a thief must not take them for watched ones.
  if (child_work_span* const c = child(f.slot)) c->watched = false;
  path_.burdened += totals_.burden_ticks();
  resume(totals_.exact() ? host_platform::ticks() : f.clock);
}

void stack_work_span::end_fork() noexcept {
  switch (frames_.back().what) {
    case kind::watched:
      return end_watched();
    case kind::serial:
      return end_serial();
    default:
      frames_.pop_back();
      set_watched(true);
  }
}

void stack_work_span::end_watched() noexcept {
  end_first();  // unless it has ended already
  frame& f = frames_.back();
  const std::uint64_t now = host_platform::ticks();
  if (f.now == stage::second) {
    if (open_) stop(now);
    f.second = path_;
  } else if (f.now != stage::stolen) {
    f.second = f.begin;
  }
  refresh_expectation(work_ - f.child_work);
  expect(f.expected, work_ - f.work);
  join(f, f.first, f.second);
  resume(now);
}

void stack_work_span::join(const frame& f, const path_point& first, const path_point& second) noexcept {
  const bool first_is_longer = first.span >= second.span;
  const auto size = static_cast<std::uint32_t>(parts_.size());
  if (child_work_span* const c = child(f.slot)) c->watched = false;
  path_ = later(first, second);
  go_to(f.outer);
  --depth_;
  keep_parts(f.base, first_is_longer ? f.first_base : f.second_base, first_is_longer ? f.second_base : size);
  frames_.pop_back();
}

// ---- stolen children

stack_work_span::child_wait stack_work_span::before_child(const detail::slot* s) noexcept {
  const bool ran = open_;
  if (watches(s)) end_first();
  const std::uint64_t now = host_platform::ticks();
  if (open_) stop(now);
  return {ran, now};
}

void stack_work_span::child_ended(const detail::slot* s, const child_wait& waits) noexcept {
  child_work_span* const c = child(s);
  const bool reported = c && std::exchange(c->ended, false);
  if (watches(s)) {
    if (reported && !c->watched) {  // describe_to_thief() came too late: the path began at 0
      const path_point& begin = frames_.back().begin;
      c->end.at.span += begin.span;
      c->end.at.burdened += begin.burdened + totals_.burden_ticks();
    }
    if (reported) child_ended(c->end);
    return;
  }
  if (reported) {
    const std::uint64_t now = host_platform::ticks();
    serial_child_ended(c->end, now - std::min(now, waits.begin));  // another CPU's clock may be behind
  }
  if (waits.strand_ran) resume();
}

// The beginning of the path is not known for a fork that is taken as serial. This stack has run concurrently since the
// steal, so the fork lengthens the path by no more than the time of the wait.
void stack_work_span::serial_child_ended(const path_end& end, std::uint64_t waited) noexcept {
  work_ += end.work;
  std::uint64_t more = std::min(end.at.span, waited);
  path_.span += more;
  path_.burdened += std::min(end.at.burdened, waited);
  for (std::uint32_t i = 0; i < end.parts && more != 0; ++i) {
    const std::uint64_t part = std::min(more, end.part[i].ticks);
    add_part(end.part[i].where == 0 ? where_ : end.part[i].where, part);
    more -= part;
  }
}

void stack_work_span::child_ended(const path_end& end) noexcept {
  frame& f = frames_.back();
  f.now = stage::stolen;
  f.second = end.at;
  f.second_base = static_cast<std::uint32_t>(parts_.size());
  base_ = f.second_base;
  work_ += end.work;
  add_parts(end);
}

}  // namespace skua::core
