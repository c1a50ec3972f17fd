// The implementation of task groups: pushing, counting and cancelling. group_tasks.cpp runs the tasks, and group_wait.cpp waits.
//
// Only tasks that other threads can see are counted. A task that stays private to the stack that made its group is not
// counted: that stack runs it in wait(). The thread that publishes a task counts it. Before a stack is suspended or one
// of its joins is published, all its private tasks are published.
#include <skua/task_group.hpp>

#include <exception>
#include <new>
#include <utility>

#include "core/group/cancelled.hpp"
#include "core/idle/slow_push.hpp"
#include "core/locks/guard_word.hpp"
#include "core/locks/spin_pause.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

using namespace core;

bool cancelled() noexcept {
  const task_context* w = detail::current;
  return w && any_cancelled(w->scope.load(std::memory_order_relaxed));
}

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

}  // namespace detail
}  // namespace skua
