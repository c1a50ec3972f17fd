// What a worker does when it has no task: it tries its sources of work, in the order of find_work.hpp. The last one asks the
// steal policy until there is something to do, and sleeps meanwhile. src/core/idle/sleep.md proves that no worker sleeps
// while there is work that it could do.
#include <algorithm>
#include <utility>

#include "core/choosing/policy_chooser.hpp"
#include "core/idle/find_work.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/idle/pause_before_search.hpp"
#include "core/platform/phase_hardware.hpp"
#include "core/record/observed.hpp"
#include "core/record/observed_search.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

constexpr std::int64_t shortest_nap_us = 100;
/// Short loops often follow each other. So a worker that has run a handed record for less than `short_piece_ns` waits for the
/// next one for `call_awaited_ns` before it looks for other work. A loop takes about as long to reach 192 workers and to end.
constexpr std::int64_t call_awaited_ns = 12'000;
constexpr unsigned max_rounds_beside_work = 32;

/// There is work that this worker's policy does not get. A worker near the work may get it, but may sleep without a
/// timer. If the workers near this one do not get it either, they wake each other until all of them have a timer.
void wake_beside_work(scheduler_core& pool, worker& here) noexcept {
  for (const auto& p : pool.all_workers)
    if (load_of_queues(*p) != 0 && pool.wake_nearest(*p, sleeper_kind::without_timer)) return;
  pool.wake_nearest(here, sleeper_kind::without_timer);
}

/// The scheduler stops, and no stack that was suspended here still has to continue.
bool ends(const worker& here) noexcept {
  return here.pool->stopping.load(std::memory_order_acquire) &&
         here.suspended.load(std::memory_order_acquire) == 0 && !here.view->any_left();
}

/// Asks the steal policy until it finds a task, or until another source has something; sleeps when it finds nothing.
class search : protected idle_search<host_platform, observed_search<search>, scheduler_core, worker> {
 public:
  explicit search(stack& self) : idle_search(*self.worker->pool, *self.worker), self_(self) {}

  /// A stolen task, or none when the worker is to look at its other sources. This thread holds the worker at the beginning
  /// and at the end.
  stolen run() {
    if (host_platform::tuning_fits())
      pause_before_search(here_, [this] { return other_source_ready() || is_called(); }).pass();
    stolen task = empty_box(find_task());
    if (task && host_platform::tuning_fits())
      here_.last_steals.found(host_platform::now_ns(), is_loop(task), tasks_begun(here_));
    return task;
  }

 protected:
  friend idle_search;

  bool is_called() const { return pool_.managed && pool_.managed->called(here_.id); }

  // A record may have come while the search ended.
  stolen empty_box(stolen found) {
    handed_record* const handed = here_.calls.close();
    if (!handed) return found;
    if (!found) return accept(*handed);
    keep_handed(here_, *handed);
    return found;
  }

  stolen accept(handed_record& handed) {
    here_.dealing.known = handed.given;
    here_.dealing.called_ns = host_platform::now_ns();
    here_.view->robbed = handed.from;
    return take_handed(here_, handed);
  }

  bool expects_call() {
    const std::int64_t called = std::exchange(here_.dealing.called_ns, 0);
    return called != 0 && host_platform::now_ns() - called < short_piece_ns;
  }

  // Looks at nothing but its own words, so that it does not slow down busy workers.
  void awaits_call() {
    const std::int64_t end = host_platform::now_ns() + call_awaited_ns;
    for (unsigned i = 1; !here_.calls.is_full(); ++i) {
      if (i % 8 == 0 && (other_source_ready() || host_platform::now_ns() > end)) break;
      host_platform::relax();
    }
  }

  void restart() {
    since_ = host_platform::now_ns();
    here_.view->force = false;
    here_.view->begin(since_);
    round_ = 0;
    looks_once_ = false;
    if (pool_.may_deal) here_.calls.open();
  }

  stolen take_at_hand() {
    if (stolen left = here_.view->take_left()) return left;
    if (!here_.calls.is_full()) return {};
    if (handed_record* const handed = here_.calls.close()) return accept(*handed);
    here_.calls.open();  // the giver has taken its record back
    return {};
  }

  stolen ask_policy() {
    if (pool_.choices) [[unlikely]]
      pool_.choices->look_at_limit();
    stolen task;
    try {
      task = here_.policy->acquire(*here_.view);
      if (!task && !pool_.keeps_tiers()) task = take_left_in_pools();
    } catch (...) {
      pool_.replace_policy(here_);
    }
    return here_.view->reconcile(std::move(task));
  }

  // The policy that has put them there was stopped.
  stolen take_left_in_pools() {
    for (domain_id d = 0; d < pool_.domains.size(); ++d)
      if (pool_.domains[d].any())
        if (stolen task = here_.view->try_take(d)) return task;
    return {};
  }

  bool other_source_ready() {
    return has_ready(here_) || here_.listed.load() != 0 || load_of_tasks(here_) != 0 || pool_.any_arrived() ||
           pool_.external_threads_want(here_) || ends(here_);
  }

  void pause() {
    const unsigned pauses = round_ < 4 ? 1u << round_ : 16;
    ++round_;
    for (unsigned i = 0; i < pauses && !here_.calls.is_full(); ++i) host_platform::relax();
    // A worker that shares its CPU must yield, or it keeps the others from producing the work that it looks for.
    const unsigned rounds = pool_.options.shares_cpus ? 1 : 64;
    if (round_ % rounds == 0) host_platform::yield_thread();
  }

  void returned(bool displaced) {
    if (displaced)
      restart();
    else if (pool_.may_deal)
      here_.calls.open();  // an external thread may have come and gone
    is_here(self_, here_);
  }

  bool has_looked_enough() const {
    if (looks_once_) return true;
    const std::int64_t park_after = pool_.options.park_after_us;
    if (park_after < 0 || host_platform::now_ns() - since_ < park_after * 1000) return false;
    // The longer the work stays, the more rounds the worker searches, so that a policy with random victims finds it
    // too.
    return round_ >= std::min(naps_beside_work_, max_rounds_beside_work);
  }

  void falls_asleep() {
    asleep_since_ = host_platform::now_ns();
    if (pool_.regions.load(std::memory_order_relaxed) != 0)
      unblock_domain(pool_, pool_.placed[here_.id].domain);
    if (pool_.managed) pool_.managed->say_idle(here_);
  }

  // When the last look finds work for the first time, the worker searches on: its policy may get the work.
  bool must_stay_awake(bool work) {
    const bool message = is_called() || (pool_.managed && pool_.managed->believed_busy(here_.id));
    return here_.calls.is_full() || here_.view->any_left() || other_source_ready() || message ||
           (work && fruitless_ == 0);
  }

  void stays_awake() {
    ++fruitless_;
    looks_once_ = false;
    since_ = host_platform::now_ns();
  }

  // The sleep needs a timer while there is work that this policy does not get, and on a kernel without membarrier.
  std::int64_t timeout_us(bool work) {
    std::int64_t timeout = -1;
    if (work || !host_platform::heavy_fence_works()) {
      const std::int64_t longest = work ? longest_nap_us : longest_idle_nap_us();
      timeout = std::min(nap_us_, longest);
      here_.naps.store(true, std::memory_order_relaxed);
      if (work) {
        pool_.say_if_nothing_is_stolen(++naps_beside_work_);
        wake_beside_work(pool_, here_);
      }
      nap_us_ = std::min(2 * nap_us_, longest);
    }
    if (!work) fruitless_ = naps_beside_work_ = 0;
    return timeout;
  }

  // All sleepers together look as often as a dozen would, so more sleepers take no more CPU time.
  std::int64_t longest_idle_nap_us() const {
    return std::max(longest_nap_us, longest_nap_us * static_cast<std::int64_t>(pool_.workers()) / 12);
  }

  void woken(std::int64_t timeout_us) {
    timer_ended_ = timeout_us >= 0 && host_platform::now_ns() - asleep_since_ >= timeout_us * 1000;
    if (timeout_us >= 0) here_.naps.store(false, std::memory_order_relaxed);
  }

  // After a timer has ended, no thread has woken this worker, and there was no work before. So it looks once, and its
  // last look before the next sleep covers the rest. A whole search after each nap would keep an idle machine busy.
  void slept(bool work) {
    restart();
    here_.view->force = work;
    looks_once_ = timer_ended_ && !work;
  }

  stack& self_;
  std::int64_t since_ = 0;
  unsigned round_ = 0;
  unsigned fruitless_ = 0;  // times in a row that it stayed awake and then found nothing
  std::int64_t asleep_since_ = 0;
  bool timer_ended_ = false;  // of the last sleep
  bool looks_once_ = false;   // before it sleeps again
  std::int64_t nap_us_ = shortest_nap_us;
  unsigned naps_beside_work_ = 0;
};

}  // namespace

void make_room_for_external_thread(stack& self) noexcept {
  worker& here = *self.worker;
  here.observer.enters(activity::asleep);  // until an external thread says what it does
  lend_to_external_thread<host_platform>(*here.pool, here);
  is_here(self, here);
}

namespace {

// As find_work() asks for them.
class sources {
 public:
  explicit sources(stack& self) : self_(self), here_(*self.worker) {}

  bool continue_ready_stack() {
    here_.observer.enters(activity::own_queue);
    stack* const ready = next_ready(here_);
    if (!ready) return false;
    here_.observer.enters(activity::resuming);
    continue_stack(self_, *ready);
    return true;
  }

  // If external threads call again and again, one of them always waits. So the worker's own thread alternates: it lends
  // the worker, then runs a task. No other thread looks at these tasks.
  bool lend_worker() {
    const bool own_turn = std::exchange(here_.has_just_lent, false);
    if (!here_.pool->external_threads_want(here_)) return false;
    if (own_turn && (load_of_tasks(here_) != 0 || here_.pool->any_arrived())) return false;
    make_room_for_external_thread(self_);
    here_.has_just_lent = true;
    return true;
  }

  bool run_own_task() {
    detail::task* const t = take_own_task(here_);
    if (!t) return false;
    here_.observer.took_own_task();
    begin_task(self_);
    run_task_and_kin(*t, self_);
    end_task(self_);
    return true;
  }

  bool take_from_inbox() { return core::take_from_inbox(self_, *here_.pool); }

  bool run_join_of_suspended_stack() {
    if (!here_.listed.any()) return false;
    stolen task = take_listed(here_, {.taker = &here_});
    if (!task) return false;
    here_.observer.took_own_task();
    execute(std::move(task), self_, true);
    return true;
  }

  bool end_thread() {
    if (!ends(here_) || (here_.pool->managed && !here_.pool->managed->ends(here_))) return false;
    switch_context(self_.execution, here_.thread);
    return true;
  }

  // Takes no part while stacks are suspended here: what they wait for may depend on the other sources.
  bool take_part_in_phase() noexcept {
    phase_hardware* const hardware = phase_hardware_here();
    return hardware && detail::host_atomics::quietly(here_.suspended).load(std::memory_order_relaxed) == 0 &&
           hardware->stand_by(here_.id);
  }

  bool run_stolen_task() {
    stolen task = observed_search<search>(self_).run();
    if (!task) return false;
    const observed_loot runs(self_, here_.view->robbed);
    execute(std::move(task), self_, true);
    return true;
  }

 private:
  stack& self_;
  worker& here_;
};

}  // namespace

void worker_loop() {
  // The stack is the same in each round, but it may have continued on another worker.
  for (;;) find_work(sources(*current_stack()));
}

}  // namespace skua::core
