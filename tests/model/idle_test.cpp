// The idle protocol: no worker sleeps while there is work, whichever thread publishes it and in whichever way. What is
// not in the template `sleepers` is written as the core does it; comments name the core's functions.
#include <memory>

#include "core/completion.hpp"
#include "core/queue/queue_operations.hpp"
#include "core/sleepers.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;
using sleepers = core::sleepers<P>;

// A worker with the queue of the stack that runs there.
struct worker_state {
  std::unique_ptr<queue> q{new queue};
  slot slots[3];
  atomic<int> held;
  atomic<int> running;
  rl::var<int> members;  // everything that belongs to the holder

  worker_state() {
    core::initialise<P>(*q, slots, 2);
    held.store(0, std::memory_order_relaxed);
    running.store(0, std::memory_order_relaxed);
    AT(members) = 0;
  }
  bool try_hold() {
    return held.load(std::memory_order_relaxed) == 0 && held.exchange(1, std::memory_order_acquire) == 0;
  }
  void release() { held.store(0, std::memory_order_seq_cst); }
  void use() { AT(members) = AT(members) + 1; }
};

struct work {
  rl::var<int> argument;
  rl::var<int> result;
  atomic<int> done;
};

template <class Self, int Threads, int Workers>
struct pool : scenario<Self, Threads> {
  worker_state workers[Workers];
  sleepers idle{Workers};
  atomic<int> stopping;
  work pieces[3];

  pool() {
    stopping.store(0, std::memory_order_relaxed);
    for (work& w : pieces) w.done.store(0, std::memory_order_relaxed);
  }

  // Of join_records.
  bool interrupt(slot*) { return false; }
  void resume(slot*) {}
  void publish(slot*) {}
  bool before_force() { return true; }

  // scheduler_core
  void request_all() {
    for (worker_state& p : workers)
      if (p.running.load(std::memory_order_relaxed)) core::request<P>(*p.q);
  }
  bool any_work() {
    for (worker_state& p : workers)
      if (core::load_of<P>(*p.q) != 0) return true;
    return false;
  }
  bool wake_nearest() {
    for (std::size_t i = 0; i < Workers; ++i)
      if (idle.is_asleep(i) && idle.wake(i)) return true;
    return false;
  }
  void published() {
    P::light_fence();
    if (idle.must_wake()) wake_nearest();
  }
  void stop() {
    stopping.store(1, std::memory_order_release);
    for (std::size_t i = 0; i < Workers; ++i) {
      P::heavy_fence();
      while (idle.is_asleep(i) && !idle.wake(i)) P::relax();
    }
  }

  void begin_task(worker_state& here) {
    here.running.store(1, std::memory_order_seq_cst);
    core::rearm<P>(*here.q);
    if (idle.count().any()) core::request<P>(*here.q);
  }
  void end_task(worker_state& here) { here.running.store(0, std::memory_order_relaxed); }

  // task_context::slow_push
  void push(worker_state& here, work& w, int argument) {
    AT(w.argument) = argument;
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed);
    if (!q.push(s, this, &w)) return;
    core::rearm<P>(q);
    RL_ASSERT(s < q.last);
    if (!idle.count().any()) return;
    q.limit.store(q.slots, std::memory_order_relaxed);
    core::publish_all<P>(q, *this);
    published();
  }
  // The join of the newest record; true when the owner runs it.
  bool pop(worker_state& here) {
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed) - 1;
    return q.pop(s) || core::reclaim<P>(q, s, idle.count().any());
  }
  void run(work& w) {
    AT(w.result) = AT(w.argument) + 1;
    w.done.store(1, std::memory_order_release);
  }
  void join(worker_state& here, work& w) {
    if (pop(here))
      run(w);
    else
      finish(here, w);
  }
  void finish(worker_state& here, work& w) {
    while (!w.done.load(std::memory_order_acquire)) P::relax();
    RL_ASSERT(AT(w.result) == AT(w.argument) + 1);
    core::retire<P>(*here.q, here.q->top.load(std::memory_order_relaxed) - 1);
  }

  // take_from, with a policy that tries every victim.
  work* steal(bool force) {
    for (worker_state& p : workers) {
      core::claimed one;
      const auto accept = [](void*, std::uint16_t) { return true; };
      bool taken = core::claim<P>(*p.q, &one, 1, accept) != 0;
      if (!taken && core::load_of<P>(*p.q) != 0) {
        if (force)
          taken = core::force_publish<P>(*p.q, *this) && core::claim<P>(*p.q, &one, 1, accept) != 0;
        else
          core::request<P>(*p.q);
      }
      if (taken) return static_cast<work*>(one.frame);
    }
    return nullptr;
  }

  // search::run, by a thread that holds its worker all the time. Its first look is not counted.
  void worker(std::size_t me) {
    for (;;) {
      work* w = steal(false);
      if (!w) w = search(me);
      if (!w) return;
      begin_task(workers[me]);
      run(*w);
      end_task(workers[me]);
    }
  }
  work* search(std::size_t me) {
    idle.begin_search();
    for (int fruitless = 0;;) {
      work* const w = steal(fruitless > 0);
      if (w || stopping.load(std::memory_order_acquire)) {
        if (idle.end_search()) wake_nearest();
        return w;
      }
      P::relax();
      fruitless = sleep(me) ? 0 : fruitless + 1;
    }
  }
  // search::sleep; false when it stays awake.
  bool sleep(std::size_t me) {
    idle.park(me);
    P::heavy_fence();
    request_all();
    P::heavy_fence();
    if (any_work() || stopping.load(std::memory_order_acquire)) {
      idle.unpark(me);
      return false;
    }
    block_until_woken(me);
    return true;
  }
  void block_until_woken(std::size_t me) {
    auto& word = idle.word(me);
    for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != sleepers::awake;)
      P::park(word, state);
  }
};

// A busy worker forks and waits for the last fork, which must reach an idle worker.
template <class Self, int Threads>
struct long_leaf : pool<Self, Threads, Threads> {
  // Runs `forks` joins that may stay private, and then a leaf that ends only when another worker has run the last fork.
  void owner(int forks) {
    worker_state& here = this->workers[0];
    this->begin_task(here);
    for (int i = 0; i < forks; ++i) {
      this->push(here, this->pieces[i], i);
      this->join(here, this->pieces[i]);
    }
    this->push(here, this->pieces[2], 7);
    while (!this->pieces[2].done.load(std::memory_order_acquire)) P::relax();
    if (this->pop(here)) RL_ASSERT(false);
    this->finish(here, this->pieces[2]);
    this->end_task(here);
    this->stop();
  }
};
struct one_sleeper : long_leaf<one_sleeper, 2> {
  void thread(unsigned i) { i == 0 ? owner(rl::rand(3)) : worker(i); }
};
struct two_sleepers : long_leaf<two_sleepers, 3> {
  void thread(unsigned i) { i == 0 ? owner(rl::rand(2)) : worker(i); }
};

// Worker 0 has its own thread, and an external thread takes it for the length of a call. Worker 1 is busy: its fork
// must reach worker 0's thread, whether that thread searches, sleeps, or has been displaced.
template <class Self, int Threads>
struct with_external_thread : pool<Self, Threads, 2> {
  worker_state& shared = this->workers[0];
  rl::var<int> result;

  void own_thread() {
    if (!attach_again()) this->idle.begin_search();
    while (work* w = search()) {
      do {
        shared.use();
        this->begin_task(shared);
        this->run(*w);
        this->end_task(shared);
        w = this->steal(false);  // not counted
      } while (w);
      this->idle.begin_search();
    }
    shared.release();
  }
  work* search() {
    for (int fruitless = 0;;) {
      shared.use();
      work* const w = this->steal(fruitless > 0);
      if (w || this->stopping.load(std::memory_order_acquire)) {
        if (this->idle.end_search()) this->wake_nearest();
        return w;
      }
      if (rl::rand(2) == 0) {
        shared.release();  // search::step_aside
        P::relax();
        attach();
        ++fruitless;
      } else {
        fruitless = sleep() ? 0 : fruitless + 1;
      }
    }
  }
  bool sleep() {
    this->idle.park(0);
    P::heavy_fence();
    this->request_all();
    P::heavy_fence();
    if (this->any_work() || this->stopping.load(std::memory_order_acquire)) {
      this->idle.unpark(0);
      return false;
    }
    shared.release();
    this->block_until_woken(0);
    attach();
    return true;
  }
  // search::take_worker_back
  void attach() {
    if (shared.try_hold()) return;
    if (this->idle.end_search()) this->wake_nearest();
    if (!attach_again()) this->idle.begin_search();
  }
  bool attach_again() {
    bool counted = false;
    while (!shared.try_hold()) {
      if (counted && this->idle.end_search()) this->wake_nearest();
      counted = false;
      this->idle.park_displaced(0);
      if (shared.held.load(std::memory_order_seq_cst) == 0) {
        counted = this->idle.unpark_displaced(0);
        continue;
      }
      this->block_until_woken(0);
      counted = true;
    }
    return counted;
  }

  void external(bool leaves_work) {
    while (!shared.try_hold()) P::relax();  // take_worker
    this->idle.displace(0);
    shared.use();
    this->begin_task(shared);
    work& left = this->pieces[0];
    this->push(shared, left, 3);
    if (!leaves_work) {
      this->join(shared, left);
    } else {
      core::publish_all<P>(*shared.q, *this);
    }
    leave_worker();
    if (leaves_work) {  // another thread runs it, and the external thread waits outside
      while (!left.done.load(std::memory_order_acquire)) P::relax();
      RL_ASSERT(AT(left.result) == 4);
    }
  }
  void leave_worker() {
    this->end_task(shared);
    const bool work_left = core::load_of<P>(*shared.q) != 0;
    shared.release();
    restore_thread(work_left);
    if (work_left) this->published();
  }
  void restore_thread(bool work_left) {
    if (!this->idle.restore(0)) return;
    if (work_left) {
      this->idle.wake(0);
      return;
    }
    bool task_runs = false;
    for (worker_state& p : this->workers) task_runs |= p.running.load(std::memory_order_seq_cst) != 0;
    if (!task_runs) return;
    P::heavy_fence();
    this->request_all();
    P::heavy_fence();
    if (this->any_work()) this->wake_nearest();
  }

  void owner(bool begun = false) {
    worker_state& here = this->workers[1];
    if (!begun) this->begin_task(here);
    if (rl::rand(2) == 0) {
      this->push(here, this->pieces[1], 5);
      this->join(here, this->pieces[1]);
    }
    this->push(here, this->pieces[2], 7);
    while (!this->pieces[2].done.load(std::memory_order_acquire)) P::relax();
    if (this->pop(here)) RL_ASSERT(false);
    this->finish(here, this->pieces[2]);
    this->end_task(here);
  }
};
struct external_thread_leaves_work : with_external_thread<external_thread_leaves_work, 2> {
  void thread(unsigned i) {
    if (i == 0) return own_thread();
    external(true);
    stop();
  }
};
struct external_thread_and_owner : with_external_thread<external_thread_and_owner, 3> {
  atomic<int> others;
  external_thread_and_owner() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return own_thread();
    if (i == 1)
      external(false);
    else
      owner();
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
};
// An external thread leaves just when a worker begins a task.
struct external_thread_leaves : with_external_thread<external_thread_leaves, 3> {
  bool begun =
      rl::rand(2) != 0;  // or the worker was requested to come to its slow path, and is there right now

  external_thread_leaves() {
    shared.held.store(1, std::memory_order_relaxed);
    if (!begun) return;
    workers[1].running.store(1, std::memory_order_relaxed);
    workers[1].q->limit.store(workers[1].q->slots, std::memory_order_relaxed);
  }

  void thread(unsigned i) {
    if (i == 0) return own_thread();
    if (i == 1) return leave_worker();
    owner(begun);
    stop();
  }
};
// External threads come and go while the worker's thread finds its worker taken and parks.
struct two_external_threads : with_external_thread<two_external_threads, 3> {
  atomic<int> others;
  two_external_threads() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) {
      own_thread();
      RL_ASSERT(!idle.count().any());
      return;
    }
    external(false);
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
};

// Two threads publish a job each and then do nothing more. Two workers search, run one job each, and do nothing more
// either. Both jobs must be done: a searching worker on which a publisher relied must look again, or wake another
// worker.
struct two_jobs : scenario<two_jobs, 4> {
  sleepers idle{2};
  atomic<int> jobs[2];

  two_jobs() {
    for (auto& j : jobs) j.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) { i < 2 ? worker(i) : publisher(jobs[i - 2]); }

  void wake_nearest() {
    for (std::size_t i = 0; i < 2; ++i)
      if (idle.is_asleep(i) && idle.wake(i)) return;
  }
  void publisher(atomic<int>& job) {
    job.store(1, std::memory_order_relaxed);
    P::light_fence();
    if (idle.must_wake()) wake_nearest();
  }
  void worker(std::size_t me) {
    idle.begin_search();
    for (;;) {
      for (auto& j : jobs)
        if (j.load(std::memory_order_relaxed) == 1 && j.exchange(2, std::memory_order_relaxed) == 1) {
          if (idle.end_search()) wake_nearest();
          return;
        }
      idle.park(me);
      P::heavy_fence();
      bool any = false;
      for (auto& j : jobs) any |= j.load(std::memory_order_relaxed) == 1;
      if (any) {
        idle.unpark(me);
        continue;
      }
      auto& word = idle.word(me);
      for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != sleepers::awake;)
        P::park(word, state);
    }
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* sleeper_counts_after =
      "It orders what the woken worker does to the count after what its waker does; Relacy never lets a "
      "read-modify-write overtake another.";
  return mutant_test(
             {{"sleepers.hpp"},
              {"queue_operations.hpp:rearm", "split_queue.hpp:push",
               // Copies of functions of src/core that are not templates.
               "idle_test.cpp:sleep", "idle_test.cpp:restore_thread", "idle_test.cpp:begin_task"}},
             {{"a fork and a sleeper", &run_random<one_sleeper>},
              {"a fork and two sleepers", &run_random<two_sleepers>},
              {"an external thread leaves work behind", &run_random<external_thread_leaves_work>},
              {"an external thread, and a fork on another worker", &run_random<external_thread_and_owner>},
              {"an external thread leaves", &run_random<external_thread_leaves>},
              {"two external threads", &run_random<two_external_threads>},
              {"two jobs", &run_random<two_jobs>}},
             {{"sleep", "load", "", 0, "`stopping` makes no data visible."},
              {"wake", "store", "", 0, sleeper_counts_after},
              {"unpark", "load", "", 0, sleeper_counts_after},
              {"unpark_displaced", "load", "", 0, sleeper_counts_after},
              {"push", "store", "release -> relaxed", 0,
               "split_queue_test checks what a thief finds in a record."}})
      .run(50000, 50000);
}
