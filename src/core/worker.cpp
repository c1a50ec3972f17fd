// What a worker has, and what it does when a stack begins, continues or ends a task there.
#include "core/worker.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/made_once.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::detail {

constinit thread_local task_context* current = nullptr;

}  // namespace skua::detail

namespace skua::core {

[[gnu::noinline]] stack* current_stack() noexcept { return static_cast<stack*>(detail::current); }
[[gnu::noinline]] void set_current(stack* s) noexcept { detail::current = s; }

namespace {

/// Which numbers of workers are in use. Never destroyed: a scheduler may be static.
struct used_numbers {
  fork_safe_lock guard;
  std::vector<bool> used;
};
used_numbers& numbers_of_workers() {
  static constinit base::made_once<used_numbers> all;
  return all.get();
}

}  // namespace

worker_number::worker_number() {
  used_numbers& all = numbers_of_workers();
  const std::lock_guard lock(all.guard);
  const auto free = std::ranges::find(all.used, false);
  number_ = static_cast<std::uint32_t>(free - all.used.begin());
  if (free == all.used.end())
    all.used.push_back(true);
  else
    *free = true;
}

worker_number::~worker_number() {
  used_numbers& all = numbers_of_workers();
  const std::lock_guard lock(all.guard);
  all.used[number_] = false;
}

void is_here(stack& s, worker& here) noexcept {
  here.thread_number.store(host_platform::thread_number(), std::memory_order_relaxed);
  // release: partner of the thieves' acquire; the queue that they will look at is ready.
  here.current.store(&s, std::memory_order_release);
}

void attach(stack& s, worker& here) noexcept {
  s.worker = &here;
  s.worker_number = here.number;
  s.tasks = &here.tasks;
  host_platform::attach(here.id, here.pool->placed[here.id].cpu);
  is_here(s, here);
  set_current(&s);
}

void publish_here(stack& s) noexcept {
  // Tasks first: one that a published join will wait for must be counted by then.
  publish_all<host_platform>(*s.tasks, task_records{*s.tasks, &s.ahead});
  publish_all<host_platform>(s, join_records{s});
}

void fold_counters(stack& s) noexcept {
  worker_counters& c = s.worker->observer.counters;
  if (s.work_span) [[unlikely]]
    s.work_span->folded(s.pushes);
  c.forks.add(std::exchange(s.pushes, 0));
  c.group_tasks.add(std::exchange(s.tasks->pushes, 0));
  c.stacks.at_least(s.worker->pool->stacks_in_use());
}

void rearm_joins(stack& s) noexcept {
  rearm<host_platform>(s);
  lower_above_boundary(s);
}

// The limit is a slot: with pushes from the first slot on, more tasks than its manager expects would lie below it.
void forget_stolen_tasks(worker& here) noexcept {
  retire<host_platform>(here.tasks, here.tasks.first_slot);
  attend_to_messages(*current_stack());
}

void lower_above_boundary(stack& s) noexcept {
  const detail::scope* const now = s.scope.load(std::memory_order_relaxed);
  if (now && now->above_boundary()) request<host_platform>(s);
}

namespace {

// As begin_running() uses it.
struct queues_of_stack {
  stack& s;
  bool feeds_others() const noexcept {
    return s.worker->dealing.known > 1 && s.worker->pool->deals_in_domains();
  }
  void open() noexcept {
    s.worker->begun.store(s.worker->begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    update_announcement(s);
    rearm_joins(s);
    rearm<host_platform>(*s.tasks);
    attend_to_messages(s);
  }
  void request() noexcept {
    core::request<host_platform>(s);
    core::request<host_platform>(*s.tasks);
  }
};

// No stack is ready where none is suspended, and `suspended` is this worker's own word.
bool may_have_ready(const worker& here) noexcept {
  return detail::host_atomics::quietly(here.suspended).load(std::memory_order_relaxed) != 0 &&
         here.ready.any_for_owner();
}

}  // namespace

void begin_task(stack& s) noexcept {
  begin_running(*s.worker->pool, *s.worker, queues_of_stack{s});
  if (may_have_ready(*s.worker) && !is_alone(s)) [[unlikely]]
    hold_up_ready_stacks(*s.worker);
  s.worker->observer.enters(activity::user);
}

void end_task(stack& s) noexcept {
  s.worker->observer.enters(activity::own_queue);
  fold_counters(s);
  withdraw_announcement(s);
  s.worker->running.store(false, std::memory_order_relaxed);
}

void listed_stacks::add(stack& s) noexcept {
  const std::lock_guard lock(guard_);
  s.next_listed = first_;
  first_ = &s;
  count_.fetch_add(1, std::memory_order_relaxed);
}

void listed_stacks::remove(stack& s) noexcept {
  const std::lock_guard lock(guard_);
  stack** link = &first_;
  while (*link != &s) link = &(*link)->next_listed;
  *link = s.next_listed;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

std::size_t listed_stacks::load() const noexcept {
  if (!any()) return 0;
  const std::lock_guard lock(guard_);
  std::size_t records = 0;
  for (stack* s = first_; s; s = s->next_listed) records += has_public_joins(*s) ? load_of_joins(*s) : 0;
  return records;
}

}  // namespace skua::core
