// How the tasks of a group run: one by one, and many of one group in a row.
#include <skua/task_group.hpp>

#include <algorithm>
#include <exception>

#include "core/dealing/dealt_tasks.hpp"
#include "core/group/cancelled.hpp"
#include "core/group/task_row.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

namespace core {

namespace {

// The caller is inside the group's scope already.
[[gnu::always_inline]] inline void run_inside(detail::task& t, task_context& w, detail::group_base& group) {
  try {
    t.run(t, any_cancelled(&group.own_scope()) ? nullptr : &w);
  } catch (...) {
    group.keep_exception(std::current_exception(), t.order);
  }
}

const void* traced_code(const detail::task& t, task_context& w) {
  return w.worker->observer.events ? reinterpret_cast<const void*>(own_code(t, static_cast<stack&>(w)))
                                   : nullptr;
}

void run_traced(detail::task& t, task_context& w, detail::group_base& group, traced_row& row) {
  row.begin_next(traced_code(t, w));
  run_inside(t, w, group);
  if (host_platform::charges_code()) row.end();  // then the gap between two tasks has a length
}

}  // namespace

// Called at the end of a task that has put tasks into a group without waiting for them. They must be counted before the
// end is reported, because the stack that made the group may never call wait(), and another thread may wait instead.
void count_leftovers(stack& self) noexcept {
  detail::task_pool& pool = *self.tasks;
  publish_leftovers<host_platform>(pool, task_records{pool, &self.ahead});
}

bool run_in_scope(detail::task& t, task_context& w, detail::group_base& group) {
  const bool counted = t.marks & detail::task::counted;
  {
    // A task from an isolated region stays in that region, even if its group was made in another one.
    detail::scope foreign = group.own_scope();
    foreign.isolation = t.isolation.load(std::memory_order_relaxed);
    const bool bound = t.marks & detail::task::bound_to_domain;
    if (bound != foreign.tied()) {
      foreign.level = foreign.boundary = bound;
      foreign.domain = t.bound.load(std::memory_order_relaxed);
    }
    const bool like_the_group =
        foreign.isolation == group.own_scope().isolation && foreign.tied() == group.own_scope().tied();
    detail::in_scope inside(w, like_the_group ? &group.own_scope() : &foreign);
    const traced in_trace(static_cast<stack&>(w), observe::trace_kind::task, traced_code(t, w));
    run_inside(t, w, group);
  }
  w.tasks->give_back(t);
  return counted;
}

void report_ends(detail::group_base& group, std::uint64_t tasks, stack& self) noexcept {
  count_leftovers(self);
  fold_counters(self);  // before another thread can know that all tasks have ended
  group.finish_counted(tasks);
}

void run_task(detail::task& t, task_context& w) {
  detail::group_base& group = *t.group.load(std::memory_order_relaxed);
  const tasks_work_span recorded(w);
  if (is_part(t)) return run_part(t, static_cast<stack&>(w), false);
  if (run_in_scope(t, w, group)) report_ends(group, 1, static_cast<stack&>(w));
}

void run_task_and_kin(detail::task& t, stack& self) {
  detail::group_base& group = *t.group.load(std::memory_order_relaxed);
  const tasks_work_span recorded(self);
  if (is_part(t)) return run_part(t, self, true);
  task_row row(self, group);
  std::uint64_t ended =
      measures_next_task(*self.worker) ? run_measured(t, self, group) : run_in_scope(t, self, group);
  end_if_alone(self);
  while (ended != 0 && self.worker->pool->options.own_order == order::lifo) {
    worker& here = *self.worker;
    if (has_ready(here) || here.pool->external_threads_want(here)) break;
    detail::task* const next = pop_task(here, [&](detail::task& newest) {
      return newest.group.load(std::memory_order_relaxed) == &group && !is_part(newest);
    });
    if (!next) break;
    here.observer.took_own_task();
    ended += run_in_scope(*next, self, group);
    end_if_alone(self);
  }
  row.report(ended);
}

void execute_task(void* frame, task_context& w) { run_task(*static_cast<detail::task*>(frame), w); }

}  // namespace core

namespace detail {

namespace {

task& newest(const slot* top) noexcept { return *static_cast<task*>(task_pool::own_frame(top - 1)); }

/// Before a worker runs its own tasks. A thief that searches while they are all private must publish them by force, which
/// takes it longer than a steal and interrupts the worker. So while tasks are stolen from it, the worker publishes some in
/// time.
void publish_for_expected_thieves(worker& here) {
  constexpr std::ptrdiff_t most = 64;
  if (here.thieves_at_waits == 0 || !host_platform::heavy_fence_works() || here.pool->managed) return;
  --here.thieves_at_waits;
  const auto tasks = static_cast<std::ptrdiff_t>(load_of<host_platform>(here.tasks));
  if (tasks > 1 && !half_is_public<host_platform>(here.tasks))
    publish_oldest<host_platform>(here.tasks, task_records{here.tasks}, std::min(tasks - 1, most));
}

}  // namespace

void group_base::run_own(task_context& w) {
  publish_for_expected_thieves(*w.worker);
  if (w.worker->pool->options.own_order != order::lifo)
    return;  // the worker loop, or help(), takes the tasks in that order
  // Checked once: a check for each task would be visible in the time of an empty task.
  w.worker->observer.events ? run_own_tasks<true>(w) : run_own_tasks<false>(w);
}

// Newest first, as long as the newest task of this worker belongs to the group.
template <bool Traced>
void group_base::run_own_tasks(task_context& w) {
  const auto is_ours = [this](const slot* top) {
    return newest(top).group.load(std::memory_order_relaxed) == this;
  };
  if (w.tasks->own_top() == w.tasks->first_slot && !take_tasks_back(*w.worker)) return;
  if (!is_ours(w.tasks->own_top())) return;
  in_scope inside(w, &scope_);
  if (&w == home_) ++depth_;
  std::uint64_t uncounted = 0, counted = 0;  // of those that ran
  task_row row(static_cast<stack&>(w), *this);
  [[maybe_unused]] traced_row in_trace(static_cast<stack&>(w));
  for (;;) {
    task_pool& pool = *w.tasks;  // another one if the stack has moved
    slot* const top = pool.own_top();
    if (top == pool.first_slot) [[unlikely]] {  // those of the backlog are older than all in the queue
      if (take_tasks_back(*w.worker)) continue;
      break;
    }
    if (!is_ours(top)) break;
    task& t = newest(top);
    if (!pool.pop(top - 1)) [[unlikely]] {
      if (!reclaim<host_platform>(pool, top - 1, w.worker->pool->stays_public(stay_public::half))) {
        forget_stolen_tasks(*w.worker);
        w.worker->thieves_at_waits = waits_with_thieves;
        continue;
      }
    }
    const std::uint8_t marks = t.marks;
    if (marks & task::restricted) [[unlikely]] {
      uncounted += !(marks & task::counted);
      if constexpr (Traced) in_trace.end();
      run_task(t, w);
      continue;
    }
    if constexpr (Traced)
      run_traced(t, w, *this, in_trace);
    else
      run_inside(t, w, *this);
    w.tasks->give_back_unmarked(t);
    ++(marks & task::counted ? counted : uncounted);
  }
  // All at once, as in run_task_and_kin().
  if (&w != home_) return row.report(counted);
  add_uncounted(0 - uncounted);
  --depth_;
  if (const std::uint64_t ended = counted + row.take_left(); ended != 0) finish_counted(ended);
}

}  // namespace detail
}  // namespace skua
