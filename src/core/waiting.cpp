// Waiting. A wait suspends its stack, and the worker continues with another one. Where that is not allowed, the stack waits
// in place and runs only tasks that `awaited_event::help` allows: the awaited task may wait for them, and perhaps no other
// worker can run them.
#include <algorithm>
#include <utility>

#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

// Far longer than any switch or wake-up; twice that for the next stack.
constexpr std::int64_t stuck_after_ns = 10'000'000;

struct departure {
  stack& self;
  awaited_event& event;
};

// From wait_by() on, another worker may continue the stack.
void depart(void* data, worker& here) {
  stack& left = static_cast<departure*>(data)->self;
  if (static_cast<departure*>(data)->event.wait_by(left.waiting)) return;
  here.pool->make_ready(left);
  if (here.running.load(std::memory_order_relaxed)) hold_up_ready_stacks(here);  // a task continues here
}

void park_stack(void* data, worker& here) {
  stack& s = *static_cast<stack*>(data);
  here.pool->give_back_stack(here, s);
}

bool may_leave(const stack& self) noexcept { return !self.external() && !isolated(self) && !is_alone(self); }

bool may_suspend(const stack& self) noexcept {
  const worker& here = *self.worker;
  if (!may_leave(self)) return false;
  return here.pool->options.continuation == continuation::free ||
         here.suspended.load(std::memory_order_relaxed) < here.pool->options.suspended_stacks;
}

// Suspends `self` and continues `target`, a ready stack or one in the worker loop.
void leave_for(stack& self, stack& target, awaited_event& event) {
  worker& here = *self.worker;
  publish_here(self);
  if (has_public_joins(self)) {
    self.listed_at = &here;
    here.listed.add(self);
  }
  fold_counters(self);
  here.suspended.fetch_add(1, std::memory_order_relaxed);
  self.home = &here;
  self.waiting.suspended = &self;
  self.awaits = &event;
  self.held_up = false;

  const observed_suspension away(self);
  departure d{self, event};
  here.after_switch = &depart;
  here.after_switch_data = &d;
  attach(target, here);
  switch_context(self.execution, target.execution);
  arrive();
}

// Thieves do not find its joins from here until it has been attached. True when there may be some.
bool leave_list(stack& s) noexcept {
  worker* const at = std::exchange(s.listed_at, nullptr);
  if (at) at->listed.remove(s);
  return at;
}

// Everything that a ready stack needs before the switch to it.
void prepare_to_continue(stack& ready, worker& here) {
  const bool moves_joins = leave_list(ready);
  ready.home->suspended.fetch_sub(1, std::memory_order_relaxed);
  attach(ready, here);
  if (moves_joins) here.pool->show_moved(here);
  begin_task(ready);
}

// False when there is no memory for another stack; nothing has happened then.
bool suspend(stack& self, awaited_event& event) {
  stack* const fresh = self.worker->pool->take_stack(*self.worker);
  if (!fresh) return false;
  self.worker->running.store(false, std::memory_order_relaxed);
  leave_for(self, *fresh, event);
  return true;
}

}  // namespace

void continue_stack(stack& self, stack& ready) noexcept {
  worker& here = *self.worker;
  here.after_switch = &park_stack;
  here.after_switch_data = &self;
  prepare_to_continue(ready, here);
  switch_context(self.execution, ready.execution);
  arrive();
}

void arrive() noexcept {
  worker& here = *current_stack()->worker;
  if (auto* act = std::exchange(here.after_switch, nullptr)) act(here.after_switch_data, here);
}

stolen take_own_help(worker& here, const restriction& only) {
  detail::task* const t = take_own_task(here, only);
  return t ? stolen_task(t) : stolen();
}

bool may_help_elsewhere(const worker& here) noexcept {
  return !here.pool->inherited && (!here.pool->managed || here.pool->managed->rescue);
}

namespace {

// Messages first. A thread that may leave this worker need not read messages of others: the thread that comes next does.
bool turn_to_others(const stack& self, std::int64_t waited_ns) {
  if (is_alone(self)) return false;
  management* const managed = self.worker->pool->managed.get();
  if (!managed) return true;
  if (!managed->rescue || waited_ns < help_for_ns) return false;
  if (isolated(self)) managed->rescue_letters(*self.worker);
  return true;
}

// In a stand-in: tasks of the awaited group that lie on workers whose own tasks are blocked.
stolen take_from_blocked_workers(const worker& here, bool force, const restriction& only) {
  scheduler_core* const pool = here.pool->stands_in_for;
  if (!pool || pool->managed || !only.group) return {};
  for (std::size_t i = 0; i < pool->workers(); ++i)
    if (stolen t = take_task(pool->at(i), force, only)) return t;
  return {};
}

// An external thread takes its own tasks first. After a while it takes those of other threads: all may fill one group.
void take_arrived(stack& self, std::int64_t waited_ns) {
  scheduler_core& pool = *self.worker->pool;
  if (self.external() && (take_from_inbox(self, pool, from_box::own) || waited_ns < help_for_ns)) return;
  take_from_inbox(self, pool);
}

/// A round over all workers of a large machine takes longer than many groups.
constexpr std::size_t looks_between_asking = 16;

}  // namespace

stolen take_help(stack& self, const restriction& only, std::int64_t waited_ns, help_from where,
                 awaited_event* until) {
  worker& here = *self.worker;
  const bool others = turn_to_others(self, waited_ns);
  // Joins that thieves keep for later come back by messages only.
  if (where == help_from::all_queues) take_arrived(self, waited_ns);
  if (where == help_from::all_queues || here.pool->managed)
    if (stolen t = take_own_help(here, only)) return t;
  if (!others) return {};
  const bool force = waited_ns > force_after_ns;
  for (std::size_t k = 1; k < here.pool->workers(); ++k) {
    if (k % looks_between_asking == 0 && until && until->done()) return {};
    worker& victim = here.pool->at((here.id + k) % here.pool->workers());
    if (stolen t =
            where == help_from::tasks ? take_task(victim, force, only) : take_from(victim, force, only))
      return t;
  }
  return take_from_blocked_workers(here, force, only);
}

void sleep_until_woken(waiter& w, scheduler_core* pool, detail::group_base* group) noexcept {
  const bool may_help = group && pool && !pool->simulated;
  const std::int64_t since = host_platform::now_ns();
  // acquire: partner of wake_waiter(); what was done before the wake-up is visible.
  while (w.woken.load(std::memory_order_acquire) == 0) {
    host_platform::park(w.woken, 0, may_help ? stand_ins::look_again_us : -1);
    if (!may_help || w.woken.load(std::memory_order_acquire) != 0) continue;
    stack* const self = current_stack();
    set_current(nullptr);  // it holds no worker
    help_group_elsewhere(pool->stands_in_for ? *pool->stands_in_for : *pool, *group,
                         host_platform::now_ns() - since);
    set_current(self);
  }
}

namespace {

// An external thread gives up its worker while it waits. It keeps its stack, whose records stay stealable.
void sleep_without_worker(stack& self, awaited_event& event, waiter& w) {
  scheduler_core& pool = *self.worker->pool;
  worker& before = *self.worker;
  leave_worker(self, false);
  sleep_until_woken(w, &pool, event.awaited_group());
  take_worker_again(self, pool, static_cast<int>(before.id), &event);
}

// An external thread may hold what this stack waits for.
// `event`: the one that the stack is registered for, if it is.
void let_external_threads_in(stack& self, awaited_event* event) {
  if (self.external() || is_alone(self)) return;  // only a worker's own thread can wait for its worker
  if (!self.worker->pool->external_threads_want(*self.worker)) return;
  if (event) event->held_up();
  const observed_interruption interrupts(self);
  worker& here = *self.worker;
  here.lent_while_waiting = true;
  make_room_for_external_thread(self);
  here.lent_while_waiting = false;
  begin_task(self);
}

void run_help(stolen task, stack& self) {
  const observed_interruption interrupts(self);
  execute(std::move(task), self, false);
}

// A wait in place may be long, and other workers may need what lies here, or send a message.
void attend_if_called(stack& self) noexcept {
  const scheduler_core& pool = *self.worker->pool;
  // Then other stacks wait until the tasks here are public, and none can publish them by force.
  if (!host_platform::heavy_fence_works()) publish_here(self);
  if (pool.managed && pool.managed->maybe_called(self.worker->id)) attend_to_messages(self);
}

// An isolated wait: nothing else may run on this stack's thread.
void sleep_in_place(stack& self, awaited_event& event, waiter& w) {
  std::int64_t nap_us = 50;
  while (w.woken.load(std::memory_order_acquire) == 0) {
    let_external_threads_in(self, &event);
    attend_if_called(self);
    if (stolen task = event.help(self, help_for_ns)) {
      run_help(std::move(task), self);
      nap_us = 50;
    } else {
      if (is_alone(self) && event.lost_in_child()) return;
      if (management* const managed = self.worker->pool->managed.get()) managed->pass_on(*self.worker);
      const scoped_activity naps(self, activity::asleep);
      host_platform::park(w.woken, 0, nap_us);
      nap_us = nap_us < 1000 ? nap_us * 2 : nap_us;
    }
  }
}

// A ready stack of this worker goes first here too: the awaited task may wait for it. This needs no new stack, so the
// bound on stacks holds.
bool give_way(stack& self, awaited_event& event) {
  worker& here = *self.worker;
  stack* ready = next_ready(here);
  if (!ready) return false;
  prepare_to_continue(*ready, here);
  leave_for(self, *ready, event);
  return true;
}

// Doubles with every stack beyond the bound, so that the number of stacks grows with the logarithm of the time waited.
std::int64_t patience(const worker& here) noexcept {
  const std::size_t suspended = here.suspended.load(std::memory_order_relaxed);
  const std::size_t bound = here.pool->options.suspended_stacks;
  return stuck_after_ns << std::min<std::size_t>(suspended > bound ? suspended - bound : 0, 32);
}

// While no thread could use the worker of an external thread, lending it would cost a sleep and a wake-up for nothing. Then
// the external thread stays awake for as long as a worker that finds nothing to do.
bool stays_awake(const stack& self, std::int64_t waited_ns) noexcept {
  if (is_alone(self)) return false;
  const scheduler_core& pool = *self.worker->pool;
  const std::int64_t park_after = pool.options.park_after_us;
  // No other thread knows of the ready stacks of its own worker.
  return self.external() && (park_after < 0 || waited_ns < park_after * 1000) &&
         !pool.external_threads_want(*self.worker) && !has_ready(*self.worker) &&
         !self.worker->lent_while_waiting && !pool.any_work();
}

void wait_in_place(stack& self, awaited_event& event) {
  const scoped_activity waits(self, activity::waiting);
  exceptions_aside aside;
  std::int64_t since = host_platform::now_ns(), waited = 0, enough = help_for_ns;
  std::atomic<std::uint32_t> none{0};
  for (;; waited = host_platform::now_ns() - since) {
    if (event.done()) return;
    const bool movable = may_leave(self);
    if (movable && give_way(self, event)) return;
    attend_if_called(self);
    if (stolen task = event.help(self, waited)) {
      run_help(std::move(task), self);
      since = host_platform::now_ns();
      enough = help_for_ns;
      continue;
    }
    if (is_alone(self) && event.lost_in_child()) return;
    for (int i = 0; i < 32; ++i) host_platform::relax();
    if (waited < enough) continue;
    if (!movable) {
      if (!stays_awake(self, waited)) break;
      host_platform::yield_thread();  // what it waits for may need this CPU
      enough = waited + help_for_ns;
      continue;
    }
    let_external_threads_in(self, nullptr);
    if (waited > patience(*self.worker) && self.worker->pool->any_work()) {
      // All workers may be waiting like this one while the awaited task waits for a record in some queue. To continue is
      // worth one more stack.
      if (suspend(self, event)) return;
    }
    host_platform::park(none, 0, 100);  // beyond the bound on stacks: look again now and then
  }
  waiter w;
  if (!event.wait_by(w)) return;
  // An isolated external thread keeps its worker: the next holder might block on a lock that the region holds.
  if (self.external() && !isolated(self) && !is_alone(self))
    sleep_without_worker(self, event, w);
  else
    sleep_in_place(self, event, w);
}

}  // namespace

void wait_for(stack& self, awaited_event& event) {
  const detail::scope* const now = self.scope.load(std::memory_order_relaxed);
  const bool gives_up = self.token && !isolated(self) && !(now && now->tied());
  if (gives_up) give_up_token(self);
  wait_plainly_for(self, event);
  if (gives_up) take_token(self);
}

bool help_for_a_while(stack& self, awaited_event& event) {
  const scoped_activity waits(self, activity::waiting);
  exceptions_aside aside;
  const std::int64_t since = host_platform::now_ns();
  for (std::int64_t waited = 0; !event.done(); waited = host_platform::now_ns() - since) {
    attend_if_called(self);
    if (stolen task = event.help(self, waited)) {
      execute(std::move(task), self, false);
      return true;
    }
    for (int i = 0; i < 32; ++i) host_platform::relax();
    if (is_alone(self) || (waited >= help_for_ns && !stays_awake(self, waited))) return false;
    if (waited >= help_for_ns) host_platform::yield_thread();  // what it waits for may need this CPU
  }
  return false;
}

void expect_thief(stack& self) noexcept {
  worker& here = *self.worker;
  if (here.pool->managed || self.deque) return;
  here.thief_expected = true;
  self.limit.store(self.lowered, std::memory_order_relaxed);
  here.tasks.limit.store(here.tasks.lowered, std::memory_order_relaxed);
}

void wait_plainly_for(stack& self, awaited_event& event) {
  const observed_wait waits(self);
  if (!may_suspend(self) || !suspend(self, event)) wait_in_place(self, event);
}

void take_worker_again(stack& self, scheduler_core& pool, int preferred, awaited_event* event) {
  // An intra-domain task stays in its domain.
  const detail::scope* const now = self.scope.load(std::memory_order_relaxed);
  worker& here = take_worker_to_come_back(pool, preferred, now && now->tied() ? now->domain : 0, event);
  const bool moves_joins = leave_list(self);
  attach(self, here);
  if (moves_joins) pool.show_moved(here);
  external_thread_returned(self);
  begin_task(self);
}

namespace {

bool must_wait(stack& ready) noexcept {
  if (std::exchange(ready.held_up, true)) return false;
  ready.awaits->held_up();
  return true;
}

}  // namespace

void hold_up_ready_stacks(worker& here) noexcept { here.ready.visit_newest(must_wait); }

stack* next_ready(worker& here) noexcept {
  if (!here.ready_now) {
    here.ready_now = here.ready.take_oldest_first();
    for (stack* s = here.ready_now; s; s = s->next)
      if (s != here.ready_now) must_wait(*s);
  }
  stack* const s = here.ready_now;
  if (s) here.ready_now = s->next;
  return s;
}

bool scheduler_core::make_ready(stack& s, bool ask) noexcept {
  // A thread of another scheduler may still be in this function when the stack has continued and its scheduler is being
  // destroyed.
  const stack* const here = current_stack();
  const bool foreign = !here || here->pool != this;
  if (foreign) foreign_wakers.fetch_add(1, std::memory_order_relaxed);  // seen with the push
  worker& home = *s.home;
  home.ready.push(&s);
  host_platform::light_fence();
  if (idle.is_asleep(home.id)) idle.wake(home.id);
  // seq_cst: partner of begin_running(), after which the home worker looks at its ready stacks.
  const bool soon = ask && !home.running.load(std::memory_order_seq_cst);
  if (foreign) foreign_wakers.fetch_sub(1, std::memory_order_release);  // partner: the destructor
  return soon;
}

void wake_where_child_ended(waiter& w) noexcept {
  stack* const here = current_stack();
  // A wait in an isolated region, or of an external thread, that has run the child continues no other stack.
  const bool here_and_now = w.suspended && !here->external() && !isolated(*here) &&
                            w.suspended->pool == here->pool &&
                            here->pool->options.continuation == continuation::free;
  if (!here_and_now) return wake_waiter(w);
  here->worker->ready.push(w.suspended);  // this worker is awake, and looks there next
}

bool wake_and_ask(waiter& w) noexcept {
  if (w.suspended) return w.suspended->home->pool->make_ready(*w.suspended, true);
  wake_waiter(w);
  return true;
}

void wake_waiter(waiter& w) noexcept {
  if (w.suspended) return static_cast<void>(w.suspended->home->pool->make_ready(*w.suspended));
  std::atomic<std::uint32_t>& woken = w.woken;
  std::atomic<std::uint32_t>* const also = w.also_on;
  detail::tell_release(&woken, std::memory_order_release);
  woken.store(1,
              std::memory_order_release);  // from here on `w` may be gone; to wake its address does no harm
  host_platform::unpark(woken);
  if (also) host_platform::unpark(*also);
}

}  // namespace skua::core
