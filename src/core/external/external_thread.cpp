// External threads. An external thread takes a free worker for the duration of a call, or longer (kept_worker.hpp), and runs
// on its own stack. So W workers never mean W + 1 running threads for long (stand_in.hpp).
#include <skua/detail/run.hpp>

#include "core/choosing/episode.hpp"
#include "core/external/kept_worker.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/platform/phase_hardware.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/record/call_row.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

constinit thread_local int last_worker = -1;

int worker_of_this_cpu(const scheduler_core& pool) noexcept {
  const int cpu = host_platform::current_cpu();
  for (std::size_t i = 0; i < pool.workers(); ++i)
    if (static_cast<int>(pool.placed[static_cast<worker_id>(i)].cpu) == cpu) return static_cast<int>(i);
  return -1;
}

namespace {

bool attach_at(scheduler_core& pool, std::size_t i, bool only_asleep, std::uint32_t bound) {
  if (bound != 0 && bound_to_domain_of(pool.at(i)) != bound) return false;
  if (only_asleep && !pool.idle.is_asleep(i)) return false;
  worker& one = pool.at(i);
  if (!try_take(pool, one)) return false;
  keep_what_was_handed(one);
  return true;
}

// A worker whose thread sleeps comes first, because displacing a searching thread would remove a searcher.
worker* try_take_worker(scheduler_core& pool, int preferred, std::uint32_t bound) {
  const std::size_t n = pool.workers();
  if (preferred < 0) preferred = worker_of_this_cpu(pool);
  const std::size_t first = preferred < 0 ? 0 : static_cast<std::size_t>(preferred) % n;
  for (const bool only_asleep : {true, false}) {
    if (only_asleep && pool.idle.count().sleeping == 0) continue;  // the workers' words lie in other caches
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = (first + k) % n;
      if (attach_at(pool, i, only_asleep, bound)) return &pool.at(i);
    }
  }
  return nullptr;
}

/// Frees a worker that another external thread keeps, if that thread is in no call now. If all of them are, the own threads of the
/// workers see that a thread waits (is_turn_of_others).
bool take_back_any(scheduler_core& pool, std::uint32_t bound) {
  if (!pool.lets_keep) return false;
  for (const auto& one : pool.all_workers)
    if ((bound == 0 || bound_to_domain_of(*one) == bound) && take_back(*one)) return true;
  return false;
}

worker* take_worker_of_this_cpu(scheduler_core& pool, std::uint32_t bound) {
  const int here = worker_of_this_cpu(pool);
  for (int i = 0; here >= 0 && i < 8; ++i) {
    const auto at = static_cast<std::size_t>(here);
    if (attach_at(pool, at, false, bound)) return &pool.at(at);
    host_platform::relax();
  }
  return nullptr;
}

worker* try_take_worker_now(scheduler_core& pool, int preferred, std::uint32_t bound) {
  // At the first call of a thread, perhaps also that of the scheduler, the threads of the workers may just begin.
  if (preferred < 0)
    if (worker* const here = take_worker_of_this_cpu(pool, bound)) return here;
  for (int i = 0; i < 16; ++i) {
    if (worker* here = try_take_worker(pool, preferred, bound)) return here;
    host_platform::relax();
  }
  return take_back_any(pool, bound) ? try_take_worker(pool, preferred, bound) : nullptr;
}

/// Takes a worker for a thread that waits for one.
struct take_for_waiting {
  scheduler_core& pool;
  int preferred;
  std::uint32_t bound;  // 0, or the number of a domain + 1
  worker* taken = nullptr;

  waiting_external_threads<host_platform>& waiting() const {
    return bound == 0 ? pool.external_threads : pool.domains[bound - 1].external_threads;
  }
  bool now() {
    if (!waiting().impatient()) taken = try_take_worker_now(pool, preferred, bound);
    return taken != nullptr;
  }
  bool operator()() {
    taken = try_take_worker(pool, preferred, bound);
    if (!taken && take_back_any(pool, bound)) taken = try_take_worker(pool, preferred, bound);
    if (phase_hardware* const hardware = taken ? nullptr : phase_hardware_here())
      hardware->external_thread_waits();
    return taken != nullptr;
  }
};

}  // namespace

worker& take_worker(scheduler_core& pool) {
  take_for_waiting take{pool, last_worker, 0};
  if (!take.now()) pool.free_workers.wait(take.waiting(), [&](bool may) { return may && take(); });
  return *take.taken;
}

worker* take_worker_unless_blocked(scheduler_core& pool) {
  take_for_waiting take{pool, last_worker, 0};
  if (take.now()) return take.taken;
  const std::int64_t since = host_platform::now_ns();
  const auto may_go_on = [&](bool may) {
    return (may && take()) || pool.standing_in.needed(host_platform::now_ns() - since);
  };
  pool.free_workers.wait(take.waiting(), may_go_on, stand_ins::look_again_us);
  return take.taken;
}

worker& take_worker_to_come_back(scheduler_core& pool, int preferred, std::uint32_t bound,
                                 awaited_event* event) {
  take_for_waiting take{pool, preferred, bound};
  if (take.now()) return *take.taken;
  if (event) event->held_up();
  pool.free_workers.wait_to_come_back(take.waiting(), [&] { return take(); });
  return *take.taken;
}

std::size_t scheduler_core::near_caller() const noexcept {
  return last_worker < 0 ? 0 : static_cast<std::size_t>(last_worker) % workers();
}

void scheduler_core::add_from_outside(detail::task& t) noexcept {
  arrived.add(t);
  wake_for_publication<host_platform>(*this, at(near_caller()));
}

void leave_worker(stack& self, bool for_good) noexcept {
  worker& here = *self.worker;
  scheduler_core& pool = *here.pool;
  keep_no_longer(here);
  external_thread_leaves(self);
  publish_here(self);
  if (has_public_joins(self)) {
    self.listed_at = &here;
    here.listed.add(self);
  }
  fold_counters(self);
  here.running.store(false, std::memory_order_relaxed);
  here.current.store(nullptr, std::memory_order_release);
  here.observer.enters(activity::asleep);  // its own thread sleeps, or will report its activity
  if (pool.managed) pool.managed->leave(here);
  const bool work_left = load_of_tasks(here) != 0 || here.listed.any() || here.lent_while_waiting;
  if (for_good) pool.give_back_external_stack(here, self);
  leave_to_own_thread<host_platform>(pool, here, work_left);
}

namespace {

worker& take_worker_or_stand_in(scheduler_core& pool) {
  if (pool.simulated) return take_worker(pool);
  for (;;) {
    if (worker* const here = take_worker_unless_blocked(pool)) return *here;
    if (worker* const here = pool.standing_in.take()) return *here;
    std::atomic<std::uint32_t> none{0};  // no memory or no thread for another one
    host_platform::park(none, 0, stand_ins::look_again_us);
  }
}

/// Longer than any wait after which a thief becomes more insistent.
constexpr std::int64_t patient_ns = 1'000'000'000;

stack& external_stack(scheduler_core& pool, worker& here) try {
  return pool.take_external_stack(here);
} catch (...) {  // no memory: the worker goes back
  leave_to_own_thread<host_platform>(pool, here, true);
  if (pool.stands_in_for) pool.stands_in_for->standing_in.give_back(pool);
  throw;
}

/// The calling thread, which has taken this worker, begins a call there. `outer`: the stack on which it calls, if any.
stack& begin_call(worker& here, stack* outer) {
  if (here.pool->lets_keep) forget_ended_lease();
  stack& s = external_stack(*here.pool, here);
  attach(s, here);
  s.entered_from = outer;
  external_thread_attached(s);
  knows_all(here);
  begin_task(s);
  return s;
}

// The stack is current until it has left, because managers ask which stack acts.
void end_call(stack& self, stack* outer, bool counts = true) noexcept {
  if (!is_alone(self)) {
    scheduler_core& pool = *self.worker->pool;
    if (!pool.stands_in_for) last_worker = static_cast<int>(self.worker->id);
    outer ? leave_worker(self, true) : leave_call(self, counts);
    if (pool.stands_in_for) pool.stands_in_for->standing_in.give_back(pool);
  }
  set_current(outer);
}

/// The stay of an external thread in a scheduler.
class visit {
 public:
  explicit visit(worker& here) : outer_(current_stack()), self_(begin_call(here, outer_)) {}
  ~visit() { end_call(self_, outer_); }
  visit(const visit&) = delete;
  visit& operator=(const visit&) = delete;
  stack& self() { return self_; }

 private:
  stack* outer_;
  stack& self_;
};

/// The same at the worker that the thread keeps, if it does.
class kept_visit {
 public:
  explicit kept_visit(const scheduler_core& pool) noexcept
      : self_(detail::current ? nullptr : enter_kept(pool)) {}
  ~kept_visit() {
    if (self_) end_call(*self_, nullptr);
  }
  kept_visit(const kept_visit&) = delete;
  kept_visit& operator=(const kept_visit&) = delete;
  stack* self() const noexcept { return self_; }

 private:
  stack* const self_;
};

const void* place_of_call(const void* from, void (*code)(void*, task_context&)) noexcept {
  return from ? from : place_of_code(reinterpret_cast<const void*>(code));
}

/// Recording takes no time there, so each call is recorded like one of a thread that keeps no worker.
[[gnu::noinline]] void run_kept_in_virtual_time(stack& self, void (*code)(void*, task_context&), void* data,
                                                const void* from) {
  struct at_work {
    explicit at_work(stack& of) noexcept : self(of) { self.worker->observer.enters(activity::user); }
    ~at_work() { self.worker->observer.enters(activity::asleep); }
    at_work(const at_work&) = delete;
    at_work& operator=(const at_work&) = delete;
    stack& self;
  } works(self);
  const recorded_call counted(self.pool->recorded.get());
  const observed_call call(self, from);
  const auto measured = episode::of_call(self, place_of_call(from, code));
  code(data, self);
}

}  // namespace

void run_as_worker(scheduler_core& pool, void (*code)(void*, task_context&), void* data, const void* from) {
  if (const kept_visit here(pool); here.self()) {
    if (pool.may_deal) [[unlikely]]
      knows_all_again(*here.self());
    if (pool.simulated) [[unlikely]]
      return run_kept_in_virtual_time(*here.self(), code, data, from);
    const observed_kept_call call(*here.self(), from);
    const auto measured = episode::of_call(*here.self(), place_of_call(from, code));
    return code(data, *here.self());
  }
  if (pool.simulated.get() != current_simulated_machine()) {
    const auto there = [&] {
      if (pool.simulated) virtual_calls_here = &pool.callers->of_this_thread();
      run_as_worker(pool, code, data, from);
    };
    return pool.simulated ? pool.simulated->enter(there) : leave_simulated_machine(there);
  }
  // This thread may already hold a worker of the pool, possibly below calls into other schedulers.
  stack* const inside = current_stack();
  for (stack* s = inside; s; s = s->entered_from) {
    if (!is_of(*s, pool)) continue;
    struct back {
      stack* to;
      ~back() { set_current(to); }
    } when_done{inside};
    set_current(s);
    return code(data, *s);
  }
  const recorded_call counted(pool.recorded.get());
  calls_here().rhythm.begins();
  visit here(take_worker_or_stand_in(pool));
  const observed_call call(here.self(), from);
  const auto measured = episode::of_call(here.self(), place_of_call(from, code));
  code(data, here.self());
}

stack* enter_to_add(scheduler_core& pool) noexcept try {
  // A task for a simulated machine is added in a call, and a virtual thread keeps no worker of a real scheduler.
  if (!pool.lets_keep || pool.simulated || detail::time_is_virtual) return nullptr;
  if (stack* const kept = enter_kept(pool)) {
    kept_call_begins(*kept, nullptr, adding_to_group);
    return kept;
  }
  calls_here().rhythm.begins();
  const bool may_take = wants_to_keep(pool) && !pool.external_threads.impatient();
  worker* const free = may_take ? try_take_worker(pool, last_worker, 0) : nullptr;
  if (!free) {
    calls_here().rhythm.ends();
    return nullptr;
  }
  stack& here = begin_call(*free, nullptr);
  take_from_inbox(here, pool, from_box::own);  // tasks that it has added before come first
  return &here;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void leave_after_adding(stack& self) noexcept {
  kept_call_ends(self);
  end_call(self, nullptr, false);
}

namespace {

/// Runs a call of this thread, which keeps no worker, on a worker that it has taken.
void run_on(worker& taken, void (*code)(void*, task_context&), void* data) {
  const recorded_call counted(taken.pool->recorded.get());
  calls_here().rhythm.begins();
  visit here(taken);
  const observed_call call(here.self(), nullptr);
  code(data, here.self());
}

}  // namespace

bool run_as_free_worker(scheduler_core& pool, void (*code)(void*, task_context&), void* data) {
  if (const kept_visit here(pool); here.self()) {
    const observed_kept_call call(*here.self(), nullptr);
    code(data, *here.self());
    return true;
  }
  worker* const free = try_take_worker_now(pool, last_worker, 0);
  if (!free) return false;
  run_on(*free, code, data);
  return true;
}

namespace {

/// Null when the waiter has been woken, or no worker has come free for long.
worker* take_worker_unless_woken(scheduler_core& pool, waiter& w) {
  constexpr std::int64_t longest_ns = 100'000'000;
  const std::int64_t since = host_platform::now_ns();
  take_for_waiting take{pool, last_worker, 0};
  const auto stops = [&](bool may) {
    // acquire: partner of wake_waiter(); what was done before the wake-up is visible.
    return w.woken.load(std::memory_order_acquire) != 0 || (may && take()) ||
           host_platform::now_ns() - since > longest_ns;
  };
  pool.free_workers.wait_beside(take.waiting(), stops);
  return take.taken;
}

}  // namespace

bool run_unless_woken(scheduler_core& pool, waiter& w, void (*code)(void*, task_context&),
                      void* data) noexcept try {
  worker* const free = take_worker_unless_woken(pool, w);
  if (!free) return false;
  run_on(*free, code, data);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void help_group_elsewhere(scheduler_core& pool, detail::group_base& group, std::int64_t waited_ns) noexcept
    try {
  if (!pool.standing_in.needed(waited_ns)) return;
  worker* const here = pool.standing_in.take();
  if (!here) return;
  visit there(*here);
  // Its own thread runs what is left of them.
  for (int boxes = 64; boxes > 0 && take_from_inbox(there.self(), pool);) --boxes;
  const restriction only{.group = &group, .taker = here};
  while (stolen task = take_help(there.self(), only, patient_ns, help_from::all_queues))
    execute(std::move(task), there.self(), false);
} catch (const std::bad_alloc&) {  // it tries again
}

}  // namespace skua::core
