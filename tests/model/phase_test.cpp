// The participants of a phase: how they leave their workers and are called back, and how participants that steal from deques
// find the end. No call may be lost, and the participant that ends the phase must see everything that the tasks did. The
// scenarios run the code of src/core/phase (absentees.hpp, deque_phase.hpp, mailbox.hpp) with small participants of their
// own.
#include "core/phase/absentees.hpp"
#include "core/phase/deque_phase.hpp"
#include "core/phase/mailbox.hpp"
#include "core/queue/chase_lev.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

// A platform on which the kernel refuses membarrier(2).
struct without_heavy_fences : checked_platform {
  static bool heavy_fence() { return true; }
};

struct waiter {
  rl::var<bool> waits;
  atomic<std::uint32_t> woken;
};

// A participant that waits until it is called, and the thread that wakes it, as in src/core/waiting.cpp.
template <class P>
struct participant {
  core::absence<P, waiter> away;
  waiter self;

  void wait_until_called() {
    AT(self.waits) = true;
    self.woken.store(0, std::memory_order_relaxed);
    if (away.called.wait_by(&self))
      while (self.woken.load(std::memory_order_acquire) == 0) P::park(self.woken, 0);
    AT(self.waits) = false;
  }
  static void wake(waiter& w) {
    RL_ASSERT(AT(w.waits));
    w.woken.store(1, std::memory_order_release);
    P::unpark(w.woken);
  }
};

template <class P, int Room>
struct stealing_participant : participant<P> {
  core::chase_lev_deque<checked_atomics, core::slot_ring<checked_atomics, Room>> deque;
  bool awake = false;
  std::uint16_t task = 0;  // the task that was taken last
};

// The part of phase_base::by_chase_lev that is not in deque_phase. Each mistake derives from it.
template <class P, class Self, int Participants, int Room>
struct stealing_run : core::deque_phase<Self, stealing_participant<P, Room>> {
  using participant = stealing_participant<P, Room>;
  participant participants[Participants];
  core::absentees<P, waiter> away;
  core::end_counter<P> end_;

  Self& self() { return static_cast<Self&>(*this); }
  static bool steals_half() { return true; }
  bool take_own(participant& here) { return here.deque.pop(&here.task); }
  participant* nearest_with_tasks(participant& here) {
    for (std::size_t i = 1; i < Participants; ++i) {
      participant& victim = participants[(number_of(here) + i) % Participants];
      if (victim.deque.size() != 0) return &victim;
    }
    return nullptr;
  }
  bool find_task(participant& here) { return self().take_or_steal(here); }
  bool anything_left() const {
    for (const participant& s : participants)
      if (s.deque.size() != 0) return true;
    return false;
  }
  static bool is_stopped() { return false; }
  bool any_away() const { return away.any(); }
  void call_one(participant& nearest) {
    away.call_back_first(
        number_of(nearest), Participants, [this](std::size_t i) -> auto& { return participants[i].away; },
        &participant::wake);
  }
  void call_all() {
    for (participant& s : participants) away.call_back(s.away, &participant::wake);
  }
  template <class Reason>
  bool leave(participant& here, Reason must_stay) {
    return away.leave(here.away, must_stay);
  }
  static void wait_until_called(participant& here) { here.wait_until_called(); }

  struct waiting {
    static bool pause() {
      if (rl::rand(2) != 0) return false;
      P::relax();
      return true;
    }
    static void restart() {}
  };
  static waiting begin_waiting() { return {}; }

  /// The first participant is about to get the first tasks.
  void begin() {
    end_.check_in();
    participants[0].awake = true;
  }

  void check_none_away() const {
    RL_ASSERT(!away.any());
    for (const participant& s : participants) RL_ASSERT(!s.away.away.load(std::memory_order_relaxed));
  }

 private:
  std::size_t number_of(const participant& s) const { return static_cast<std::size_t>(&s - participants); }
};

template <class P, int Participants, int Room>
struct as_shipped : stealing_run<P, as_shipped<P, Participants, Room>, Participants, Room> {};

// ---- mistakes

// No thread sees a task that is published between the check and the mark.
template <class P, int Participants, int Room>
struct checks_before_it_is_marked
    : stealing_run<P, checks_before_it_is_marked<P, Participants, Room>, Participants, Room> {
  template <class Participant, class Reason>
  bool leave(Participant& here, Reason must_stay) {
    if (must_stay()) return false;
    this->away.mark_away(here.away);
    P::heavy_fence();
    return true;
  }
};

// A thread that calls the participant may then finish `called` of the next absence.
template <class P, int Participants, int Room>
struct does_not_wait_for_its_caller
    : stealing_run<P, does_not_wait_for_its_caller<P, Participants, Room>, Participants, Room> {
  template <class Participant, class Reason>
  bool leave(Participant& here, Reason must_stay) {
    this->away.mark_away(here.away);
    P::heavy_fence();
    if (!must_stay()) return true;
    this->away.call_back(here.away, &Participant::wake);  // like unmark_away(), but without the wait
    return false;
  }
};

template <class P, int Participants, int Room>
struct does_not_call_for_the_rest
    : stealing_run<P, does_not_call_for_the_rest<P, Participants, Room>, Participants, Room> {
  template <class Participant>
  bool take_or_steal(Participant& here) {
    return this->take_own(here) || (this->steal(here) && this->take_own(here));
  }
};

// Between the steal and the check-in, no participant that is checked in has the task.
template <class P, int Participants, int Room>
struct checks_in_after_stealing
    : stealing_run<P, checks_in_after_stealing<P, Participants, Room>, Participants, Room> {
  template <class Participant>
  void check_in(Participant& here) {
    this->steal(here);
    this->end_.check_in();
  }
};

// ---- tasks, and participants that leave

// The first `Publishers` threads publish tasks, run none, and wait until the others have run all. Each other thread runs
// `Each` tasks, and leaves its worker whenever it finds none.
template <class Self, int Publishers, int Helpers, int Each,
          template <class, int, int> class Run = as_shipped>
struct publishing : scenario<Self, Publishers + Helpers> {
  static constexpr int tasks = Helpers * Each;
  Run<checked_platform, Publishers + Helpers, tasks> all;
  atomic<int> done;

  publishing() { done.store(0, std::memory_order_relaxed); }

  void thread(unsigned i) { i < Publishers ? publisher(i) : helper(i); }
  void after() { all.check_none_away(); }

  void publisher(unsigned me) {
    for (int i = 0; i < tasks / Publishers; ++i) {
      all.participants[me].deque.push(0);
      all.call_for_tasks(all.participants[me]);
    }
    while (done.load(std::memory_order_relaxed) != tasks) checked_platform::relax();
  }
  void helper(unsigned me) {
    for (int ran = 0; ran < Each;)
      if (take())
        ++ran;
      else
        all.leave_worker(all.participants[me]);
    done.fetch_add(Each, std::memory_order_relaxed);
  }
  bool take() {
    std::uint16_t task = 0;
    for (int i = 0; i < Publishers; ++i)
      if (all.participants[i].deque.take(task, [](std::uint16_t) { return true; })) return true;
    return false;
  }
};
struct one_helper : publishing<one_helper, 1, 1, 2> {};
struct two_helpers : publishing<two_helpers, 1, 2, 1> {};
struct two_publishers : publishing<two_publishers, 2, 1, 2> {};
struct two_and_two : publishing<two_and_two, 2, 2, 1> {};
struct check_before_mark : publishing<check_before_mark, 1, 1, 1, checks_before_it_is_marked> {};
struct no_wait_for_the_caller : publishing<no_wait_for_the_caller, 2, 1, 2, does_not_wait_for_its_caller> {};

// Thread 1 publishes three tasks and calls one participant for them. Each task ends only when all three run. A thief that
// takes two holds them for a moment, and a participant that leaves does not see them meanwhile.
template <class Self, template <class, int, int> class Run = as_shipped>
struct half : scenario<Self, 3> {
  Run<checked_platform, 3, 4> all;
  atomic<int> running;

  half() { running.store(0, std::memory_order_relaxed); }

  void thread(unsigned me) {
    auto& here = all.participants[me];
    if (me == 1) {
      for (std::uint16_t i = 0; i < 3; ++i) here.deque.push(i);
      all.call_for_tasks(here);
    }
    while (!all.find_task(here)) all.leave_worker(here);
    running.fetch_add(1, std::memory_order_relaxed);
    while (running.load(std::memory_order_relaxed) != 3) checked_platform::relax();
  }
  void after() { all.check_none_away(); }
};
struct half_is_stolen : half<half_is_stolen> {};
struct no_call_for_the_rest : half<no_call_for_the_rest, does_not_call_for_the_rest> {};

// ---- the end

// The whole loop of participants that steal. The first one begins with `Tasks` tasks. Task 0 creates another one.
template <class Self, int Participants, int Tasks, class P, template <class, int, int> class Run = as_shipped>
struct stealing : scenario<Self, Participants> {
  Run<P, Participants, Tasks + 1> all;
  rl::var<int> results[Tasks + 1];

  stealing() {
    for (auto& r : results) AT(r) = 0;
    all.begin();
    for (std::uint16_t i = 0; i < Tasks; ++i) all.participants[0].deque.push(i);
  }
  void thread(unsigned me) {
    auto& here = all.participants[me];
    while (all.next(here)) run(here);
    for (auto& r : results) RL_ASSERT(AT(r) == 1);
  }
  void after() {
    all.check_none_away();
    RL_ASSERT(!all.anything_left());
  }
  template <class Participant>
  void run(Participant& here) {
    const std::uint16_t task = here.task;
    AT(results[task]) = AT(results[task]) + 1;
    if (task != 0) return;
    here.deque.push(Tasks);
    all.call_for_tasks(here);
  }
};
struct one_thief : stealing<one_thief, 2, 1, checked_platform> {};
struct one_thief_two_tasks : stealing<one_thief_two_tasks, 2, 2, checked_platform> {};
struct two_thieves : stealing<two_thieves, 3, 2, checked_platform> {};
// Without fences, a task may be overlooked, but the end may not.
struct no_heavy_fences : stealing<no_heavy_fences, 2, 1, without_heavy_fences> {};
struct no_heavy_fences_two_thieves : stealing<no_heavy_fences_two_thieves, 3, 1, without_heavy_fences> {};
struct late_check_in : stealing<late_check_in, 2, 1, checked_platform, checks_in_after_stealing> {};

// ---- messages

struct letter {
  letter* next;
};

// A participant leaves its mailbox, like by_messages::leave_worker. The threads that post messages read them meanwhile, like
// by_messages::run_worker, and call the participant for them. Sometimes a thread calls an absent participant, like attend.
template <class Self, int Senders>
struct posting : scenario<Self, Senders + 1> {
  using P = checked_platform;
  participant<P> receiver;
  core::absentees<P, waiter> away;
  core::mailbox<P, letter> mail;
  letter letters[Senders];
  rl::var<int> read;  // belongs to the holder of the mailbox

  posting() {
    AT(read) = 0;
    if (!mail.try_hold()) RL_ASSERT(false);
  }
  void thread(unsigned i) { i == 0 ? receive() : send(i - 1); }
  void after() {
    RL_ASSERT(!away.any());
    RL_ASSERT(!receiver.away.away.load(std::memory_order_relaxed));
  }

  void drain() {
    for (letter* l = mail.take_all(); l;) {
      letter* const next = l->next;
      AT(read) = AT(read) + 1;
      l = next;
    }
  }
  void receive() {
    for (;;) {
      drain();
      if (AT(read) == Senders) return;
      away.leave_mailbox(receiver.away, mail, [] {}, [this] { receiver.wait_until_called(); });
    }
  }
  void call() { away.call_back(receiver.away, &participant<P>::wake); }
  void send(unsigned i) {
    if (rl::rand(3) == 0 && away.any()) call();
    if (mail.post(&letters[i]) != core::found_holder::none) return;
    const auto read_all = [this] {
      drain();
      return AT(read) != 0;
    };
    if (core::read_for_absent(mail, read_all)) call();
  }
};
struct one_sender : posting<one_sender, 1> {};
struct two_senders : posting<two_senders, 2> {};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test(
             {{"absentees.hpp", "deque_phase.hpp"}, {}},
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
               "It orders the count and finish() after what mark_away() did to them; Relacy never lets a "
               "read-modify-write overtake another operation."}},
             {{"checks for tasks before it is marked as away", &run_random<check_before_mark>},
              {"does not wait for its caller", &run_random<no_wait_for_the_caller>},
              {"does not call for the rest of what it has stolen", &run_random<no_call_for_the_rest>},
              {"checks in after it has stolen", &run_random<late_check_in>}})
      .run(50000, 50000);
}
