// The idle protocol: no worker may sleep while there is work, no matter which thread publishes the work, or how. The
// scenarios run the code of src/core (sleepers.hpp, idle_protocol.hpp, slow_push.hpp, find_work.hpp, hand_record.hpp,
// vacancies.hpp, and the queue) with small workers of their own. This file contains what a worker does with a task and how it
// chooses a victim. Comments name the corresponding functions of the core.
#include <cstdint>
#include <memory>
#include <string_view>

#include "core/dealing/call_box.hpp"
#include "core/dealing/hand_record.hpp"
#include "core/external/lease.hpp"
#include "core/idle/find_work.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/idle/slow_push.hpp"
#include "core/queue/outboxes.hpp"
#include "core/queue/queue_operations.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;
using queue = core::queue_of<P>;
using slot = core::slot_of<P>;

// Like core::kept_worker.
struct kept_worker {
  core::lease<P> between_calls;
};

struct work {
  /// `next` for arrivals. Relacy checks it as a plain variable.
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

// A worker, with the queue of the stack that it runs.
struct worker_state {
  std::size_t id = 0;
  core::tenure<P> held;
  core::lease_at_worker<P, kept_worker> kept;
  atomic<bool> running;
  atomic<bool> ended;
  core::call_box<P, work> calls;
  std::unique_ptr<queue> q{new queue};
  slot slots[3];
  rl::var<int> members;  // stands for all members that only the holder of the worker may use

  worker_state() {
    core::initialise<P>(*q, slots, 2);
    running.store(false, std::memory_order_relaxed);
    ended.store(false, std::memory_order_relaxed);
    AT(members) = 0;
  }
  void use() { AT(members) = AT(members) + 1; }
};

// Asks the policy of its pool, which tries all victims. After one round without a task it uses force.
template <class Pool>
struct search : core::idle_search<P, search<Pool>, Pool, worker_state> {
  search(Pool& pool, worker_state& here) : core::idle_search<P, search, Pool, worker_state>(pool, here) {}
  auto run() { return empty_box(this->find_task()); }

  bool expects_call() { return this->pool_.deals && rl::rand(2) == 0; }
  void awaits_call() {
    for (int i = 0; i < 2 && !this->here_.calls.is_full(); ++i) P::relax();
  }
  auto take_at_hand() {
    this->here_.use();
    using task = decltype(this->pool_.steal(force_));
    if (is_called())
      if (work* const handed = this->here_.calls.close()) return task(handed);
    return task();
  }
  auto ask_policy() { return this->pool_.steal(force_); }
  bool other_source_ready() {
    return core::load_of<P>(*this->here_.q) != 0 || this->pool_.external_threads_want(this->here_) ||
           this->pool_.arrived.any() || this->pool_.stopping.load(std::memory_order_acquire);
  }
  void restart() {
    force_ = false;
    if (this->pool_.deals) this->here_.calls.open();
  }
  void steps_aside() { force_ = true; }
  // Pauses only sometimes: after relax(), Relacy never again gives a thread an overwritten value that it read before relax().
  void pause() {
    if (rl::rand(2) == 0) P::relax();
  }
  void returned(bool displaced) {
    this->here_.use();
    if (displaced) restart();
  }
  bool has_looked_enough() { return this->pool_.looks_once || rl::rand(2) == 0; }
  void falls_asleep() {}
  bool must_stay_awake(bool work) {
    return (this->pool_.looks_into_box && is_called()) || work || other_source_ready();
  }
  void stays_awake() {}
  std::int64_t timeout_us(bool) { return this->pool_.naps ? 100 : -1; }
  struct nothing {};
  nothing observe_sleep() { return {}; }
  void woken(std::int64_t) {}
  void slept(bool) { restart(); }

 private:
  bool is_called() { return this->pool_.deals && this->here_.calls.is_full(); }
  // A record may have come while the search ended.
  template <class Task>
  Task empty_box(Task found) {
    work* const handed = this->pool_.deals ? this->here_.calls.close() : nullptr;
    if (!handed) return found;
    if (!found) return Task(handed);
    this->pool_.keep_for_later(this->here_, *handed);
    return found;
  }

  bool force_ = false;
};

// Threads and workers of a scheduler. `Self` is the scenario.
template <class Self, int Threads, int Workers, std::size_t GroupSize = 8>
struct pool : scenario<Self, Threads> {
  worker_state all[Workers];
  core::sleepers<P, GroupSize> idle{Workers};
  core::waiting_external_threads<P> external_threads;
  core::vacancies<P> free_workers;
  core::outboxes<P, work> arrived;
  atomic<bool> stopping;
  work pieces[3];
  bool looks_once = true;  // before a worker sleeps
  bool naps = false;       // sleepers have a timer
  bool shares_cpus = false;
  bool deals = false;          // workers open their boxes
  bool keeps_private = false;  // owners do not publish what they push if a worker searches
  bool gathers = false;        // the same, and their limit stays low
  bool hands_over = false;     // owners hand over what they push
  // Planted mistakes:
  bool looks_into_box = true;  // a worker does, after it has parked
  bool empties_box = true;     // an external thread does, when it has taken the worker
  bool shows_kept = true;      // a worker announces a record from its box that it keeps in its queue
  bool needs_searcher = true;  // an owner that keeps a record private looks for one

  pool() {
    idle.use_groups(Workers);
    for (std::size_t i = 0; i < Workers; ++i) all[i].id = i;
    stopping.store(false, std::memory_order_relaxed);
    for (work& w : pieces) w.done.store(0, std::memory_order_relaxed);
  }
  Self& self() { return static_cast<Self&>(*this); }

  // Members of join_records.
  bool interrupt(slot*) { return false; }
  void resume(slot*) {}
  void publish(slot*) {}
  bool before_force() { return true; }

  // Members of scheduler_core.
  std::size_t workers() const { return Workers; }
  worker_state& at(std::size_t i) { return all[i]; }
  bool external_threads_want(worker_state&) { return external_threads.any(); }
  bool needs_own_thread(worker_state&) { return arrived.any(); }
  bool is_kept(worker_state& here) { return here.kept.begins_to_watch(); }
  void look_after_kept(worker_state& here) {
    if (here.kept.take_back_if([](kept_worker&) { return rl::rand(2) == 0; },
                               [&] { idle.stop_watching(here.id); }))
      self().leave_worker();
  }
  void leave_worker() { RL_ASSERT(false); }
  void request_pushes(worker_state& one) { core::request<P>(*one.q); }
  bool any_idle() { return idle.count().any(); }
  bool publishes(worker_state&) { return any_idle(); }
  bool answers_once(worker_state&, queue&) const { return shares_cpus; }
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

  // Stops the scheduler. No task may run any more. Workers below `first` have no thread of their own.
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
    bool feeds_others() { return false; }
    void request() { core::request<P>(q); }
  };
  void begin_task(worker_state& here) { core::begin_running(self(), here, queue_of_worker{*here.q}); }
  void end_task(worker_state& here) { here.running.store(false, std::memory_order_relaxed); }

  // As push_slowly() asks for it.
  struct pushing {
    pool& of;
    worker_state& here;
    work& pushed;

    bool stays_private(bool wanted) {
      return wanted && (core::searcher_takes_by_force(of.self()) || !of.needs_searcher);
    }
    bool gathers(slot*) { return stays_private(of.gathers); }
    void opens() { core::rearm<P>(*here.q); }
    bool has_room(slot* s) {
      RL_ASSERT(s < here.q->last);
      return true;
    }
    bool keeps_private(slot*) { return stays_private(of.keeps_private); }
    bool hands_over(slot* s) {  // to worker 0
      if (!of.hands_over) return false;
      core::guard_lock<P> lock(*here.q);
      if (!core::hand_only_record<P>(*here.q, s, [&] { return of.all[0].calls.put(pushed); })) return false;
      core::wake_called<P>(of.self(), 0);
      return true;
    }
    void publishes() { core::publish_all<P>(*here.q, of); }
  };
  void push(worker_state& here, work& w, int argument) {
    AT(w.argument) = argument;
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed);
    if (q.push(s, this, &w)) core::push_slowly<P>(self(), here, q, s, pushing{*this, here, w});
  }
  // The join of the newest record. Returns true if the owner must run it.
  bool pop(worker_state& here) {
    queue& q = *here.q;
    slot* const s = q.top.load(std::memory_order_relaxed) - 1;
    return q.pop(s) || core::reclaim<P>(q, s, any_idle() ? core::stay_public::all : core::stay_public::none);
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

  // A policy that tries all victims, as take_task does.
  work* steal(bool force) {
    for (worker_state& victim : all) {
      core::claimed one;
      const auto accept = [](void*, std::uint16_t) { return true; };
      if (core::claim_oldest<P>(*victim.q, one, *this, force, accept)) return static_cast<work*>(one.frame);
    }
    return nullptr;
  }

  // Like take_tasks_back, whose push_all() has no fence. Other moves use push(), which has one.
  void move_here(worker_state& here, work& w) {
    work* const record = &w;
    here.q->own_top()->run.store(this, std::memory_order_relaxed);
    core::push_all<P>(*here.q, &record, 1);
  }
  // scheduler_core::show_moved
  void show_moved(worker_state& here) {
    core::show_moved<P>(self(), here, [&] { core::publish_all<P>(*here.q, *this); });
  }
  // hand_part(). The record is in no queue.
  bool give(work& w, std::size_t to, int argument) {
    AT(w.argument) = argument;
    if (!all[to].calls.put(w)) return false;
    core::wake_called<P>(self(), to);
    return true;
  }
  // keep_for_later_or_hold()
  void keep_for_later(worker_state& here, work& handed) {
    move_here(here, handed);
    if (shows_kept) show_moved(here);
  }
  // keep_called()
  void empty_box(worker_state& here) {
    if (work* const handed = here.calls.close()) keep_for_later(here, *handed);
  }
  // take_own_task
  work* take_own(worker_state& here) {
    queue& q = *here.q;
    slot* const top = q.top.load(std::memory_order_relaxed);
    if (top == q.first_slot) return nullptr;
    work* const newest = static_cast<work*>((top - 1)->frame.load(std::memory_order_relaxed));
    if (pop(here)) return newest;
    core::retire<P>(q, q.first_slot);  // forget_stolen_tasks
    return nullptr;
  }
  void run_task(worker_state& here, work& w) {
    begin_task(here);
    self().run(w);
    end_task(here);
  }

  // As find_work() asks for them.
  struct sources {
    pool& of;
    worker_state& here;
    bool& ended;

    static bool continue_ready_stack() { return false; }
    bool lend_worker() {
      if (!of.external_threads_want(here)) return false;
      core::lend_to_external_thread<P>(of.self(), here);
      return true;
    }
    bool run_own_task() { return run(of.take_own(here)); }
    bool take_from_inbox() {
      work* one = of.arrived.take_a_box([](auto& box) { return box.take_oldest_first(); });
      if (!one) return false;
      for (; one; one = one->next) of.move_here(here, *one);
      of.show_moved(here);
      return true;
    }
    static bool run_join_of_suspended_stack() { return false; }
    bool end_thread() { return ended = of.stopping.load(std::memory_order_acquire); }
    static bool take_part_in_phase() { return false; }
    bool run_stolen_task() { return run(search<Self>(of.self(), here).run()); }

    bool run(work* w) {
      if (w) of.run_task(here, *w);
      return w;
    }
  };
  // thread_main and worker_loop
  void own_thread(std::size_t me) {
    worker_state& here = all[me];
    core::attach_uncounted<P>(self(), here);
    for (bool thread_ends = false; !thread_ends;) {
      here.use();
      core::find_work(sources{*this, here, thread_ends});
    }
    here.ended.store(true, std::memory_order_release);
  }
};

// A busy worker forks and waits for its last fork. An idle worker must take that fork.
template <class Self, int Threads, std::size_t GroupSize = 8>
struct long_leaf : pool<Self, Threads, Threads, GroupSize> {
  void after() { RL_ASSERT(!this->idle.count().any()); }

  // Runs `forks` joins that may stay private. Then it runs a leaf that ends only when another worker has run the last fork.
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
struct two_sleepers_in_groups : long_leaf<two_sleepers_in_groups, 3, 2> {
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
// The owner keeps its forks private while a worker searches. `Gathers`: its limit stays low, as while it gathers group tasks.
template <int Threads, bool Gathers, bool Blindly>
struct private_forks : long_leaf<private_forks<Threads, Gathers, Blindly>, Threads, 2> {
  private_forks() {
    (Gathers ? this->gathers : this->keeps_private) = true;
    this->needs_searcher = !Blindly;
  }
  void thread(unsigned i) {
    if (i != 0) return this->own_thread(i);
    for (int k = static_cast<int>(rl::rand(64)); k > 0; --k) P::relax();  // the others search or sleep
    this->owner(rl::rand(2));
  }
};

// Worker 0 has its own thread. An external thread takes worker 0 for the duration of a call. Worker 1 is busy. The thread of
// worker 0 must take worker 1's fork, whether it searches, sleeps, or has been displaced.
template <class Self, int Threads>
struct with_external_thread : pool<Self, Threads, 2> {
  worker_state& shared = this->all[0];

  with_external_thread() { this->looks_once = rl::rand(2) != 0; }
  void after() { RL_ASSERT(!this->idle.count().any()); }

  // take_worker and visit
  void external(bool leaves_work) {
    this->free_workers.wait(this->external_threads,
                            [this](bool may) { return may && core::try_take(this->self(), shared); });
    if (this->deals && this->empties_box) this->empty_box(shared);  // attach_at
    shared.use();
    this->begin_task(shared);
    work& left = this->pieces[0];
    this->push(shared, left, 3);
    if (leaves_work)
      core::publish_all<P>(*shared.q, *this);
    else
      this->join(shared, left);
    leave_worker();
    if (leaves_work) {  // another thread runs it; the external thread waits without a worker
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
// An external thread leaves its worker at the moment when another worker begins a task.
struct external_thread_leaves : with_external_thread<external_thread_leaves, 3> {
  bool begun = rl::rand(2) != 0;  // true: the task has begun, and its worker's next push takes the slow path

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
// External threads take the worker and leave it while the worker's own thread finds it taken and parks.
struct two_external_threads : with_external_thread<two_external_threads, 3> {
  atomic<int> others;
  two_external_threads() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    external(false);
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
};

// An external thread keeps its worker, leaves a private task there, and does not call again. Only the worker's own thread
// can run the task. It must take the worker back.
template <class Self, int Threads>
struct with_keeper : with_external_thread<Self, Threads> {
  using base = with_external_thread<Self, Threads>;
  using base::shared;
  kept_worker one;

  // For a thread that has taken the worker.
  void keep_with_a_task() {
    shared.use();
    this->begin_task(shared);
    work& left = this->pieces[0];
    this->push(shared, left, 3);
    keep();
    while (!left.done.load(std::memory_order_acquire)) P::relax();
    RL_ASSERT(AT(left.result) == 4);
    this->stop();
  }
  // leave_call(), keep() and leave_kept()
  void keep() {
    one.between_calls.enter();
    shared.kept.keep(one, [this] { this->idle.watch(0); });
    if (rl::rand(2) == 0) {
      if (one.between_calls.leave() && one.between_calls.enter())
        shared.use();
      else
        return lose();
    }
    if (!one.between_calls.leave()) lose();
  }
  void lose() {
    if (shared.kept.lose(one)) this->leave_worker();
  }
};
struct external_thread_keeps : with_keeper<external_thread_keeps, 2> {
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    free_workers.wait(external_threads, [this](bool may) { return may && core::try_take(*this, shared); });
    keep_with_a_task();
  }
};
// Another external thread leaves the worker at the same time. It makes the own thread a sleeper late.
struct kept_while_another_leaves : with_keeper<kept_while_another_leaves, 3> {
  kept_while_another_leaves() {
    if (!shared.held.try_hold()) RL_ASSERT(false);
  }
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    if (i == 1) return leave_worker();
    while (!core::try_take(*this, shared)) P::relax();
    keep_with_a_task();
  }
};
// An external thread leaves the worker at the moment when the worker's own thread finds it taken. Then the external thread
// takes the worker again and keeps it.
struct left_and_kept : with_external_thread<left_and_kept, 2> {
  kept_worker one;
  left_and_kept() {
    if (!shared.held.try_hold()) RL_ASSERT(false);
  }
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    leave_worker();
    if (core::try_take(*this, shared)) {
      shared.use();
      begin_task(shared);
      one.between_calls.enter();
      shared.kept.keep(one, [this] { idle.watch(0); });
      if (!one.between_calls.leave() && shared.kept.lose(one)) leave_worker();
    }
    stop();
  }
};
// Another external thread needs the worker that is kept.
struct another_needs_the_worker : with_external_thread<another_needs_the_worker, 3> {
  kept_worker one;
  atomic<int> others;
  another_needs_the_worker() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    const auto take = [&] {
      if (core::try_take(*this, shared)) return true;
      if (!shared.kept.take_back()) return false;
      leave_worker();
      return core::try_take(*this, shared);
    };
    free_workers.wait(external_threads, [&](bool may) { return may && take(); });
    shared.use();
    begin_task(shared);
    if (i == 1)
      keep();
    else
      leave_worker();
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) stop();
  }
  // Like external_thread_keeps::keep(). The thread may keep the worker forever; the own thread takes it back.
  void keep() {
    one.between_calls.enter();
    shared.kept.keep(one, [this] { idle.watch(0); });
    if (!one.between_calls.leave() && shared.kept.lose(one)) leave_worker();
  }
};

// A thread without a worker hands over a task. Meanwhile an external thread takes the only worker that has a thread of its
// own, and leaves it again.
struct a_task_arrives : with_external_thread<a_task_arrives, 3> {
  atomic<int> others;
  core::outboxes<P, work>::box own_box;
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
    arrived.enlist(own_box);
    arrived.add(own_box, w);
    core::wake_for_publication<P>(*this, shared);
    while (!w.done.load(std::memory_order_acquire)) P::relax();
    RL_ASSERT(AT(w.result) == 6);
  }
};

// Worker 0 holds two records that no other thread sees. It has just stolen them (worker_thief::reconcile) or taken them from
// the inbox (take_from_inbox), from its backlog (take_tasks_back), or with a stack that continues there
// (prepare_to_continue, take_worker_again). It puts one record into its queue and runs the other one, which ends only when
// another worker has run the first. With `Unseen`, worker 0 does not announce the record.
template <bool Unseen>
struct records_move : pool<records_move<Unseen>, 2, 2> {
  void after() { RL_ASSERT(!this->idle.count().any()); }
  void thread(unsigned i) { i == 0 ? mover() : this->own_thread(1); }

  void mover() {
    worker_state& here = this->all[0];
    work& kept = this->pieces[0];
    AT(kept.argument) = 3;
    for (int i = static_cast<int>(rl::rand(64)); i > 0; --i) P::relax();  // worker 1 searches or parks
    this->move_here(here, kept);
    if (!Unseen) this->show_moved(here);
    this->begin_task(here);
    while (!kept.done.load(std::memory_order_acquire)) P::relax();
    RL_ASSERT(AT(kept.result) == 4);
    core::retire<P>(*here.q, here.q->first_slot);
    this->end_task(here);
    this->stop(1);
  }
};

// A busy worker hands a record to worker 0, instead of publishing it, and runs a long leaf or takes the record back. An
// external thread takes worker 0 for the duration of a call.
template <class Self, int Threads>
struct with_box : with_external_thread<Self, Threads> {
  with_box() { this->deals = true; }
  void let_worker_sleep() {
    for (int i = static_cast<int>(rl::rand(40)); i > 0; --i) P::relax();
  }

  void dealer() {
    worker_state& here = this->all[1];
    work& w = this->pieces[2];
    this->begin_task(here);
    let_worker_sleep();
    rl::rand(2) == 0 ? hand_task(here, w) : hand_join(here, w);
    RL_ASSERT(AT(w.result) == 8);
    this->end_task(here);
  }
  void hand_task(worker_state& here, work& w) {
    if (!this->give(w, 0, 7)) return push_and_wait(here, w);
    if (rl::rand(4) == 0 && this->shared.calls.take_back(w)) this->run(w);
    while (!w.done.load(std::memory_order_acquire)) P::relax();
  }
  // As after a record that was handed over, the push takes the slow path.
  void hand_join(worker_state& here, work& w) {
    this->hands_over = true;
    core::lower<P>(*here.q);
    push_and_wait(here, w);
  }
  void push_and_wait(worker_state& here, work& w) {
    this->push(here, w, 7);
    if (this->hands_over && rl::rand(4) == 0 && this->shared.calls.take_back(w)) this->run(w);
    while (!w.done.load(std::memory_order_acquire)) P::relax();
    if (this->pop(here)) RL_ASSERT(false);
    this->finish(here, w);
  }
};
struct handed_over : with_box<handed_over, 2> {
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    dealer();
    stop();
  }
};
template <class Self>
struct dealer_and_external_thread : with_box<Self, 3> {
  atomic<int> others;
  dealer_and_external_thread() { others.store(2, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) return this->own_thread(0);
    if (i == 1) {
      this->let_worker_sleep();
      this->external(false);
    } else {
      this->dealer();
    }
    if (others.fetch_sub(1, std::memory_order_acq_rel) == 1) this->stop();
  }
};
struct handed_over_and_external_thread : dealer_and_external_thread<handed_over_and_external_thread> {};
struct external_thread_leaves_the_box : dealer_and_external_thread<external_thread_leaves_the_box> {
  external_thread_leaves_the_box() { empties_box = false; }
};
struct does_not_look_into_box : with_box<does_not_look_into_box, 2> {
  does_not_look_into_box() { looks_into_box = false; }
  void thread(unsigned i) {
    if (i == 0) return own_thread(0);
    dealer();
    stop();
  }
};
// Worker 0 publishes one record and hands another one to worker 1. The first ends only when the second has run. If worker 1
// takes both, it keeps the second in its queue, and worker 2 must take it.
template <bool Unseen>
struct found_and_handed_over : pool<found_and_handed_over<Unseen>, 3, 3> {
  work& first = this->pieces[0];
  work& second = this->pieces[1];
  found_and_handed_over() {
    this->deals = true;
    this->shows_kept = !Unseen;
  }
  void after() { RL_ASSERT(!this->idle.count().any()); }

  void run(work& w) {
    if (&w == &first)
      while (!second.done.load(std::memory_order_acquire)) P::relax();
    found_and_handed_over::pool::run(w);
  }
  void thread(unsigned i) {
    // Worker 2 sleeps, and the first look of worker 1 is not counted.
    if (i != 2)
      for (int k = static_cast<int>(rl::rand(40)); k > 0; --k) P::relax();
    if (i != 0) return this->own_thread(i);
    worker_state& here = this->all[0];
    this->begin_task(here);
    const bool handed_first = rl::rand(2) == 0;
    bool handed = handed_first && this->give(second, 1, 5);
    this->push(here, first, 3);
    if (!handed_first) handed = this->give(second, 1, 5);
    if (!handed) this->push(here, second, 5);
    if (!handed) this->join(here, second);
    while (!first.done.load(std::memory_order_acquire)) P::relax();
    if (this->pop(here)) RL_ASSERT(false);
    this->finish(here, first);
    RL_ASSERT(AT(second.result) == 6);
    this->end_task(here);
    this->stop(1);
  }
};

// Two threads publish one job each and then do nothing. Two workers search, run one job each, and then do nothing. Both jobs
// must be done. So a searching worker on which a publisher relied must search again or wake another worker.
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
      while (!any_idle()) P::relax();  // a job that was published earlier would need no wake-up
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

// `full` tries each scenario five times as often. The quick form tries it twice as often as the mutant that is hardest to
// find needs, and must find all mutants, too.
int main(int count, char** arguments) {
  using namespace skua::model;
  const bool full = count > 1 && arguments[1] == std::string_view("full");
  constexpr const char* sleeper_counts_after =
      "It orders what the woken worker does to the count after what its waker does; Relacy never lets a "
      "read-modify-write overtake another.";
  return mutant_test(
             {{"sleepers.hpp", "idle_protocol.hpp", "hand_record.hpp"},
              {"idle_counts.hpp:add_sleeper", "idle_counts.hpp:read", "queue_operations.hpp:rearm",
               "split_queue.hpp:push", "vacancies.hpp:is_free", "vacancies.hpp:release",
               "vacancies.hpp:try_hold", "outboxes.hpp:any", "outboxes.hpp:add"}},
             // These two find most of the mutants that the others find late or never.
             {{"two jobs", &run_random<two_jobs>},
              {"an external thread leaves", &run_random<external_thread_leaves>},
              {"a fork and a sleeper", &run_random<one_sleeper>},
              {"a fork and two sleepers", &run_random<two_sleepers>},
              {"a fork and two sleepers of two groups", &run_random<two_sleepers_in_groups>},
              {"a fork and two sleepers that share a CPU", &run_random<two_sleepers_share_cpus>},
              {"a fork and a sleeper with a timer", &run_random<one_sleeper_with_timer>},
              {"a private fork and a sleeper", &run_random<private_forks<2, false, false>>},
              {"a private fork and two sleepers of two groups", &run_random<private_forks<3, false, false>>},
              {"a gathered task and a sleeper", &run_random<private_forks<2, true, false>>},
              {"a gathered task and two sleepers of two groups", &run_random<private_forks<3, true, false>>},
              {"an external thread leaves work behind", &run_random<external_thread_leaves_work>},
              {"an external thread, and a fork on another worker", &run_random<external_thread_and_owner>},
              {"two external threads", &run_random<two_external_threads>},
              {"an external thread keeps its worker", &run_random<external_thread_keeps>},
              {"an external thread leaves and keeps", &run_random<left_and_kept>},
              {"a worker is kept while another thread leaves", &run_random<kept_while_another_leaves>},
              {"another external thread needs the worker", &run_random<another_needs_the_worker>},
              {"a task arrives", &run_random<a_task_arrives>},
              {"records move", &run_random<records_move<false>>},
              {"a record is handed over", &run_random<handed_over>},
              {"a record is handed over, and an external thread",
               &run_random<handed_over_and_external_thread>},
              {"one record is found, and one handed over", &run_random<found_and_handed_over<false>>}},
             {{"wake", "store", "", 0, sleeper_counts_after},
              {"block_until_woken", "load", "", 0, sleeper_counts_after},
              {"unpark", "load", "", 0, sleeper_counts_after},
              {"unpark_displaced", "load", "", 0, sleeper_counts_after},
              {"add", "load", "", 0, "outboxes_test checks what lies in a box while the word is cleared."},
              {"push", "store", "release -> relaxed", 0,
               "split_queue_test checks what a thief finds in a record."}},
             {{"a private fork without a searcher", &run_random<private_forks<2, false, true>>},
              {"a gathered task without a searcher", &run_random<private_forks<2, true, true>>},
              {"records move, unseen", &run_random<records_move<true>>},
              {"a worker does not look into its box", &run_random<does_not_look_into_box>},
              {"an external thread leaves the box open", &run_random<external_thread_leaves_the_box>},
              {"a record is kept, unseen", &run_random<found_and_handed_over<true>>}})
      .run(full ? 50000 : 10000, 50000, full ? 5000 : 1000);
}
