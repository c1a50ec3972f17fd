// How a phase's participants leave their workers and are called back, and how those that steal from deques find the end:
// no call is lost, and who ends the phase has all tasks behind it. What the templates do not hold is done as
// phase_by_chase_lev.cpp and phase_by_messages.cpp do it; the names of their functions stand beside.
#include "core/phase/absentees.hpp"
#include "core/phase/end_counter.hpp"
#include "core/phase/mailbox.hpp"
#include "core/queue/chase_lev.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

// Where the kernel refuses membarrier(2).
struct without_heavy_fences : checked_platform {
  static void heavy_fence() {}
};

struct waiter {
  rl::var<bool> waits;
  atomic<std::uint32_t> woken;
};

// Those that may leave, and what the run does with them (phase.cpp).
template <class P, int Seats>
struct participants {
  core::absentees<P, waiter> away;
  core::absence<P, waiter> seats[Seats];
  waiter waiters[Seats];

  void wait_until_called(unsigned me) {
    waiter& self = waiters[me];
    AT(self.waits) = true;
    self.woken.store(0, std::memory_order_relaxed);
    if (seats[me].called.wait_by(&self))
      while (self.woken.load(std::memory_order_acquire) == 0) P::park(self.woken, 0);
    AT(self.waits) = false;
  }
  bool call_back(unsigned one) {
    return away.call_back(seats[one], [](waiter& w) {
      RL_ASSERT(AT(w.waits));
      w.woken.store(1, std::memory_order_release);
      P::unpark(w.woken);
    });
  }
  void call_one(unsigned near) {
    for (unsigned i = 0; i < Seats; ++i)
      if (call_back((near + i) % Seats)) return;
  }
  void nobody_is_away() const {
    RL_ASSERT(!away.any());
    for (const auto& s : seats) RL_ASSERT(!s.away.load(std::memory_order_relaxed));
  }
};

// The same with a deque each (phase_by_chase_lev.cpp).
template <class P, int Seats, int Room>
struct thieves : participants<P, Seats> {
  core::chase_lev_deque<checked_atomics, core::slot_ring<checked_atomics, Room>> deques[Seats];

  void call_for_tasks(unsigned me) {
    if (deques[me].size() != 0 && this->away.any()) this->call_one(me);
  }
  bool steal(unsigned me) {
    for (unsigned i = 1; i < Seats; ++i)
      if (steal_from(me, (me + i) % Seats)) return true;
    return false;
  }
  bool steal_from(unsigned me, unsigned victim) {
    const std::size_t wanted = (deques[victim].size() + 1) / 2;
    std::size_t taken = 0;
    for (std::uint16_t task = 0;
         taken < wanted && deques[victim].take(task, [](std::uint16_t) { return true; }); ++taken)
      deques[me].push(task);
    return taken != 0;
  }
  bool find_task(unsigned me, std::uint16_t& task) {
    if (deques[me].pop(&task)) return true;
    if (!steal(me) || !deques[me].pop(&task)) return false;
    if (this->away.any() && anything_left()) this->call_one(me);
    return true;
  }
  bool anything_left() const {
    for (const auto& d : deques)
      if (d.size() != 0) return true;
    return false;
  }
};

// ---- tasks, and those who leave

// The first Publishers threads publish tasks, and have no time for them until others have run all; the others run tasks,
// Each of them as many, and leave when they see none.
template <class Self, int Publishers, int Helpers, int Each>
struct publishing : scenario<Self, Publishers + Helpers> {
  static constexpr int tasks = Helpers * Each;
  thieves<checked_platform, Publishers + Helpers, tasks> all;
  atomic<int> done;

  publishing() { done.store(0, std::memory_order_relaxed); }

  void thread(unsigned i) { i < Publishers ? publisher(i) : helper(i); }
  void after() { all.nobody_is_away(); }

  void publisher(unsigned me) {
    for (int i = 0; i < tasks / Publishers; ++i) {
      all.deques[me].push(0);
      all.call_for_tasks(me);
    }
    while (done.load(std::memory_order_relaxed) != tasks) checked_platform::relax();
  }
  void helper(unsigned me) {
    for (int ran = 0; ran < Each;) {
      if (take())
        ++ran;
      else if (static_cast<Self*>(this)->leave(me))
        all.wait_until_called(me);
    }
    done.fetch_add(Each, std::memory_order_relaxed);
  }
  bool leave(unsigned me) {
    return all.away.leave(all.seats[me], [this] { return all.anything_left(); });
  }
  bool take() {
    std::uint16_t task = 0;
    for (int i = 0; i < Publishers; ++i)
      if (all.deques[i].take(task, [](std::uint16_t) { return true; })) return true;
    return false;
  }
};
struct one_helper : publishing<one_helper, 1, 1, 2> {};
struct two_helpers : publishing<two_helpers, 1, 2, 1> {};
struct two_publishers : publishing<two_publishers, 2, 1, 2> {};
struct two_and_two : publishing<two_and_two, 2, 2, 1> {};

// The other way about: what is published between the look and the word is seen by nobody.
struct looks_before_it_says_so : publishing<looks_before_it_says_so, 1, 1, 1> {
  bool leave(unsigned me) {
    if (all.anything_left()) return false;
    all.away.say_away(all.seats[me]);
    checked_platform::heavy_fence();
    return true;
  }
};
// Its caller then finishes `called` of the next time.
struct does_not_wait_for_its_caller : publishing<does_not_wait_for_its_caller, 2, 1, 2> {
  bool leave(unsigned me) {
    all.away.say_away(all.seats[me]);
    checked_platform::heavy_fence();
    if (!all.anything_left()) return true;
    all.call_back(me);  // as unsay_away() does, but for the wait
    return false;
  }
};

// Thread 1 publishes three tasks, each of which takes until all three run, and calls one for them. A thief that takes two
// has them in its hands for a moment, where one that leaves does not see them.
template <class Self>
struct half : scenario<Self, 3> {
  thieves<checked_platform, 3, 4> all;
  atomic<int> running;

  half() { running.store(0, std::memory_order_relaxed); }

  void thread(unsigned me) {
    if (me == 1) {
      for (std::uint16_t i = 0; i < 3; ++i) all.deques[me].push(i);
      all.call_for_tasks(me);
    }
    for (std::uint16_t task = 0; !static_cast<Self*>(this)->find_task(me, task);)
      if (all.away.leave(all.seats[me], [this] { return all.anything_left(); })) all.wait_until_called(me);
    running.fetch_add(1, std::memory_order_relaxed);
    while (running.load(std::memory_order_relaxed) != 3) checked_platform::relax();
  }
  void after() { all.nobody_is_away(); }
  bool find_task(unsigned me, std::uint16_t& task) { return all.find_task(me, task); }
};
struct half_is_stolen : half<half_is_stolen> {};
struct tells_nobody_what_it_has_stolen : half<tells_nobody_what_it_has_stolen> {
  bool find_task(unsigned me, std::uint16_t& task) {
    return all.deques[me].pop(&task) || (all.steal(me) && all.deques[me].pop(&task));
  }
};

// ---- the end

// Participants that steal, as by_chase_lev::next does: the first begins with Tasks tasks, of which the one numbered 0
// makes another one.
template <class Self, int Seats, int Tasks, class P>
struct stealing : scenario<Self, Seats> {
  thieves<P, Seats, Tasks + 1> all;
  core::end_counter<P> end;
  rl::var<int> results[Tasks + 1];

  stealing() {
    for (auto& r : results) AT(r) = 0;
    end.check_in();
    for (std::uint16_t i = 0; i < Tasks; ++i) all.deques[0].push(i);
  }
  void thread(unsigned me) {
    std::uint16_t task = 0;
    for (bool awake = me == 0; !end.over();) {
      if (awake) {
        if (all.find_task(me, task)) {
          run(me, task);
          continue;
        }
        awake = false;
        check_out();
      }
      awake = wait_for_tasks(me);
    }
    for (auto& r : results) RL_ASSERT(AT(r) == 1);
  }
  void after() {
    all.nobody_is_away();
    RL_ASSERT(!all.anything_left());
  }

  void run(unsigned me, std::uint16_t task) {
    AT(results[task]) = AT(results[task]) + 1;
    if (task != 0) return;
    all.deques[me].push(Tasks);
    all.call_for_tasks(me);
  }
  void check_out() {
    if (!end.check_out()) return;
    for (unsigned i = 0; i < Seats; ++i) all.call_back(i);
  }
  bool wait_for_tasks(unsigned me) {
    while (!end.over()) {
      if (all.anything_left()) {
        static_cast<Self*>(this)->check_in(me);
        return true;
      }
      if (rl::rand(2) == 0)
        P::relax();
      else if (all.away.leave(all.seats[me], [this] { return end.over() || all.anything_left(); }))
        all.wait_until_called(me);
    }
    return false;
  }
  void check_in(unsigned) { end.check_in(); }
};
struct one_thief : stealing<one_thief, 2, 1, checked_platform> {};
struct one_thief_two_tasks : stealing<one_thief_two_tasks, 2, 2, checked_platform> {};
struct two_thieves : stealing<two_thieves, 3, 2, checked_platform> {};
// A task may be overlooked then, the end may not.
struct no_heavy_fences : stealing<no_heavy_fences, 2, 1, without_heavy_fences> {};
struct no_heavy_fences_two_thieves : stealing<no_heavy_fences_two_thieves, 3, 1, without_heavy_fences> {};

// Between the steal and the counter the task is nobody's.
struct checks_in_after_it_has_stolen : stealing<checks_in_after_it_has_stolen, 2, 1, checked_platform> {
  void check_in(unsigned me) {
    all.steal(me);
    end.check_in();
  }
};

// ---- messages

struct letter {
  letter* next;
};

// One that goes away from its mailbox, by_messages::go_away; who posts reads for it meanwhile, run_worker, and calls it
// for what it was sent. And now and then somebody calls who is away, as attend does.
template <class Self, int Senders>
struct posting : scenario<Self, Senders + 1> {
  using P = checked_platform;
  participants<P, 1> all;
  core::mailbox<P, letter> mail;
  letter letters[Senders];
  rl::var<int> read;  // belongs to who holds the mailbox

  posting() {
    AT(read) = 0;
    if (!mail.try_hold()) RL_ASSERT(false);
  }
  void thread(unsigned i) { i == 0 ? participant() : sender(i - 1); }
  void after() { all.nobody_is_away(); }

  void drain() {
    for (letter* l = mail.take_all(); l;) {
      letter* const next = l->next;
      AT(read) = AT(read) + 1;
      l = next;
    }
  }
  void participant() {
    for (;;) {
      drain();
      if (AT(read) == Senders) return;
      go_away();
    }
  }
  void go_away() {
    all.away.say_away(all.seats[0]);
    if (mail.try_release()) {
      all.wait_until_called(0);
      while (!mail.try_hold()) P::relax();
    } else {
      all.away.unsay_away(all.seats[0]);
    }
  }
  void sender(unsigned i) {
    if (rl::rand(3) == 0 && all.away.any()) all.call_back(0);
    if (mail.post(&letters[i]) == core::found_holder::none) run_worker();
  }
  void run_worker() {
    if (!mail.try_hold()) return;
    bool wanted = false;
    do {
      drain();
      wanted = AT(read) != 0;
    } while (!mail.try_release());
    if (wanted) all.call_back(0);
  }
};
struct one_sender : posting<one_sender, 1> {};
struct two_senders : posting<two_senders, 2> {};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"absentees.hpp", "end_counter.hpp"}, {}},
             {{"one helper", &run_random<one_helper>},
              {"two helpers", &run_random<two_helpers>},
              {"two publishers", &run_random<two_publishers>},
              {"two publishers and two helpers", &run_random<two_and_two>},
              {"half is stolen", &run_random<half_is_stolen>},
              {"one thief", &run_random<one_thief>},
              {"one thief and two tasks", &run_random<one_thief_two_tasks>},
              {"two thieves", &run_random<two_thieves>},
              {"no heavy fences", &run_random<no_heavy_fences>},
              {"no heavy fences and two thieves", &run_random<no_heavy_fences_two_thieves>},
              {"one sender", &run_random<one_sender>},
              {"two senders", &run_random<two_senders>}},
             {{"call_back", "exchange", "acquire -> relaxed", 0,
               "It keeps the count and finish() behind what say_away() did to them; Relacy never lets a "
               "read-modify-write overtake another operation."}},
             {{"looks before it says so", &run_random<looks_before_it_says_so>},
              {"does not wait for its caller", &run_random<does_not_wait_for_its_caller>},
              {"tells nobody what it has stolen", &run_random<tells_nobody_what_it_has_stolen>},
              {"checks in after it has stolen", &run_random<checks_in_after_it_has_stolen>}})
      .run(50000, 50000);
}
