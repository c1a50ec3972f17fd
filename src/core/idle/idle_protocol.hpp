// The steps of the idle protocol: how a worker searches and sleeps, what a running worker does for idle ones, how an
// external thread takes a worker and leaves it, and how the worker's own thread takes it back. src/core/idle/sleep.md
// explains and proves it. Checked by tests/model/idle_test.cpp, which runs this code over its own platform and workers.
//
// P is a platform. `Worker` has:
//   id                        its number
//   tenure<P> held            by the thread that uses the worker
//   atomic<bool> running      a task runs there
//   atomic<bool> ended        its own thread has ended
// `Pool` has:
//   std::size_t workers()
//   Worker& at(i)
//   sleepers<P> idle
//   vacancies<P> free_workers
//   bool external_threads_want(Worker&)   an external thread waits for this worker, perhaps among others
//   bool is_kept(Worker&)                 an external thread keeps this worker between its calls
//   void look_after_kept(Worker&)         for its own thread, now and then: takes it back if it is time
//   bool needs_own_thread(Worker&)        there is something that only the worker's own thread can do
//   bool any_work()                       private records included
//   bool any_idle()                       whether owners publish everything that they push
//   bool publishes(Worker&)               whether the owner there publishes what it has just pushed
//   bool answers_once(Worker&, Queue&)    whether it then pushes privately until the next request
//   void request_pushes(Worker&)          lowers the limits of what runs there
//   void published(Worker& from)          wakes a sleeper if necessary, by wake_for_publication() at first
//   bool wake_nearest(Worker& from)       wakes the nearest sleeper; false when there is none
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/external/vacancies.hpp"
#include "core/idle/sleepers.hpp"

namespace skua::core {

/// The longest sleep of a worker while there is work that its policy does not get. Where the kernel refuses
/// membarrier(2), also that of up to a dozen idle workers.
inline constexpr std::int64_t longest_nap_us = 6400;

// ---- workers that run tasks

/// After a publication: wakes the nearest sleeper if no worker searches. False when it did not try.
template <class P, class Pool, class Worker>
bool wake_for_publication(Pool& pool, Worker& from) {
  // Partner: request_all(). The worker that parks sees the publication, or this thread sees that it parks.
  P::light_fence();
  if (!pool.idle.must_wake()) return false;
  pool.wake_nearest(from);
  return true;
}

/// For an owner that would rather keep the record private that it has just pushed, although it was asked to publish: whether a
/// worker searches. That worker takes the record by force, or it looks for private records once more before it sleeps, or it
/// wakes a sleeper at the end of its search. Not beside regions, and not where the kernel has refused membarrier(2).
template <class Pool>
bool searcher_takes_by_force(Pool& pool) {
  return pool.idle.count().searching != 0;
}

/// The holder of `here` has moved records into the worker's queues. Other threads saw the records before the move, but
/// not during it, so a worker that parked during the move has found nothing.
template <class P, class Pool, class Worker, class Publish>
void show_moved(Pool& pool, Worker& here, Publish publish_private) {
  // Partner: request_all()'s second fence. The worker that parks sees the records, or this thread sees that it parks.
  P::light_fence();
  if (!pool.any_idle()) return;
  publish_private();
  pool.published(here);
}

/// A worker begins a task, or continues one. `queues` are those of the stack that runs there: open() opens their
/// limits, with a light fence after each, and request() lowers them. feeds_others(): there are probably idle workers, and the
/// count need not be read.
template <class Pool, class Worker, class Queues>
void begin_running(Pool& pool, Worker& here, Queues queues) {
  // seq_cst: partner of restore_thread(), which saves its fences when no worker runs.
  here.running.store(true, std::memory_order_seq_cst);
  // First the limits are opened, then the count is read. A worker that parks counts itself, and then lowers the limits
  // of all running workers, between two heavy fences. So one of the two sees the other.
  queues.open();
  if (queues.feeds_others() || pool.any_idle()) queues.request();
}

// ---- workers that search and sleep

/// For a thread that has made a worker count as asleep. Every push that a look after this call does not see takes the
/// slow path, and its owner sees the sleeper there. False when the kernel has refused a fence: then that does not hold.
template <class P, class Pool>
bool request_all(Pool& pool) {
  // Partner of rearm()'s fence and of begin_running(): an owner that does not see the sleeper yet has opened its limit.
  const bool fenced = P::heavy_fence();
  for (std::size_t i = 0; i < pool.workers(); ++i)
    if (auto& one = pool.at(i); one.running.load(std::memory_order_relaxed)) pool.request_pushes(one);
  // Partner of a push's fence and of wake_for_publication(): the owner sees the request, or this thread the record.
  return P::heavy_fence() && fenced;
}

/// A searcher counts as nothing from here on.
template <class Pool, class Worker>
void stop_searching(Pool& pool, Worker& here) {
  if (pool.idle.end_search(here.id)) pool.wake_nearest(here);
}

/// How often a worker's own thread looks after a worker that an external thread keeps. An unused worker comes back within
/// two looks if tasks lie there, and else within eleven.
inline constexpr std::int64_t watch_us = 200;

/// Blocks this worker's own thread until another thread wakes it or, with a timeout, until the timer ends.
template <class P, class Pool, class Worker>
void block_until_woken(Pool& pool, Worker& here, std::int64_t timeout_us) {
  auto& word = pool.idle.word(here.id);
  // acquire: partner of wake(); what this thread does to the count comes after what its waker did.
  for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != sleepers<P>::awake;) {
    if (state == sleepers<P>::watching) {
      P::park(word, state, watch_us);
      pool.look_after_kept(here);
      continue;
    }
    P::park(word, state, timeout_us);
    if (timeout_us >= 0 && word.load(std::memory_order_relaxed) == sleepers<P>::asleep)
      pool.idle.unpark(here.id);
  }
}

/// The thread that holds the worker leaves it to external threads.
template <class Pool, class Worker>
void vacate(Pool& pool, Worker& here) {
  here.held.release();
  if (pool.external_threads_want(here)) pool.free_workers.offer();
}

/// A worker's own thread takes its worker back from external threads. It counts as nothing before. True when it counts
/// as searching afterwards.
template <class P, class Pool, class Worker>
bool attach_again(Pool& pool, Worker& here) {
  bool counted = false;
  while (!here.held.try_hold()) {
    if (counted) stop_searching(pool, here);
    counted = false;
    pool.idle.park_displaced(here.id);
    if (pool.is_kept(here)) pool.idle.watch(here.id);
    if (here.held.is_free()) {
      counted = pool.idle.unpark_displaced(here.id);
      continue;
    }
    block_until_woken<P>(pool, here, P::heavy_fence_works() ? -1 : longest_nap_us);
    counted = true;
  }
  return counted;
}

/// The same for a thread that does not search afterwards either.
template <class P, class Pool, class Worker>
void attach_uncounted(Pool& pool, Worker& here) {
  if (attach_again<P>(pool, here)) stop_searching(pool, here);
}

/// A worker's own thread, which counts as nothing, leaves its worker to an external thread and takes it back.
template <class P, class Pool, class Worker>
void lend_to_external_thread(Pool& pool, Worker& here) {
  vacate(pool, here);
  constexpr int most_looks = 200;  // a thread that waits may also have to let others go first
  for (int i = 0; i < most_looks && pool.external_threads_want(here) && here.held.is_free(); ++i)
    P::yield_thread();
  attach_uncounted<P>(pool, here);
}

/// How a worker's own thread searches, and sleeps when it finds nothing. `Search` derives from this, and has:
///   bool expects_call()                another worker will probably hand it a record soon
///   void awaits_call()                 passes some time, until that happens
///   auto take_at_hand()                a task that another worker has handed to it; converts to true, or none
///   auto ask_policy()                  the same of the policy
///   bool other_source_ready()          whether the worker must do something else, such as end
///   void restart()                     the search begins anew
///   void steps_aside()                 a round has found nothing
///   void pause()                       between two rounds; an external thread may take the worker meanwhile
///   void returned(bool displaced)      it holds the worker again, and an external thread had it if `displaced`
///   bool has_looked_enough()           whether it is time to sleep
///   void falls_asleep()
///   bool must_stay_awake(bool work)    the last look, `work` being any_work()
///   void stays_awake()                 the last look has found something
///   std::int64_t timeout_us(bool work) of this sleep; -1: no timer
///   auto observe_sleep()               what it returns lives while the thread sleeps
///   void woken(std::int64_t timeout_us)
///   void slept(bool work)              it holds the worker again
template <class P, class Search, class Pool, class Worker>
class idle_search {
 protected:
  idle_search(Pool& pool, Worker& here) : pool_(pool), here_(here) {}

  /// A task, or none when other_source_ready(). This thread holds the worker and counts as nothing, before and after.
  auto find_task() {
    search().restart();
    if (search().expects_call()) {
      pool_.idle.begin_search(here_.id);
      search().awaits_call();
    } else {
      // A search that succeeds at once is not counted, because many workers share the cache line of the count.
      if (auto task = look(); task || search().other_source_ready()) return task;
      pool_.idle.begin_search(here_.id);
    }
    for (;;) {
      auto task = look();
      if (task || search().other_source_ready()) {
        stop_searching(pool_, here_);
        return task;
      }
      step_aside();
      if (search().has_looked_enough()) sleep();
    }
  }

  Pool& pool_;
  Worker& here_;

 private:
  Search& search() { return static_cast<Search&>(*this); }

  auto look() {
    auto task = search().take_at_hand();
    return task ? std::move(task) : search().ask_policy();
  }

  // Between two rounds the worker is free, so that an external thread can attach to it.
  void step_aside() {
    search().steps_aside();
    here_.held.release();
    search().pause();
    take_worker_back();
  }

  // The caller counts as searching, before and after.
  void take_worker_back() {
    const bool displaced = !here_.held.try_hold();
    if (displaced) {
      stop_searching(pool_, here_);
      if (!attach_again<P>(pool_, here_)) pool_.idle.begin_search(here_.id);
    }
    search().returned(displaced);
  }

  void sleep() {
    search().falls_asleep();
    pool_.idle.park(here_.id);
    request_all<P>(pool_);
    const bool work = pool_.any_work();
    if (search().must_stay_awake(work)) {
      pool_.idle.unpark(here_.id);
      return search().stays_awake();
    }
    nap(search().timeout_us(work));
    search().slept(work);
  }

  void nap(std::int64_t timeout_us) {
    vacate(pool_, here_);
    [[maybe_unused]] const auto asleep = search().observe_sleep();
    block_until_woken<P>(pool_, here_, timeout_us);
    search().woken(timeout_us);
    take_worker_back();
  }
};

/// The scheduler stops: wakes the own thread of worker `i` until it has ended. pause() passes some time.
template <class Pool, class Pause>
void wake_until_ended(Pool& pool, std::size_t i, Pause pause) {
  // acquire: partner of the thread's last store; the caller sees all that it did.
  while (!pool.at(i).ended.load(std::memory_order_acquire))
    if (!pool.idle.wake(i)) pause();
}

// ---- external threads

/// An external thread takes the worker if it is free. The worker's own thread then counts as nothing.
template <class Pool, class Worker>
bool try_take(Pool& pool, Worker& here) {
  if (!here.held.try_hold()) return false;
  pool.idle.displace(here.id);
  return true;
}

/// The worker's own thread counts as a sleeper again, as if it had just parked: records that were published while it
/// did not count may need it.
template <class P, class Pool, class Worker>
void restore_thread(Pool& pool, Worker& here, bool work_left) {
  if (!pool.idle.restore(here.id)) return;
  // Another thread may have taken the worker since this one has freed it, and keep it. Then the own thread must watch.
  if (work_left || pool.needs_own_thread(here) || pool.is_kept(here)) {
    pool.idle.wake(here.id);
    return;
  }
  bool task_runs = false;
  for (std::size_t i = 0; i < pool.workers(); ++i)
    // seq_cst: partner of begin_running().
    task_runs |= pool.at(i).running.load(std::memory_order_seq_cst);
  if (!task_runs) return;  // a worker that begins a task from now on sees the sleeper
  if (!request_all<P>(pool))
    pool.idle.wake(here.id);  // it looks itself, and then sleeps with a timer
  else if (pool.any_work())
    pool.wake_nearest(here);
}

/// An external thread leaves the worker, and perhaps work there.
template <class P, class Pool, class Worker>
void leave_to_own_thread(Pool& pool, Worker& here, bool work_left) {
  vacate(pool, here);
  restore_thread<P>(pool, here, work_left);
  if (work_left) pool.published(here);
}

}  // namespace skua::core
