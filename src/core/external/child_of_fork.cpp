#include "core/external/child_of_fork.hpp"

#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/locks/spin_pause.hpp"
#include "core/scheduler_core.hpp"
#include "core/start/fewer_workers.hpp"

namespace skua::core {

// ---- the cores of this process

/// All scheduler objects that have a core. Never destroyed: a scheduler may be static.
struct all_cores {
  fork_safe_lock guard;
  core_of_process* first = nullptr;
  std::vector<scheduler_core*> left_behind;  // still reachable, so that no tool takes them for lost

  static all_cores& here() {
    static all_cores& all = *new all_cores;
    return all;
  }
  void add(core_of_process& one) noexcept {
    const std::lock_guard lock(guard);
    one.next_ = first;
    if (first) first->before_ = &one;
    first = &one;
  }
  void remove(core_of_process& one) noexcept {
    const std::lock_guard lock(guard);
    (one.before_ ? one.before_->next_ : first) = one.next_;
    if (one.next_) one.next_->before_ = one.before_;
  }
  void leave_behind(scheduler_core* one) noexcept {
    try {
      const std::lock_guard lock(guard);
      left_behind.push_back(one);
    } catch (...) {  // no memory
    }
  }
  template <class Act>
  void each(Act act) noexcept {
    const std::lock_guard lock(guard);
    for (core_of_process* one = first; one; one = one->next_)
      act(*one->core_.load(std::memory_order_relaxed));
  }
};

namespace {

scheduler_core* make_core(settings chosen) {
  return with_possible_workers(std::move(chosen),
                               [](const settings& possible) { return new scheduler_core(possible); });
}

}  // namespace

core_of_process::core_of_process(settings chosen) {
  const making_scheduler alone;
  all_cores& all =
      all_cores::here();  // before the core: if this threw later, no thread would end its threads
  core_.store(make_core(std::move(chosen)), std::memory_order_relaxed);
  all.add(*this);
}

core_of_process::~core_of_process() {
  scheduler_core* const last = core_.load(std::memory_order_acquire);
  if (!last->inherited) last->stop();  // its last tasks may call fork(), which must find it
  all_cores::here().remove(*this);
  if (last->inherited)
    all_cores::here().leave_behind(last);
  else
    delete last;
}

scheduler_core& core_of_process::start_anew() {
  const making_scheduler alone;
  scheduler_core* const before = core_.load(std::memory_order_acquire);
  if (!before->inherited) return *before;  // another thread was faster
  scheduler_core* const made = make_core(chosen_ ? *chosen_ : in_child_process(before->options));
  core_.store(made, std::memory_order_release);  // partner: usable()
  chosen_.reset();
  all_cores::here().leave_behind(before);
  return *made;
}

// ---- the calls in which fork() is called

namespace {

/// Calls act(stack, whether it holds its worker) for the stacks of the calling thread.
template <class Act>
void each_stack_here(Act act) noexcept {
  for (stack* s = current_stack(); s; s = s->entered_from) act(*s, true);
  for (const blocking_caller* b = blocking_caller_here; b; b = b->outer) {
    if (!b->left_worker) continue;
    act(b->from, false);
    for (stack* s = b->from.entered_from; s; s = s->entered_from) act(*s, true);
  }
}

/// A thread may hold two workers of a scheduler, one of them below a blocking call.
bool is_first_of_its_scheduler(const stack& s) noexcept {
  const stack* first = nullptr;
  each_stack_here([&](const stack& other, bool holds_worker) {
    if (!first && holds_worker && other.worker->pool == s.worker->pool) first = &other;
  });
  return first == &s;
}

/// The locks of the objects that the calling thread uses after fork(). A thief holds them while it moves or counts
/// records. Virtual threads take turns, so none holds one now.
template <class Act>
void each_lock_here(Act act) noexcept {
  if (host_platform::threads_take_turns()) return;
  each_stack_here([&](stack& s, bool holds_worker) {
    act(static_cast<detail::split_queue<detail::host_atomics>&>(s));
    if (!holds_worker) return;
    act(static_cast<detail::split_queue<detail::host_atomics>&>(*s.tasks));
    act(s.worker->backlog);
    if (is_first_of_its_scheduler(s))
      for (domain_pool& domain : s.worker->pool->domains) act(domain);
  });
}

struct take_lock {
  void operator()(detail::split_queue<detail::host_atomics>& q) const {
    for (spin_pause<host_platform> pause; !guard_lock<host_platform>::try_lock(q);) pause();
  }
  void operator()(auto& other) const { other.guard().lock(); }
};

struct give_back_lock {
  void operator()(detail::split_queue<detail::host_atomics>& q) const {
    guard_lock<host_platform>::unlock(q);
  }
  void operator()(auto& other) const { other.guard().unlock(); }
};

void take_own_locks() noexcept { each_lock_here(take_lock()); }
void give_back_own_locks() noexcept { each_lock_here(give_back_lock()); }
const around_fork locks_of_own_queues(take_own_locks, give_back_own_locks);

bool is_complete_here(const scheduler_core& one) noexcept {
  return one.simulated && one.simulated->is_entered_by_this_thread();
}

bool goes_on_here(const stack& s) noexcept {
  bool is_here = s.pool && !s.pool->inherited;
  each_stack_here([&](const stack& mine, bool) { is_here |= &mine == &s; });
  return is_here;
}

void leave_threads_in_parent() noexcept {
  all_cores::here().each([](scheduler_core& one) {
    if (is_complete_here(one)) return;
    one.inherited = true;
    one.standing_in.each([](scheduler_core& other) { other.inherited = true; });
    // Managers answer on threads that are missing. They are not destroyed, since those threads may have been in the
    // middle of anything.
    static_cast<void>(one.managed.release());
  });
  forget_stacks(goes_on_here);
}
const in_child schedulers_in_child(leave_threads_in_parent);

}  // namespace

std::exception_ptr lost_in_parent() {
  return std::make_exception_ptr(
      std::runtime_error("skua: another thread had the task when this process was forked, so the task does "
                         "not run in the child; only the thread that called fork() continues here"));
}

void end_if_alone(const stack& self) noexcept {
  if (is_alone(self)) [[unlikely]]
    end_child("the task in which it was made");
}

// A missing thread may hold the worker that the stack had before, and the lock of its list that contains the stack.
void sit_alone(stack& self) {
  worker& here = self.pool->make_worker_of_child(self.worker->id);
  self.listed_at = nullptr;
  attach(self, here);
  begin_task(self);
}

}  // namespace skua::core
