// What a worker does when it has no task. In this order, and why:
//   1. ready stacks   they hold memory, and somebody waits for what they will finish
//   2. own tasks      newest first: warm in the cache, no traffic
//   3. records of this worker's own suspended stacks
//   4. on a simulated machine with a substrate: the next phase, if it took part in one
//   5. the policy     who to steal from
//   6. sleep
#include <algorithm>

#include "core/platform/simulated_machine.hpp"
#include "core/record/activity.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// Sleeps until somebody wakes this worker, or, with a timeout, until it wakes by the clock.
void sleep_at(scheduler_core& pool, const worker& here, std::int64_t timeout_us) noexcept {
  auto& word = pool.idle.word(here.id);
  for (std::uint32_t state;
       (state = word.load(std::memory_order_acquire)) != sleepers<host_platform>::awake;) {
    host_platform::park(word, state, timeout_us);
    if (timeout_us >= 0 && word.load(std::memory_order_relaxed) == sleepers<host_platform>::asleep)
      pool.idle.unpark(here.id);
  }
}

constexpr std::int64_t shortest_nap_us = 100, longest_nap_us = 6400;
constexpr unsigned max_rounds_beside_work = 32;

/// There is work that this worker's policy does not get. Somebody near it may be able to, who sleeps without a clock; those
/// near this worker may be no better off, and wake each other, until everybody has a clock.
void wake_beside_work(scheduler_core& pool, worker& here) noexcept {
  for (const auto& p : pool.all_workers)
    if (load_of_queues(*p) != 0 && pool.wake_nearest(*p, sleeper_kind::without_clock)) return;
  pool.wake_nearest(here, sleeper_kind::without_clock);
}

}  // namespace

bool attach_again(scheduler_core& pool, worker& here) noexcept {
  bool counted = false;
  while (!here.held.try_hold()) {
    if (counted && pool.idle.end_search()) pool.wake_nearest(here);
    counted = false;
    pool.idle.park_displaced(here.id);
    if (here.held.is_free()) {
      counted = pool.idle.unpark_displaced(here.id);
      continue;
    }
    sleep_at(pool, here, host_platform::heavy_fence_works() ? -1 : longest_nap_us);
    counted = true;
  }
  return counted;
}

namespace {

/// The scheduler stops, and nothing that began here is still to be continued.
bool ends(const worker& here) noexcept {
  return here.pool->stopping.load(std::memory_order_acquire) &&
         here.suspended.load(std::memory_order_acquire) == 0;
}

/// Lets threads from outside have the place that its own thread does not use now.
void offer_worker(scheduler_core& pool, const worker& here) noexcept {
  if (pool.external_threads_want(here)) pool.free_workers.offer();
}

class search {
 public:
  search(stack& self) : self_(self), here_(*self.seat), pool_(*here_.pool) {}

  /// Looks for work until there is some, or something else to do (then empty). Holds the place at both ends.
  stolen run() {
    const std::uint64_t began = here_.log ? host_platform::ticks() : 0;
    stolen task = look_until_found();
    if (here_.log) [[unlikely]]
      keep_times(began, static_cast<bool>(task));
    return task;
  }

 private:
  stolen look_until_found() {
    restart();
    // What the first look finds needs nobody to know of it: the line of the count is everybody's.
    if (stolen task = ask_policy(); task || called()) return task;
    pool_.idle.begin_search();
    for (;;) {
      stolen task = ask_policy();
      if (task || called()) {
        if (pool_.idle.end_search()) pool_.wake_nearest(here_);
        return task;
      }
      step_aside();
      if (tired()) sleep();
    }
  }

  // The latency counts from when it last woke, or began.
  void keep_times(std::uint64_t began, bool found) noexcept {
    const std::uint64_t now = host_platform::ticks();
    here_.log->search_time.add(now - std::min(now, began));
    if (!found) return;
    here_.log->steal_latency.add(now - std::min(now, restarted_));
    here_.log->steal_duration.add(now - std::min(now, asked_));
  }

  bool tired() const {
    const std::int64_t park_after = pool_.options.park_after_us;
    if (park_after < 0 || host_platform::now_ns() - since_ < park_after * 1000) return false;
    // Beside work it looks the longer, the longer that lies there: policies that look at one at random find it, too.
    return round_ >= std::min(naps_beside_work_, max_rounds_beside_work);
  }

  stolen ask_policy() {
    if (here_.log) [[unlikely]]
      asked_ = host_platform::ticks();
    stolen task;
    try {
      task = here_.policy->acquire(*here_.view);
    } catch (...) {
      pool_.replace_policy(here_);
    }
    here_.view->reconcile(task);
    set_activity(here_, task ? activity::taking : activity::looking);
    return task;
  }

  void restart() {
    set_activity(here_, activity::looking);
    since_ = host_platform::now_ns();
    if (here_.log) [[unlikely]]
      restarted_ = host_platform::ticks();
    here_.view->force = false;
    here_.view->begin(since_);
    round_ = 0;
  }

  bool called() {
    return has_ready(here_) || here_.listed.load() != 0 || load_of<host_platform>(here_.tasks) != 0 ||
           pool_.external_threads_want(here_) || ends(here_);
  }

  // Between two rounds the place is free, so that a guest may have it.
  void step_aside() {
    set_activity(here_, activity::waiting);
    here_.held.release();
    const unsigned pauses = round_ < 4 ? 1u << round_ : 16;
    ++round_;
    for (unsigned i = 0; i < pauses; ++i) host_platform::relax();
    if (pool_.workers() > 2 && round_ % 64 == 0) host_platform::yield_thread();
    attach(true);
  }

  void attach(bool counted) {
    if (here_.held.try_hold()) {
      if (!counted) pool_.idle.begin_search();
    } else {
      if (counted && pool_.idle.end_search()) pool_.wake_nearest(here_);
      if (!attach_again(pool_, here_)) pool_.idle.begin_search();
      restart();
    }
    here_.current.store(&self_, std::memory_order_release);
    set_activity(here_, activity::looking);
  }

  void sleep() {
    set_activity(here_, activity::asleep);
    if (pool_.regions.load(std::memory_order_relaxed) != 0)
      unblock_domain(pool_, pool_.seats[here_.id].domain);
    if (pool_.managed) pool_.managed->say_idle(here_);
    // Counted, fence, limits lowered, fence, a last look: sleep.md says why nothing slips through.
    pool_.idle.park(here_.id);
    host_platform::heavy_fence();
    pool_.request_all();
    host_platform::heavy_fence();
    const bool work = pool_.any_work();
    const bool message =
        pool_.managed && (pool_.managed->called(here_.id) || pool_.managed->believed_busy(here_.id));
    if (called() || message || (work && fruitless_ == 0)) {
      pool_.idle.unpark(here_.id);
      set_activity(here_, activity::looking);
      ++fruitless_;
      since_ = host_platform::now_ns();
      return;
    }
    // Work that this policy cannot get, or a kernel without membarrier: look again now and then.
    std::int64_t timeout_us = -1;
    if (work || !host_platform::heavy_fence_works()) {
      timeout_us = nap_us_;
      here_.naps.store(true, std::memory_order_relaxed);
      if (work) {
        pool_.say_if_nothing_is_stolen(++naps_beside_work_);
        wake_beside_work(pool_, here_);
      }
      nap_us_ = std::min(2 * nap_us_, longest_nap_us);
    }
    if (!work) fruitless_ = naps_beside_work_ = 0;
    here_.held.release();
    offer_worker(pool_, here_);
    const std::int64_t from = host_platform::now_ns();
    here_.counters.sleeps.add();
    sleep_at(pool_, here_, timeout_us);
    if (timeout_us >= 0) here_.naps.store(false, std::memory_order_relaxed);
    attach(true);
    here_.counters.asleep_ns.add(static_cast<std::uint64_t>(host_platform::now_ns() - from));
    restart();
    here_.view->force = work;
  }

  stack& self_;
  worker& here_;
  scheduler_core& pool_;
  std::int64_t since_ = 0;
  unsigned round_ = 0;
  unsigned fruitless_ = 0;
  std::int64_t nap_us_ = shortest_nap_us;
  unsigned naps_beside_work_ = 0;
  std::uint64_t restarted_ = 0, asked_ = 0;  // in ticks, where they are kept
};

bool run_own_task(stack& self) {
  worker& here = *self.seat;
  detail::task* t = take_own_task(here);
  if (!t) return false;
  here.counters.own_tasks.add();
  begin_task(self);
  run_task_and_kin(*t, self);
  end_task(self);
  return true;
}

bool run_listed(stack& self) {
  worker& here = *self.seat;
  if (!here.listed.any()) return false;
  stolen task = take_listed(here, {.taker = &here});
  if (!task) return false;
  here.counters.own_tasks.add();
  execute(std::move(task), self, true);
  return true;
}

}  // namespace

void make_room_for_external_thread(stack& self) noexcept {
  worker& here = *self.seat;
  scheduler_core& pool = *here.pool;
  set_activity(here, activity::asleep);  // until a guest says what it does
  here.held.release();
  offer_worker(pool, here);
  while (pool.external_threads_want(here) && here.held.is_free()) host_platform::yield_thread();
  if (attach_again(pool, here) && pool.idle.end_search()) pool.wake_nearest(here);
  here.current.store(&self, std::memory_order_release);
}

namespace {

// Not with stacks that wait: their end may depend on what else there is to do.
bool takes_part_in_phase(stack& self) noexcept {
  return host_platform::in_virtual_time() &&
         detail::host_atomics::quietly(self.seat->suspended).load(std::memory_order_relaxed) == 0 &&
         simulated_machine_here().stand_by(self.seat->id);
}

// What a thief took, with its size where it ran without a pause.
void execute_timed(stolen task, stack& self) {
  worker& here = *self.seat;
  if (!here.log) [[likely]]
    return execute(std::move(task), self, true);
  self.account = here.view->account;
  const auto tasks_begun = [&] {
    return detail::host_atomics::quietly(here.begun).load(std::memory_order_relaxed);
  };
  const std::uint64_t began = host_platform::ticks();
  const std::uint32_t before = tasks_begun();
  execute(std::move(task), self, true);
  self.account = nullptr;
  if (self.seat != &here || tasks_begun() != before + 1) return;  // others ran meanwhile
  const std::uint64_t now = host_platform::ticks();
  here.log->task_size.add(now - std::min(now, began));
}

}  // namespace

void worker_loop() {
  for (;;) {
    // Found anew each time: this stack may have continued at another place.
    stack& self = *current_stack();
    worker& here = *self.seat;
    scheduler_core& pool = *here.pool;
    set_activity(here, activity::own_queue);
    if (stack* ready = next_ready(here)) {
      set_activity(here, activity::resuming);
      continue_stack(self, *ready);
    } else if (pool.external_threads_want(here)) {
      make_room_for_external_thread(self);
    } else if (run_own_task(self) || run_listed(self)) {
    } else if (ends(here)) {
      switch_context(self.execution, here.thread);
    } else if (takes_part_in_phase(self)) {
    } else if (stolen task = search(self).run()) {
      execute_timed(std::move(task), self);
    }
  }
}

}  // namespace skua::core
