#include "core/external/kept_worker.hpp"

#include <atomic>
#include <new>
#include <utility>

#include <skua/detail/atomics.hpp>

#include "core/idle/idle_protocol.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/record/call_row.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

/// Shared by the thread and by the worker until both have let go.
class kept_worker {
 public:
  explicit kept_worker(stack& s) noexcept
      : self(s),
        worker(*s.worker),
        pool_serial(s.worker->pool->serial),
        waiting(s.worker->pool->external_threads),
        waiting_for_domain(s.worker->pool->domains[bound_to_domain_of(*s.worker) - 1].external_threads),
        since(calls_here().rhythm.began()) {}

  bool is_wanted_by_external_threads() const noexcept { return waiting.any() || waiting_for_domain.any(); }

  lease<host_platform> between_calls;
  stack& self;
  core::worker& worker;
  const std::uint64_t pool_serial;
  const waiting_external_threads<host_platform>&waiting, &waiting_for_domain;
  const std::uint64_t since;  // ticks; the thread has had the worker
  unsigned added = 0;         // tasks, by the thread that keeps it
  // For the looks of the own thread.
  std::uint32_t calls_before = 0;   // at the last look
  std::int64_t tasks_since_ns = 0;  // since when each look has found tasks; 0: the last one found none
  unsigned looks_in_vain = 0;       // in a row at which it was away while it was needed elsewhere
  unsigned looks_others_wait = 0;   // in a row at which external threads waited for the worker
  unsigned looks_unused = 0;        // in a row at which there was no call since the last one
  std::atomic<bool> needed{false};  // why it was taken back
  std::atomic<bool> has_been_empty{false};  // the queue, at the end of a call after the last look

  void let_go() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<int> users_{2};
};

namespace {

/// How long tasks may wait at a kept worker before its own thread takes it back to run them.
constexpr std::int64_t longest_with_tasks_ns = 5'000'000;

constinit thread_local external_calls calls_from_here{};
constinit thread_local bool thread_ends = false;

/// The thread uses its worker no more; the own thread notices that.
struct let_go_at_thread_end {
  ~let_go_at_thread_end() {
    thread_ends = true;
    if (kept_worker* const mine = std::exchange(calls_from_here.kept, nullptr)) mine->let_go();
  }
};

/// This thread keeps its worker no longer. True when it still holds it.
bool lose(kept_worker& mine) noexcept {
  external_calls& calls = calls_here();
  calls.kept = nullptr;
  if (mine.needed.load(std::memory_order_relaxed)) calls.rhythm.loses();
  const bool holds = mine.worker.kept.lose(mine);
  if (holds) mine.let_go();  // the worker's part
  mine.let_go();
  return holds;
}

void leave_for_good(stack& self) noexcept {
  leave_worker(self, true);
  calls_here().rhythm.ends();
}

/// The calling thread has taken the worker back and holds it. It leaves the worker for the thread that kept it.
bool leave_for(kept_worker* taken_back) noexcept {
  if (!taken_back) return false;
  stack& left = taken_back->self;
  taken_back->let_go();
  leave_worker(left, true);
  return true;
}

/// Whether tasks have waited long that perhaps only the own thread takes.
bool tasks_wait_long(kept_worker& kept) noexcept {
  const std::int64_t now = host_platform::now_ns();
  const bool empty = kept.has_been_empty.exchange(false, std::memory_order_relaxed);
  if (empty || load_of_tasks(kept.worker) == 0)
    kept.tasks_since_ns = 0;
  else if (kept.tasks_since_ns == 0)
    kept.tasks_since_ns = now;
  return kept.tasks_since_ns != 0 && now - kept.tasks_since_ns > longest_with_tasks_ns;
}

/// Whether other threads could use the worker, and the thread that keeps it was away at the last looks.
bool is_needed_elsewhere(kept_worker& kept) noexcept {
  constexpr unsigned enough =
      8;  // a thread that calls without a pause is away at some looks, too, but not at so many in a row
  const scheduler_core& pool = *kept.worker.pool;
  const bool in_vain = kept.between_calls.is_away() && !pool.idle.count().any() && pool.any_work();
  kept.looks_in_vain = in_vain ? kept.looks_in_vain + 1 : 0;
  return kept.looks_in_vain >= enough;
}

/// Whether a thread that has got its worker then has had its turn, if others wait.
bool has_had_its_turn(std::uint64_t since_ticks) noexcept {
  constexpr std::uint64_t turn_ticks = 3'000'000;  // about 1 ms
  return host_platform::ticks() - since_ticks > turn_ticks;
}

/// Whether the worker should turn to other external threads now, which wait for it or have added tasks. A thread that calls
/// without a pause keeps it for a while: otherwise each of its calls would cost the others a sleep and a wake-up.
bool is_turn_of_others(kept_worker& kept) noexcept {
  constexpr unsigned enough = 5;
  const scheduler_core& pool = *kept.worker.pool;
  const bool others_wait = pool.external_threads_want(kept.worker) || pool.any_arrived_now();
  kept.looks_others_wait = others_wait ? kept.looks_others_wait + 1 : 0;
  return others_wait && (kept.between_calls.is_away() || kept.looks_others_wait >= enough);
}

/// Whether the thread has not called for so long that it may have stopped. It may also have lost its CPU for a moment, which
/// matters only if it has left tasks.
bool is_unused(kept_worker& kept) noexcept {
  constexpr unsigned enough = 10;
  const std::uint32_t calls = kept.between_calls.calls();
  const bool unused = calls == std::exchange(kept.calls_before, calls);
  kept.looks_unused = unused ? kept.looks_unused + 1 : 0;
  return unused && (kept.looks_unused >= enough || load_of_tasks(kept.worker) != 0);
}

/// Idle workers look for tasks in the public part of the queue only.
void publish_for_idle(stack& self) noexcept {
  worker& here = *self.worker;
  if (!here.pool->any_idle()) return;
  // Then a searcher finds a task, and takes the others by force or wakes a sleeper at the end of its search.
  const bool any_found = has_public<host_platform>(here.tasks) && searcher_takes_by_force(*here.pool);
  if (any_found && here.pool->regions.load(std::memory_order_relaxed) == 0) return;
  publish_here(self);
  here.pool->published(here);
}

/// A stack of a later scheduler may be at the same address.
bool keeps(const kept_worker& mine, const stack& self) noexcept {
  return &mine.self == &self && mine.pool_serial == self.pool->serial;
}

/// A virtual thread stays on its CPU. If it kept another CPU's worker, it would share its CPU with the thread of a worker.
bool is_on_its_cpu(const worker& here) noexcept {
  if (!here.pool->simulated) return true;
  const int of_cpu = worker_of_this_cpu(*here.pool);
  return of_cpu < 0 || of_cpu == static_cast<int>(here.id);
}

bool may_keep(const stack& self) noexcept {
  const worker& here = *self.worker;
  const scheduler_core& pool = *here.pool;
  const external_calls& calls = calls_here();
  return wants_to_keep(pool) && is_on_its_cpu(here) && !self.entered_from && !here.lent_while_waiting &&
         !here.listed.any() && !here.view->any_left() &&
         (!calls.kept || calls.kept->between_calls.has_ended()) &&
         here.suspended.load(std::memory_order_relaxed) == 0 &&
         !(pool.external_threads_want(here) && has_had_its_turn(calls.rhythm.began()));
}

}  // namespace

constinit thread_local external_calls* virtual_calls_here = nullptr;

external_calls& calls_here() noexcept {
  if (!detail::time_is_virtual) [[likely]]
    return calls_from_here;
  if (virtual_calls_here) return *virtual_calls_here;
  static constinit thread_local external_calls forgotten{};
  return forgotten = {};
}

external_calls& virtual_callers::of_this_thread() {
  static constinit std::atomic<std::uint64_t> threads{0};
  static thread_local const std::uint64_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return all_[number];
}

virtual_callers::~virtual_callers() {
  for (auto& [thread, calls] : all_)
    if (calls.kept) calls.kept->let_go();
}

bool wants_to_keep(const scheduler_core& pool) noexcept {
  return pool.lets_keep && !pool.managed && calls_here().rhythm.is_quick() && !thread_ends &&
         host_platform::heavy_fence_works();
}

stack* enter_kept(const scheduler_core& pool) noexcept {
  kept_worker* const mine = calls_here().kept;
  if (!mine || mine->pool_serial != pool.serial) return nullptr;
  stack& self = mine->self;
  if (mine->between_calls.enter()) [[likely]] {
    auto& calls = mine->worker.calls_begun;
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    set_current(&self);
    return &self;
  }
  if (lose(*mine)) {  // another thread wants it
    set_current(&self);
    leave_for_good(self);
    set_current(nullptr);
  }
  return nullptr;
}

void forget_ended_lease() noexcept {
  kept_worker*& kept = calls_here().kept;
  if (kept && kept->between_calls.has_ended()) std::exchange(kept, nullptr)->let_go();
}

namespace {

/// Shows idle workers what lies in the queue. Each look at words that thieves write takes as long as a call.
void show_to_idle(kept_worker& mine) noexcept {
  // A group gathers tasks for several workers (dealt_tasks.cpp). If no more of them come, a searcher takes these by force. If no
  // worker searches, they are public already.
  if (mine.worker.dealing.gathers_for && host_platform::heavy_fence_works()) return;
  if (load_of_tasks(mine.worker) == 0)
    mine.has_been_empty.store(true, std::memory_order_relaxed);
  else
    publish_for_idle(mine.self);
}

void leave_kept(kept_worker& mine, bool counts) noexcept {
  show_to_idle(mine);
  stack& self = mine.self;
  // Its calls may be long, and the own thread may have to wait for a CPU. So this thread looks as well.
  // When it adds tasks, it looks only after some of them, because reading the clock takes as long as adding one.
  const bool looks = counts || ++mine.added % 64 == 0;
  const auto leaves_it = [&] {
    return looks && mine.is_wanted_by_external_threads() && has_had_its_turn(mine.since);
  };
  if (!mine.between_calls.leave() || leaves_it()) [[unlikely]]
    if (lose(mine)) leave_for_good(self);
}

/// False when the thread may not, and must leave the worker.
bool keep(stack& self) noexcept {
  if (!may_keep(self)) return false;
  worker& here = *self.worker;
  auto* const made = new (std::nothrow) kept_worker(self);
  if (!made) return false;
  made->between_calls.enter();
  here.kept.keep(*made, [&] { here.pool->idle.watch(here.id); });
  static thread_local let_go_at_thread_end registered;
  static_cast<void>(registered);
  kept_worker*& kept = calls_here().kept;
  if (kept) kept->let_go();  // of a scheduler where its own thread has taken it back
  kept = made;
  fold_counters(self);
  external_thread_keeps(self);
  leave_kept(*made, true);
  return true;
}

}  // namespace

void leave_call(stack& self, bool counts) noexcept {
  kept_worker* const mine = calls_here().kept;
  if (mine && keeps(*mine, self)) [[likely]] {
    if (counts) fold_counters(self);
    leave_kept(*mine, counts);
  } else if (!keep(self)) {
    leave_for_good(self);
  }
}

void keep_no_longer(worker& here) noexcept {
  kept_worker* const mine = calls_here().kept;
  // A worker of a later scheduler may be at the same address.
  if (mine && mine->pool_serial == here.pool->serial && &mine->worker == &here && here.kept.any())
    lose(*mine);
}

bool take_back(worker& here) noexcept { return leave_for(here.kept.take_back()); }

void scheduler_core::look_after_kept(worker& here) noexcept {
  const auto must_be_taken = [&here](kept_worker& kept) {
    here.observer.looks_while_kept.add();
    recorder* const to = here.pool->recorded.get();
    if (to && !here.pool->simulated) to->own_thread_watches(here.id, kept.since);
    const bool unused = is_unused(kept), waits = tasks_wait_long(kept), elsewhere = is_needed_elsewhere(kept);
    // A thread that the operating system has suspended is unused, and may keep a worker again as soon as it calls. So may one
    // that calls without a pause, when tasks of others wait in the queue.
    if (elsewhere && !unused) kept.needed.store(true, std::memory_order_relaxed);
    return is_turn_of_others(kept) || unused || waits || elsewhere;
  };
  leave_for(here.kept.take_back_if(must_be_taken, [&] { idle.stop_watching(here.id); }));
}

}  // namespace skua::core
