// The idle protocol: no worker sleeps while there is work, whichever thread publishes it and in whichever way. The
// scenarios run the code of src/core (sleepers.hpp, idle_protocol.hpp, vacancies.hpp, and the queue) over small workers
// of their own. What a worker does with a task, and how it chooses a victim, is written here; comments name the core's
// functions.
#include <cstdint>
#include <memory>

#include "core/idle_protocol.hpp"
#include "core/queue/arrivals.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;

// A worker with the queue of the stack that runs there.
struct worker_state {
  std::size_t id = 0;
  core::tenure<P> held;
  atomic<bool> running;
  atomic<bool> ended;
  std::unique_ptr<queue> q{new queue};
  slot slots[3];
  rl::var<int> members;  // everything that belongs to the holder

  worker_state() {
    core::initialise<P>(*q, slots, 2);
    running.store(false, std::memory_order_relaxed);
    ended.store(false, std::memory_order_relaxed);
    AT(members) = 0;
  }
  void use() { AT(members) = AT(members) + 1; }
};

struct work {
  /// `next` for arrivals, a plain variable to Relacy too.
  struct link {
    rl::var<work*> to;
    link& operator=(work* w) {
      AT(to) = w;
      return *this;
    }
    operator work*() const { return AT(to); }
  } next;
  rl::var<int> argument;
  rl::var<int> result;
  atomic<int> done;
};

// Asks the policy of its pool, which tries every victim; by force after a round in vain.
template <class Pool>
struct search : core::idle_search<P, search<Pool>, Pool, worker_state> {
  search(Pool& pool, worker_state& here) : core::idle_search<P, search, Pool, worker_state>(pool, here) {}
  auto run() { return this->find_task(); }

  auto ask_policy() {
    this->here_.use();
    return this->pool_.steal(force_);
  }
  bool other_source_ready() {
    return this->pool_.external_threads_want(this->here_) || this->pool_.arrived.any() ||
           this->pool_.stopping.load(std::memory_order_acquire);
  }
  void restart() { force_ = false; }
  void steps_aside() { force_ = true; }
  // Not always: what a thread has read before relax(), Relacy never lets it read again once it is overwritten.
  void pause() {
    if (rl::rand(2) == 0) P::relax();
  }
  void returned(bool displaced) {
    this->here_.use();
    if (displaced) restart();
  }
  bool has_looked_enough() { return this->pool_.looks_once || rl::rand(2) == 0; }
  void falls_asleep() {}
  bool must_stay_awake(bool work) { return work || other_source_ready(); }
  void stays_awake() {}
  std::int64_t timeout_us(bool) { return this->pool_.naps ? 100 : -1; }
  struct nothing {};
  nothing observe_sleep() { return {}; }
  void woken(std::int64_t) {}
  void slept(bool) { restart(); }

 private:
  bool force_ = false;
};

// Threads and workers of a scheduler; `Self` is the scenario.
template <class Self, int Threads, int Workers>
struct pool : scenario<Self, Threads> {
  worker_state all[Workers];
  core::sleepers<P> idle{Workers};
  core::waiting_external_threads<P> external_threads;
  core::vacancies<P> free_workers;
  core::arrivals<P, work> arrived;
  atomic<bool> stopping;
  work pieces[3];
  bool looks_once = true;  // before it sleeps
  bool naps = false;       // sleepers have a timer
  bool shares_cpus = false;

  pool() {
    for (std::size_t i = 0; i < Workers; ++i) all[i].id = i;
    stopping.store(false, std::memory_order_relaxed);
    for (work& w : pieces) w.done.store(0, std::memory_order_relaxed);
  }
  Self& self() { return static_cast<Self&>(*this); }

  // Of join_records.
  bool interrupt(slot*) { return false; }
  void resume(slot*) {}
  void publish(slot*) {}
  bool before_force() { return true; }

  // Of scheduler_core.
  std::size_t workers() const { return Workers; }
  worker_state& at(std::size_t i) { return all[i]; }
  bool external_threads_want(worker_state&) { return external_threads.any(); }
  bool needs_own_thread(worker_state&) { return arrived.any(); }
  void request_pushes(worker_state& one) { core::request<P>(*one.q); }
  bool any_idle() { return idle.count().any(); }
  bool publishes(worker_state&) { return any_idle(); }
  bool answers_once() const { return shares_cpus; }
  bool any_work() {
    for (worker_state& one : all)
      if (core::load_of<P>(*one.q) != 0) return true;
    return arrived.any();
  }
  bool wake_nearest(worker_state&) {
    for (std::size_t i = 0; i < Workers; ++i)
      if (idle.is_asleep(i) && idle.wake(i)) return true;
    return false;
  }
  void published(worker_state& from) { core::wake_for_publication<P>(self(), from); }

  // The scheduler stops, when no task runs any more. Workers below `first` have no thread of their own.
  void stop(std::size_t first) {
    stopping.store(true, std::memory_order_release);
    for (std::size_t i = first; i < Workers; ++i) {
      core::wake_until_ended(self(), i, [] { P::relax(); });
      all[i].use();
    }
  }

  struct queue_of_worker {
    queue& q;
    void open() { core::rearm<P>(q); }
    void request() { core::request<P>(q); }
  };
  void begin_task(worker_state& here) { core::begin_running(self(), here, queue_of_worker{*here.q}); }
  void end_task(worker_state& here) { here.running.store(false, std::memory_order_relaxed); }

  // task_context::slow_push
  void push(worker_state& here, work& w, int argument) {
    AT(w.argument) = argument;
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed);
    if (!q.push(s, this, &w)) return;
    core::rearm<P>(q);
    RL_ASSERT(s < q.last);
    core::answer_request(self(), here, q, [&] { core::publish_all<P>(q, *this); });
  }
  // The join of the newest record; true when the owner runs it.
  bool pop(worker_state& here) {
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed) - 1;
    return q.pop(s) || core::reclaim<P>(q, s, any_idle());
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
    for (worker_state& victim : all) {
      core::claimed one;
      const auto accept = [](void*, std::uint16_t) { return true; };
      bool taken = core::claim<P>(*victim.q, &one, 1, accept) != 0;
      if (!taken && core::load_of<P>(*victim.q) != 0) {
        if (force)
          taken = core::force_publish<P>(*victim.q, *this) && core::claim<P>(*victim.q, &one, 1, accept) != 0;
        else
          core::request<P>(*victim.q);
      }
      if (taken) return static_cast<work*>(one.frame);
    }
    return nullptr;
  }

  // thread_main and worker_loop, with the sources lend_worker, take_from_inbox, end_thread and run_stolen_task.
  void own_thread(std::size_t me) {
    worker_state& here = all[me];
    core::attach_uncounted<P>(self(), here);
    for (;;) {
      here.use();
      if (external_threads_want(here)) {
        core::lend_to_external_thread<P>(self(), here);
      } else if (work* const first = arrived.take_oldest_first()) {
        begin_task(here);
        for (work* one = first; one; one = one->next) run(*one);
        end_task(here);
      } else if (stopping.load(std::memory_order_acquire)) {
        break;
      } else if (work* const w = search<Self>(self(), here).run()) {
        begin_task(here);
        run(*w);
        end_task(here);
      }
    }
    here.ended.store(true, std::memory_order_release);
  }
};

// A busy worker forks and waits for the last fork, which must reach an idle worker.
template <class Self, int Threads>
struct long_leaf : pool<Self, Threads, Threads> {
  void after() { RL_ASSERT(!this->idle.count().any()); }

  // Runs `forks` joins that may stay private, and then a leaf that ends only when another worker has run the last fork.
  void owner(int forks) {
    worker_state& here = this->all[0];
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
    this->stop(1);
  }
};
struct one_sleeper : long_leaf<one_sleeper, 2> {
  void thread(unsigned i) { i == 0 ? owner(rl::rand(3)) : own_thread(i); }
};
struct two_sleepers : long_leaf<two_sleepers, 3> {
  void thread(unsigned i) { i == 0 ? owner(rl::rand(2)) : own_thread(i); }
};
struct two_sleepers_share_cpus : long_leaf<two_sleepers_share_cpus, 3> {
  two_sleepers_share_cpus() { shares_cpus = true; }
  void thread(unsigned i) { i == 0 ? owner(rl::rand(3)) : own_thread(i); }
};
struct one_sleeper_with_timer : long_leaf<one_sleeper_with_timer, 2> {
  one_sleeper_with_timer() { naps = true; }
  void thread(unsigned i) { i == 0 ? owner(rl::rand(2)) : own_thread(i); }
};

// Worker 0 has its own thread, and an external thread takes it for the length of a call. Worker 1 is busy: its fork
// must reach worker 0's thread, whether that thread searches, sleeps, or has been displaced.
template <class Self, int Threads>
struct with_external_thread : pool<Self, Threads, 2> {
  worker_state& shared = this->all[0];

  with_external_thread() { this->looks_once = rl::rand(2) != 0; }
  void after() { RL_ASSERT(!this->idle.count().any()); }

  // take_worker and visit
  void external(bool leaves_work) {
    this->free_workers.wait(this->external_threads,
                            [this](bool may) { return may && core::try_take(this->self(), shared); });
    shared.use();
    this->begin_task(shared);
    work& left = this->pieces[0];
    this->push(shared, left, 3);
    if (leaves_work)
      core::publish_all<P>(*shared.q, *this);
    else
      this->join(shared, left);
    leave_worker();
    if (leaves_work) {  // another thread runs it, and the external thread waits outside
      while (!left.done.load(std::memory_order_acquire)) P::relax();
      RL_ASSERT(AT(left.result) == 4);
    }
  }
  void leave_worker() {
    this->end_task(shared);
    core::leave_to_own_thread<P>(this->self(), shared, core::load_of<P>(*shared.q) != 0);
  }

  void owner(bool begun = false) {
    worker_state& here = this->all[1];
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
  void stop() {
    this->stopping.store(true, std::memory_order_release);
    core::wake_until_ended(this->self(), 0, [] { P::relax(); });
    shared.use();
  }
};
struct external_thread_leaves_work : with_external_thread<external_thread_leaves_work, 2> {
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    external(true);
    stop();
  }
};
struct external_thread_and_owner : with_external_thread<external_thread_and_owner, 3> {
  atomic<int> others;
  external_thread_and_owner() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
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
    if (!shared.held.try_hold()) RL_ASSERT(false);
    if (!begun) return;
    all[1].running.store(true, std::memory_order_relaxed);
    core::request<P>(*all[1].q);
  }

  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
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
    if (i == 0) return own_thread(0);
    external(false);
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
};

// A thread without a worker hands over a task, while an external thread takes the only worker with a thread of its own and
// leaves it.
struct a_task_arrives : with_external_thread<a_task_arrives, 3> {
  atomic<int> others;
  a_task_arrives() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    if (i == 1)
      external(false);
    else
      hand_over();
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
  void hand_over() {
    work& w = pieces[1];
    AT(w.argument) = 5;
    arrived.push(&w);
    core::wake_for_publication<P>(*this, shared);
    while (!w.done.load(std::memory_order_acquire)) P::relax();
    RL_ASSERT(AT(w.result) == 6);
  }
};

// Two threads publish a job each and then do nothing more. Two workers search, run one job each, and do nothing more
// either. Both jobs must be done: a searching worker on which a publisher relied must look again, or wake another
// worker.
struct two_jobs : pool<two_jobs, 4, 2> {
  atomic<int> jobs[2];

  two_jobs() {
    for (auto& j : jobs) j.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i < 2) {
      all[i].held.try_hold();
      search<two_jobs>(*this, all[i]).run();
    } else {
      while (!any_idle()) P::relax();  // a job that is published before needs no wake-up
      jobs[i - 2].store(1, std::memory_order_relaxed);
      published(all[0]);
    }
  }
  bool any_work() {
    for (auto& j : jobs)
      if (j.load(std::memory_order_relaxed) == 1) return true;
    return false;
  }
  bool steal(bool) {
    for (auto& j : jobs)
      if (j.load(std::memory_order_relaxed) == 1 && j.exchange(2, std::memory_order_relaxed) == 1)
        return true;
    return false;
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
             {{"sleepers.hpp", "idle_protocol.hpp"},
              {"queue_operations.hpp:rearm", "split_queue.hpp:push", "vacancies.hpp:is_free",
               "vacancies.hpp:release", "vacancies.hpp:try_hold", "arrivals.hpp:any", "arrivals.hpp:push"}},
             {{"a fork and a sleeper", &run_random<one_sleeper>},
              {"a fork and two sleepers", &run_random<two_sleepers>},
              {"a fork and two sleepers that share a CPU", &run_random<two_sleepers_share_cpus>},
              {"a fork and a sleeper with a timer", &run_random<one_sleeper_with_timer>},
              {"an external thread leaves work behind", &run_random<external_thread_leaves_work>},
              {"an external thread, and a fork on another worker", &run_random<external_thread_and_owner>},
              {"an external thread leaves", &run_random<external_thread_leaves>},
              {"two external threads", &run_random<two_external_threads>},
              {"a task arrives", &run_random<a_task_arrives>},
              {"two jobs", &run_random<two_jobs>}},
             {{"wake", "store", "", 0, sleeper_counts_after},
              {"block_until_woken", "load", "", 0, sleeper_counts_after},
              {"unpark", "load", "", 0, sleeper_counts_after},
              {"unpark_displaced", "load", "", 0, sleeper_counts_after},
              {"push", "store", "release -> relaxed", 0,
               "split_queue_test checks what a thief finds in a record."}})
      .run(50000, 50000);
}
