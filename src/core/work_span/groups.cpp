// Group tasks: where each begins on the path of the stack that pushes it, and the latest of their ends.
#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include <skua/task_group.hpp>

#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

using detail::task;

namespace {

constexpr std::uint32_t max_between = 64;
// Of a group whose tasks have no known size: the first tasks are all watched, and then at least one in so many. A group of a few
// hundred tasks often has one that is much longer than the others, and the span is wrong without it.
constexpr std::uint32_t all_of_first = 256, then_of_all = 16;
constexpr std::uint64_t enough_ended = 8;  // to know the size of a group's tasks
constexpr site task_sizes =
    0x5555;  // distinguishes the expectation of a group's tasks from that of the group

void push_again(detail::task_pool& pool, detail::slot* s) noexcept {
  detail::host_atomics::quietly(pool.top).store(s + 1, std::memory_order_release);  // as in push
  host_platform::light_fence();
}

void run_watched(task& t, task_context* w) {
  stack* const here = current_stack();
  const watched_task its = here->pool->work_span->take(t.told);
  t.run = its.run;
  if (!w) return its.run(t, w);
  task_work_span kept(*here, its);
  its.run(t, w);
}

}  // namespace

std::uint32_t work_span_totals::keep(const watched_task& t) {
  const std::lock_guard lock(tasks_guard_);
  if (free_tasks_.empty()) {
    // Reserves space for all numbers first: each number must have its task, and returning a number must not fail.
    if (free_tasks_.capacity() <= tasks_.size()) free_tasks_.reserve(2 * tasks_.size() + 1);
    tasks_.push_back({});
    free_tasks_.push_back(static_cast<std::uint32_t>(tasks_.size() - 1));
  }
  const std::uint32_t number = free_tasks_.back();
  free_tasks_.pop_back();
  tasks_[number] = t;
  return number;
}

watched_task work_span_totals::take(std::uint32_t number) {
  const std::lock_guard lock(tasks_guard_);
  free_tasks_.push_back(number);
  return tasks_[number];
}

detail::task_code work_span_totals::code_of(std::uint32_t number) {
  const std::lock_guard lock(tasks_guard_);
  return number < tasks_.size() ? tasks_[number].run : nullptr;
}

detail::task_code own_code(const detail::task& t, stack& here) {
  return code_before_name(
      t, t.run == &run_watched ? here.pool->work_span->code_of(t.told) : detail::task_code(t.run));
}

void group_work_span::ended(const path_end& end) noexcept {
  const std::lock_guard lock(guard_);
  ++tasks_;
  work_ += end.work;
  const path_point latest = later(latest_.at, end.at);
  if (end.at.span > latest_.at.span) latest_ = end;
  latest_.at = latest;
  // Tasks of at least a grain are all watched, also those that are pushed while others run.
  if (tasks_ == enough_ended && between_.load(std::memory_order_relaxed) == 0 &&
      work_ >= enough_ended * totals_.grain_ticks())
    watch_each(1);
}

group_work_span::sums group_work_span::take() noexcept {
  const std::lock_guard lock(guard_);
  runs_.store(0, std::memory_order_relaxed);
  next_.store(0, std::memory_order_relaxed);
  return {std::exchange(latest_, {}), std::exchange(tasks_, 0), std::exchange(work_, 0)};
}

// True for each of the first tasks, then for fewer and fewer, until their size is known.
bool group_work_span::wants_next() noexcept {
  const std::uint32_t between = between_.load(std::memory_order_relaxed);
  if (between == 1) return true;
  // No read-modify-write: when two threads ask at once, one more or one fewer task is watched.
  const std::uint32_t n = runs_.load(std::memory_order_relaxed);
  runs_.store(n + 1, std::memory_order_relaxed);
  if (between != 0) return n % between == 0;
  if (n < next_.load(std::memory_order_relaxed)) return false;
  next_.store(n < all_of_first ? n + 1 : n + n / then_of_all, std::memory_order_relaxed);
  return true;
}

std::uint32_t stack_work_span::between_tasks(site group) noexcept {
  if (totals_.exact()) return 1;
  const std::uint64_t ticks = guess_of(group ^ task_sizes).ticks;
  if (ticks == unknown_ticks) return 0;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(totals_.grain_ticks() / std::max<std::uint64_t>(ticks, 1), 1, max_between));
}

group_work_span* stack_work_span::begin_group(const void* group, site where) {
  if (!totals_.exact()) {
    guess& expected = guess_of(where);
    if (expects_little(expected)) {
      serial_guess_ = &expected;
      little_ = {.group = group, .expected = &expected, .began = host_platform::ticks()};
      return little_group;
    }
  }
  auto* const made = new (std::nothrow) group_work_span(totals_, where, between_tasks(where));
  return made ? made : little_group;
}

// As with forks: a group that is larger than the last one is detected while it runs.
bool stack_work_span::still_little() noexcept {
  if (host_platform::ticks() <= little_.began + totals_.outgrown_ticks()) return true;
  expect(little_.expected, unknown_ticks);
  little_ = {};
  return false;
}

// The task is withdrawn while it is described. One that a thief has published by force is not watched.
void stack_work_span::watch_task(group_work_span& group, detail::task_pool& pool, detail::slot* s) {
  if (&group.totals() != &totals_ || !group.wants_next()) return;
  if (s >= pool.last) return;
  if (pool.pop(s)) {
    const std::uint64_t now = host_platform::ticks();
    stop(now);
    auto& t = *static_cast<task*>(detail::task_pool::own_frame(s));
    try {
      t.told = totals_.keep({.run = t.run,
                             .group = &group,
                             .begin = {path_.span, path_.burdened + totals_.burden_ticks()},
                             .where = group.where(),
                             .depth = depth_ + 1});
      t.run = &run_watched;
      sites.of(group.where()).times.add();
    } catch (const std::bad_alloc&) {  // then it is not watched
    }
    resume(now);
  }
  push_again(pool, s);
}

stack_work_span::outer_task stack_work_span::begin_pathless(site where) noexcept {
  const outer_task outer = begin_task(path_, where == 0 ? where_ : where, depth_);
  pathless_ = true;
  if (totals_.exact()) open_ = false;
  return outer;
}

void stack_work_span::leave_group(group_work_span& group, const outer_task& outer) noexcept {
  stop();
  const std::uint64_t here = work_;
  end_task(outer, nullptr);
  const group_work_span::sums sums = group.take();
  work_ += here + sums.work;
  if (!totals_.exact() && sums.tasks != 0) {
    expect(&guess_of(group.where() ^ task_sizes), sums.work / sums.tasks);
    expect(&guess_of(group.where()), here + sums.work);
    group.watch_each(between_tasks(group.where()));
  }
  std::uint64_t more = sums.latest.at.span > path_.span ? sums.latest.at.span - path_.span : 0;
  for (std::uint32_t i = 0; i < sums.latest.parts && more != 0; ++i) {
    const std::uint64_t part = std::min(more, sums.latest.part[i].ticks);
    add_part(sums.latest.part[i].where, part);
    more -= part;
  }
  if (more != 0) add_part(where_, more);
  path_ = later(path_, sums.latest.at);
}

group_wait_work_span::group_wait_work_span(stack& self, const void* of, group_work_span* group)
    : work_span_(self.work_span), of_(of), group_(group) {
  if (!work_span_) return;
  if (group && group != little_group && work_span_->on_path() && work_span_->belongs_to(group->totals())) {
    outer_ = work_span_->begin_pathless(group->where());
    return;
  }
  if (self.pool->work_span->exact()) stops_.emplace(work_span_);
  if (group != little_group) work_span_ = nullptr;
}

group_wait_work_span::~group_wait_work_span() {
  if (!work_span_) return;
  if (group_ == little_group)
    work_span_->end_little(of_);
  else
    work_span_->leave_group(*group_, outer_);
}

}  // namespace skua::core

namespace skua::detail {

using namespace core;

// Called for every push of a task while a report is kept.
void group_base::slow_push(task_context& w, task_pool& pool, slot* s) {
  stack_work_span* const kept = w.work_span;
  if (!kept) return push_slowly(w, pool, s);
  const void* const from = __builtin_return_address(0);
  if (w.worker->pool->work_span->exact()) return push_exactly(w, pool, s, from);
  if (kept->on_path() && !kept->inside_serial()) tell_work_span(*kept, pool, s, from);
  if (!no_request<host_platform>(pool, s)) push_slowly(w, pool, s);
}

void group_base::push_exactly(task_context& w, task_pool& pool, slot* s, const void* from) {
  stack_work_span* const kept = w.work_span;
  if (!kept->on_path()) return push_slowly(w, pool, s);
  name_task(*static_cast<task*>(task_pool::own_frame(s)));
  const strand_steps step;  // the computation up to here belongs to the strand that pauses now
  tell_work_span(*kept, pool, s, from);
  const strand_stops no_work(kept);
  push_slowly(w, pool, s);
}

void group_base::tell_work_span(stack_work_span& kept, task_pool& pool, slot* s, const void* from) {
  group_work_span* its = work_span_.load(std::memory_order_acquire);
  if (!its) {
    group_work_span* const made = kept.begin_group(this, kept.call_site(call_site_kind::group, from));
    // acq_rel: partner of the acquire load above, on other threads. Another task may have made the data meanwhile.
    if (work_span_.compare_exchange_strong(its, made, std::memory_order_acq_rel, std::memory_order_acquire))
      its = made;
    else if (made == little_group)
      kept.end_little(this);
    else
      delete made;
  }
  if (its != little_group) kept.watch_task(*its, pool, s);
}

void group_base::forget_work_span() noexcept {
  group_work_span* const its = work_span_.load(std::memory_order_relaxed);
  if (its && its != little_group) delete its;
}

}  // namespace skua::detail
