// How the participants of a phase steal from each other's deques, leave their workers, and find the end.
//
// The end is found as in X10's work stealing: a participant without tasks checks out at one counter, and checks in
// before it takes any. A zero counter means that there are no tasks. A participant that checks out has found its own
// deque empty, so it has seen the compare-and-swap of each thief that took from that deque, and with it that the thief
// had checked in. A thief checks out when what it took is done or was taken from it in turn. So the counter stays above
// zero from a task's publication to its end. A participant may see a task that is then gone, and check in and out once
// more after the end; that is harmless. Checked by tests/model/phase_test.cpp, which runs this code over its own
// platform and participants.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// The counter at which participants check in and out.
template <class P>
class end_counter {
 public:
  end_counter() {
    checked_in_.store(0, std::memory_order_relaxed);
    over_.store(false, std::memory_order_relaxed);
  }

  /// Before a participant takes a task, or publishes the first ones. relaxed: a victim that has acquired the thief's
  /// compare-and-swap also sees this.
  void check_in() { checked_in_.fetch_add(1, std::memory_order_relaxed); }

  /// The same for a participant that takes part from the start, before there is any task.
  void expect() { P::quietly(checked_in_).fetch_add(1, std::memory_order_relaxed); }

  /// The participant's own deque is empty. True when it was the last one: then it must call back all that are away.
  bool check_out() {
    // acq_rel: partners of each other; the last one sees everything that the tasks did.
    if (checked_in_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // seq_cst: partner of over(), by a participant that has just marked itself as away: it sees the end, or the caller
    // sees that it is away. release: what the tasks did.
    over_.store(true, std::memory_order_seq_cst);
    return true;
  }

  // seq_cst: partner of check_out(), see there.
  bool over() const { return over_.load(std::memory_order_seq_cst); }

 private:
  alignas(detail::line_pair) typename P::template atomic<std::uint32_t> checked_in_;
  // On cache lines of its own: waiting participants read it all the time.
  alignas(detail::line_pair) typename P::template atomic<bool> over_;
};

/// A participant's loop. `Run` derives from this, and has for its participants, of type `Participant` with a `deque` and
/// `awake`:
///   end_counter<P> end_
///   bool steals_half()                 whether half of the victim's tasks are stolen, or one
///   bool take_own(Participant&)               takes the next task out of the participant's own deque
///   Participant* nearest_with_tasks(Participant&)    the next victim, or null
///   bool find_task(Participant&)              finds a task, by take_or_steal() at the latest
///   bool anything_left()               whether any deque has a task
///   bool is_stopped()                  whether the tasks that are left are to be dropped
///   bool any_away()                    absentees::any()
///   void call_one(Participant&)               calls back one participant for tasks, preferably this one
///   void call_all()                    calls back all participants for the end
///   bool leave(Participant&, must_stay)       absentees::leave()
///   void wait_until_called(Participant&)
///   auto begin_waiting()               has pause(), false when it is time to leave, and restart(), after that
template <class Run, class Participant>
class deque_phase {
 public:
  /// True with a task, false at the end of the phase.
  bool next(Participant& here) {
    while (!run().end_.over()) {
      if (here.awake) {
        if (run().find_task(here)) return true;
        here.awake = false;
        check_out();
      }
      if (wait_for_tasks(here)) {
        run().check_in(here);
        here.awake = true;
      }
    }
    return false;
  }

  /// After publishing tasks.
  void call_for_tasks(Participant& here) {
    if (here.deque.size() != 0 && run().any_away()) run().call_one(here);
  }

  bool take_or_steal(Participant& here) {
    if (!run().take_own(here) && !(steal(here) && run().take_own(here))) return false;
    // A participant may be needed for the rest of the stolen tasks, or of those that other participants have published.
    // One that left meanwhile did not see the tasks while the thief held them, and several tasks published at once call
    // only one participant.
    if (run().any_away() && run().anything_left()) run().call_one(here);
    return true;
  }

  bool steal(Participant& here) {
    while (Participant* const victim = run().nearest_with_tasks(here))
      if (steal_from(here, *victim)) return true;
    return false;
  }

  void leave_worker(Participant& here) {
    const auto must_stay = [this] { return run().end_.over() || tasks_left(); };
    if (run().leave(here, must_stay)) run().wait_until_called(here);
  }

  void check_in(Participant&) { run().end_.check_in(); }

  void check_out() {
    if (run().end_.check_out()) run().call_all();
  }

 private:
  Run& run() { return static_cast<Run&>(*this); }

  bool tasks_left() { return !run().is_stopped() && run().anything_left(); }

  /// The stolen tasks keep their order.
  bool steal_from(Participant& here, Participant& victim) {
    const std::size_t there = victim.deque.size();
    const std::size_t wanted = run().steals_half() ? (there + 1) / 2 : std::min<std::size_t>(there, 1);
    std::size_t taken = 0;
    const auto any = [](const auto&) { return true; };
    for (typename decltype(Participant::deque)::value task{}; taken < wanted && victim.deque.take(task, any);
         ++taken)
      here.deque.push(task);
    return taken != 0;
  }

  /// True when a check has found tasks, false at the end of the phase.
  bool wait_for_tasks(Participant& here) {
    auto waiting = run().begin_waiting();
    while (!run().end_.over()) {
      if (tasks_left()) return true;
      if (waiting.pause()) continue;
      leave_worker(here);
      waiting.restart();
    }
    return false;
  }
};

}  // namespace skua::core
