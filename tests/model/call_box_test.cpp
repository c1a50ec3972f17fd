// Call boxes: a record that is handed over runs exactly once, whether the worker, an external thread that takes the worker,
// or the giver runs it. A worker must not sleep while a record lies in its box.
#include "core/dealing/call_box.hpp"
#include "core/completion.hpp"
#include "core/external/vacancies.hpp"
#include "core/idle/sleepers.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// Like core::handed_record, with what the child computes.
struct record {
  rl::var<int> argument;
  rl::var<int> result;
  core::completion<P, record> done;

  record() { done.reset(); }
  void run() {
    AT(result) = AT(argument) + 1;
    if (done.finish()) RL_ASSERT(false);
  }
};
using call_box = core::call_box<P, record>;

// The box of one worker. Each scenario counts the records that run.
template <class Self, int Threads>
struct with_box : scenario<Self, Threads> {
  call_box box;
  atomic<int> runs;
  bool takes_back = true;

  with_box() { runs.store(0, std::memory_order_relaxed); }

  void run(record& r) {
    r.run();
    runs.fetch_add(1, std::memory_order_relaxed);
  }
  // The holder of the worker.
  bool empty() {
    record* const r = box.close();
    if (r) run(*r);
    return r;
  }
  // hand_over() and the join. A record that finds the box closed or full would be published; here its giver runs it.
  void give(record& r, int argument) {
    r.done.reset();
    AT(r.argument) = argument;
    if (!box.put(r))
      run(r);
    else
      join(r);
    RL_ASSERT(AT(r.result) == argument + 1);
  }
  void join(record& r) {
    if (rl::rand(2) == 0) P::relax();
    if (takes_back && box.take_back(r)) return run(r);
    while (!r.done.done()) P::relax();
  }
  // Opens the box, looks into it for some rounds, and closes it.
  void search(int rounds) {
    box.open();
    for (; rounds > 0 && !box.is_full(); --rounds) P::relax();
    empty();
  }
};

// The worker searches twice, so an opened box is opened again. The giver gives the same record each time.
struct one_giver : with_box<one_giver, 2> {
  record given;

  void thread(unsigned i) {
    if (i == 0) {
      give(given, 3);
      return give(given, 5);
    }
    search(rl::rand(3));
    search(rl::rand(3));
  }
  void after() { RL_ASSERT(runs.load(std::memory_order_relaxed) == 2); }
};
struct two_givers : with_box<two_givers, 3> {
  record given[2];

  void thread(unsigned i) {
    if (i == 2) {
      search(rl::rand(3));
      return search(rl::rand(3));
    }
    give(given[i], 3);
    if (i == 0) give(given[0], 5);
  }
  void after() { RL_ASSERT(runs.load(std::memory_order_relaxed) == 3); }
};
// The worker does not empty its open box, so only one giver finds it empty.
struct two_givers_for_one_place : with_box<two_givers_for_one_place, 3> {
  record given[2];
  atomic<int> successes;

  two_givers_for_one_place() {
    box.open();
    successes.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i == 2) return box.open();  // must not lose a record
    AT(given[i].argument) = 1;
    if (box.put(given[i])) successes.fetch_add(1, std::memory_order_relaxed);
  }
  void after() {
    RL_ASSERT(successes.load(std::memory_order_relaxed) == 1 && box.is_full());
    RL_ASSERT(empty() && !empty());
  }
};
// A giver that takes its record back leaves the box open, so the next one finds it empty.
struct taken_back_by_the_giver : with_box<taken_back_by_the_giver, 2> {
  record given;
  taken_back_by_the_giver() { box.open(); }

  void thread(unsigned i) {
    if (i == 1) return;
    for (int argument = 0; argument < 2; ++argument) {
      AT(given.argument) = argument;
      RL_ASSERT(box.put(given) && !box.put(given) && box.is_full());
      RL_ASSERT(box.take_back(given) && !box.take_back(given) && !box.is_full());
    }
  }
  void after() { RL_ASSERT(!empty()); }
};

// The worker is free between two rounds of its search. An external thread takes it then, and empties the box (attach_at).
template <class Self, bool Empties>
struct taken_by_external_thread : with_box<Self, 3> {
  core::tenure<P> held;
  record given;
  rl::var<int> members;  // stands for all members that only the holder of the worker may use

  taken_by_external_thread() {
    if (!held.try_hold()) RL_ASSERT(false);
    AT(members) = 0;
  }
  void use() { AT(members) = AT(members) + 1; }

  void thread(unsigned i) {
    if (i == 0) return own_thread();
    if (i == 1) {
      this->give(given, 3);
      return this->give(given, 5);
    }
    for (int tries = 0; tries < 3; ++tries) {
      if (!held.try_hold()) {
        P::relax();
        continue;
      }
      if (Empties) this->empty();
      use();
      // A record that comes now must not lie in the box during the call.
      RL_ASSERT(!this->box.is_full());
      held.release();
      return;
    }
  }
  void own_thread() {
    this->box.open();
    for (int round = 0; round < 2; ++round) {
      if (this->box.is_full() && this->empty()) this->box.open();
      use();
      held.release();
      P::relax();
      const bool displaced = !held.try_hold();
      if (displaced)
        while (!held.try_hold()) P::relax();
      if (displaced || rl::rand(2) == 0) this->box.open();
    }
    this->empty();
  }
  void after() { RL_ASSERT(this->runs.load(std::memory_order_relaxed) == 2); }
};
struct external_thread : taken_by_external_thread<external_thread, true> {};
struct external_thread_leaves_the_box : taken_by_external_thread<external_thread_leaves_the_box, false> {};

// The worker sleeps like idle_search::sleep(), and the giver wakes it like hand_over().
template <class Self>
struct sleeping : with_box<Self, 2> {
  core::sleepers<P> idle{1};
  record given;
  bool looks = true;  // into the box after it has parked
  bool asks_before_it_gives = false;

  sleeping() {
    idle.begin_search(0);
    this->box.open();
  }
  void thread(unsigned i) { i == 0 ? worker() : giver(); }

  void hand_over() {
    AT(given.argument) = 7;
    const bool too_early = asks_before_it_gives && idle.is_asleep(0);
    RL_ASSERT(this->box.put(given));
    P::light_fence();
    if (asks_before_it_gives ? too_early : idle.is_asleep(0)) idle.wake(0);
  }
  void giver() { hand_over(); }
  bool ends() { return false; }

  void worker() {
    for (;;) {
      if (this->box.is_full() && this->empty()) break;
      if (static_cast<Self*>(this)->ends()) break;
      this->box.open();
      sleep();
    }
    idle.end_search(0);
  }
  void sleep() {
    idle.park(0);
    P::heavy_fence();  // request_all() has another one before, for the limits of the queues
    if (looks && (this->box.is_full() || static_cast<Self*>(this)->ends())) return idle.unpark(0);
    auto& word = idle.word(0);
    for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != core::sleepers<P>::awake;)
      P::park(word, state);
  }
  void after() {
    RL_ASSERT(this->runs.load(std::memory_order_relaxed) == 1 && AT(given.result) == 8);
    RL_ASSERT(!idle.count().any());
  }
};
struct worker_sleeps : sleeping<worker_sleeps> {};
struct does_not_look_again : sleeping<does_not_look_again> {
  does_not_look_again() { looks = false; }
};
struct asks_too_early : sleeping<asks_too_early> {
  asks_too_early() { asks_before_it_gives = true; }
};

// The giver joins the record that it has given to a worker that may sleep. If it takes the record back, the worker has
// been woken for nothing, sleeps again, and ends when it is told so.
struct joined_while_it_sleeps : sleeping<joined_while_it_sleeps> {
  atomic<bool> stopping;
  atomic<bool> ended;
  joined_while_it_sleeps() {
    stopping.store(false, std::memory_order_relaxed);
    ended.store(false, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i == 0) {
      worker();
      return ended.store(true, std::memory_order_release);
    }
    hand_over();
    join(given);
    RL_ASSERT(AT(given.result) == 8);
    stopping.store(true, std::memory_order_release);
    while (!ended.load(std::memory_order_acquire))
      if (!idle.wake(0)) P::relax();
  }
  bool ends() { return stopping.load(std::memory_order_acquire); }
};

// Planted mistake: the giver runs its record without taking it back.
struct runs_without_taking_back : with_box<runs_without_taking_back, 2> {
  record given;
  runs_without_taking_back() { box.open(); }

  void thread(unsigned i) {
    if (i == 1) return search(2);
    AT(given.argument) = 3;
    RL_ASSERT(box.put(given) || true);
    if (!given.done.done()) run(given);
  }
  void after() { RL_ASSERT(runs.load(std::memory_order_relaxed) == 1); }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"call_box.hpp"},
              {"call_box_test.cpp:hand_over", "call_box_test.cpp:sleep", "vacancies.hpp:try_hold"}},
             {{"one giver", &run_random<one_giver>},
              {"two givers", &run_random<two_givers>},
              {"two givers for one place", &run_random<two_givers_for_one_place>},
              {"taken back by the giver", &run_random<taken_back_by_the_giver>},
              {"an external thread takes the worker", &run_random<external_thread>},
              {"the worker sleeps", &run_random<worker_sleeps>},
              {"the giver joins while the worker sleeps", &run_random<joined_while_it_sleeps>}},
             {{"sleep", "load", "", 0, "The record is handed over by close()."}},
             {{"an external thread leaves the box open", &run_random<external_thread_leaves_the_box>},
              {"the worker does not look again", &run_random<does_not_look_again>},
              {"the giver asks before it gives", &run_random<asks_too_early>},
              {"the giver runs its record without taking it back", &run_random<runs_without_taking_back>}})
      .run(100000, 50000);
}
