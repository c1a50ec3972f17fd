// The implementation of task groups: counting, waiting and cancelling.
//
// Only tasks that other threads can see are counted. A task that stays private to the stack that made its group is not
// counted: that stack runs it in wait(). The thread that publishes a task counts it. Before a stack is suspended or one
// of its joins is published, all its private tasks are published.
#include <skua/task_group.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

#include "core/dealing/dealt_tasks.hpp"
#include "core/idle/slow_push.hpp"
#include "core/locks/guard_word.hpp"
#include "core/locks/spin_pause.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"
#include "core/task_row.hpp"

namespace skua {

using namespace core;

namespace {

// The number of cancelled groups in the whole process. While it is 0, no thread walks the scopes.
std::atomic<std::uint64_t> cancelled_groups{0};

bool any_cancelled(const detail::scope* s) noexcept {
  if (cancelled_groups.load(std::memory_order_relaxed) == 0) return false;
  for (; s; s = s->outer)
    if (s->group && s->group->stops()) return true;
  return false;
}

}  // namespace

bool cancelled() noexcept {
  const task_context* w = detail::current;
  return w && any_cancelled(w->scope.load(std::memory_order_relaxed));
}

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

bool other_threads_may_count(const task_context* made_by) noexcept {
  const management* const managed = made_by ? made_by->worker->pool->managed.get() : nullptr;
  return host_platform::heavy_fence_works() && (!managed || managed->rescue);
}

}  // namespace

group_base::group_base() : group_base(current) {}

group_base::group_base(task_context* made_by)
    // Where no other thread can or may count this stack's tasks, every task is counted when it is pushed.
    : home_(other_threads_may_count(made_by) ? made_by : nullptr), process_(process_generation()) {
  core::has_new_words(*this);
  scope* const outer = made_by ? made_by->scope.load(std::memory_order_relaxed) : nullptr;
  // A region's scope holds a copy of the group and the isolation around it, and a group may outlive its region.
  scope* around = outer;
  while (around && around->of_region) around = around->outer;
  scope_ = {this, outer ? outer->isolation : 0, around};
  if (outer && outer->tied()) {
    scope_.level = scope_.boundary = 1;
    scope_.domain = outer->domain;
  }
  static scope no_scope{};  // no task runs in it
  // Below a boundary each task records the domain to which it is bound.
  plain_scope_ = scope_.isolation == 0 && scope_.boundary == 0 && outer == around ? outer : &no_scope;
}

group_base::~group_base() {
  if (stops()) reuse();
  forget_work_span();
}

void group_base::cancel() noexcept {
  if (!cancelled_.exchange(true, std::memory_order_relaxed))
    cancelled_groups.fetch_add(1, std::memory_order_relaxed);
}

void group_base::reuse() noexcept {
  if (cancelled_.exchange(false, std::memory_order_relaxed))
    cancelled_groups.fetch_sub(1, std::memory_order_relaxed);
}

bool group_base::cancelled() const noexcept { return any_cancelled(&scope_); }

void group_base::count(std::uint64_t tasks) noexcept {
  spin_pause<host_platform> pause;
  pending_.add(tasks, [&] {
    pause();
    return !current || !is_alone(*current);  // in a child of fork() the other thread does not exist
  });
}

void group_base::finish_counted(std::uint64_t tasks) noexcept {
  if (void* waiting = pending_.finish(tasks)) wake_where_child_ended(*static_cast<waiter*>(waiting));
}

void group_base::keep_exception(std::exception_ptr thrown, std::uint32_t order) noexcept {
  take_guard<host_platform>(guard_);
  if (!thrown_ || order < thrown_order_) {
    thrown_ = std::move(thrown);
    thrown_order_ = order;
  }
  leave_guard(guard_);
  cancel();
}

std::exception_ptr group_base::take_exception() noexcept {
  reuse();
  order_.store(0, std::memory_order_relaxed);
  return std::exchange(thrown_, nullptr);
}

// In a child of fork(): the group's tasks are counted although no thread will end them.
void group_base::lose_tasks() noexcept {
  pending_.forget();
  if (depth_ == 0) uncounted_.store(0, std::memory_order_relaxed);
  keep_exception(lost_in_parent(), after_those_of_home);
}

// Called before each use. The first use in a child of fork() by a call that began there forgets the tasks of the
// parent; the next wait throws for them. `w`: of the caller, if it is a worker.
void group_base::forget_tasks_of_parent(const task_context* w) noexcept {
  const std::uint32_t now = process_generation();
  if (process_.load(std::memory_order_acquire) == now || (w && w->worker->pool->generation != now)) [[likely]]
    return;
  take_guard<host_platform>(guard_);
  const bool is_first = process_.load(std::memory_order_relaxed) != now;
  const bool lost = is_first && (!pending_.done() || uncounted_.load(std::memory_order_relaxed) != 0);
  if (is_first) {
    pending_.forget();
    uncounted_.store(0, std::memory_order_relaxed);
    home_ = nullptr;
    process_.store(now, std::memory_order_release);  // partner: the load above
  }
  leave_guard(guard_);
  if (lost) keep_exception(lost_in_parent(), after_those_of_home);
}

void group_base::prepare_foreign(task_context& w, task& t) noexcept {
  forget_tasks_of_parent(&w);
  if (const std::uint64_t isolation = isolation_of(w)) {
    t.isolation.store(isolation, std::memory_order_relaxed);
    t.mark(task::isolated);
  }
  if (const std::uint32_t bound = bound_of(w.scope.load(std::memory_order_relaxed));
      bound != 0 && bound != bound_to_none) {
    t.bound.store(bound, std::memory_order_relaxed);
    t.mark(task::bound_to_domain);
  }
  if (&w == home_) return prepare_own(t);
  t.order = after_those_of_home;
  // Inside one of the group's tasks: that task is counted, and counts the tasks that it leaves before it ends.
  if (w.scope.load(std::memory_order_relaxed) == &scope_) return;
  t.mark(task::counted);
  count(1);
}

void group_base::push_from_outside(outside_record& record, std::uint8_t marks) noexcept {
  forget_tasks_of_parent(nullptr);
  task& t = *std::exchange(record.record_, nullptr);
  t.group.store(this, std::memory_order_relaxed);
  t.order = after_those_of_home;
  t.marks = static_cast<std::uint8_t>(marks | task::counted);
  count(1);
  record.pool_->add_from_outside(t);
}

// As push_slowly() asks for it.
struct group_base::owner_of_tasks {
  group_base& group;
  task_context& w;
  task_pool& pool;

  bool gathers(slot* s) {
    return w.worker->pool->may_deal && s < pool.last && group.keeps_or_deals(w, pool, s);
  }
  void opens() noexcept { rearm<host_platform>(pool); }
  bool has_room(slot* s) {
    const bool full = s >= pool.last && !make_room_for_tasks(*w.worker);
    attend_to_messages(static_cast<stack&>(w));  // after records moved: the limit is a slot
    if (!full) return true;
    group.take_back(w, pool, s);
    throw std::bad_alloc();
  }
  static bool keeps_private(slot*) noexcept { return false; }
  static bool hands_over(slot*) noexcept { return false; }
  void publishes() noexcept { publish_here(static_cast<stack&>(w)); }
};

void group_base::push_slowly(task_context& w, task_pool& pool, slot* s) {
  name_task(*static_cast<task*>(task_pool::own_frame(s)));
  const detail::strand_steps step;
  count_fast_path(timed_step::group_task);
  const scoped_activity publishes(w, activity::spawning);
  if (no_request<host_platform>(pool, s)) return;
  update_announcement(static_cast<stack&>(w));
  core::push_slowly<host_platform>(*w.worker->pool, *w.worker, pool, s, owner_of_tasks{*this, w, pool});
}

// There is no memory for the task that was pushed to `s`, the newest.
void group_base::take_back(task_context& w, task_pool& pool, slot* s) noexcept {
  auto& t = *static_cast<task*>(s->frame.load(std::memory_order_relaxed));
  pool.top.store(s, std::memory_order_release);  // as in pop
  --pool.pushes;
  if (t.marks & task::counted)
    finish_counted(1);
  else if (&w == home_)
    add_uncounted(~std::uint64_t{0});
  t.run(t, nullptr);  // destroys the callable
  pool.give_back(t);
}

namespace {

task& newest(const slot* top) noexcept { return *static_cast<task*>(task_pool::own_frame(top - 1)); }

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
