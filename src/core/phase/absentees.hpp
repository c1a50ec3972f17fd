// Participants that have left their workers to other tasks, and how they are called back: once for each absence, and
// without losing a call.
//
// A participant that leaves marks itself as away and then checks whether it has a reason to stay. A thread that makes
// such a reason checks afterwards which participants are away. So either the participant sees the reason, or the thread
// sees that it is away and calls it. A reason that is published often, a task, is followed by a light fence only, and
// the participant pays for a heavy fence. Where the kernel has no heavy fence, a task may be overlooked, which costs a
// helper. The end of a run must never be overlooked: it is sequentially consistent on both sides and needs no fence
// (deque_phase.hpp). Checked by tests/model/phase_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/completion.hpp"
#include "core/locks/spin_pause.hpp"

namespace skua::core {

/// One participant's absence, as all threads see it.
template <class P, class Waiter>
struct absence {
  absence() { away.store(false, std::memory_order_relaxed); }

  typename P::template atomic<bool> away;  // the thread that sets this to false must finish `called`
  completion<P, Waiter> called;            // what the absent participant waits for
};

/// All participants of a run.
template <class P, class Waiter>
class absentees {
 public:
  absentees() { count_.store(0, std::memory_order_relaxed); }

  // ---- the participant that leaves

  /// It then waits until it is `called`, or takes this back.
  void mark_away(absence<P, Waiter>& here) {
    here.called.reset();
    count_.fetch_add(1, std::memory_order_relaxed);
    // seq_cst: partner of call_back(), by which a run's end looks for absent participants. release: the thread that
    // calls sees the reset() and the count.
    here.away.store(true, std::memory_order_seq_cst);
  }
  void unmark_away(absence<P, Waiter>& here) {
    if (here.away.exchange(false, std::memory_order_relaxed))
      count_.fetch_sub(1, std::memory_order_relaxed);
    else
      // Another thread calls it right now, and must not finish the next absence.
      for (spin_pause<P> pause; !here.called.done();) pause();
  }
  /// Marks it as away, and takes that back if there is a reason to stay. True: it must wait until it is called.
  template <class Reason>
  bool leave(absence<P, Waiter>& here, Reason must_stay) {
    mark_away(here);
    P::heavy_fence();  // partner: any()
    if (!must_stay()) return true;
    unmark_away(here);
    return false;
  }
  /// Leaves a mailbox that the participant holds. Other threads act on its messages until it is called and holds it
  /// again. `letters` is the mailbox; farewell() is the last thing that it does as the holder; wait() waits until it is
  /// called.
  template <class Mailbox, class Farewell, class Wait>
  void leave_mailbox(absence<P, Waiter>& here, Mailbox& letters, Farewell farewell, Wait wait) {
    mark_away(here);
    farewell();
    // After try_release() the next holder sees that the participant is away.
    if (!letters.try_release()) return unmark_away(here);  // a message has arrived
    wait();
    for (spin_pause<P> pause; !letters.try_hold();) pause();
  }

  // ---- all other threads

  /// After the publication of a task: whether any participant must be called.
  bool any() const {
    P::light_fence();  // partner: leave(); it sees what was published, or this sees that it is away
    return count_.load(std::memory_order_relaxed) != 0;
  }
  /// False when it is not away, or another thread calls it. Runs wake(waiter) if it waits already.
  template <class Wake>
  bool call_back(absence<P, Waiter>& one, Wake wake) {
    // seq_cst: partner of mark_away(). acquire: again its partner, since the participant may have returned and left
    // again after that load.
    if (!one.away.load(std::memory_order_seq_cst) || !one.away.exchange(false, std::memory_order_acquire))
      return false;
    count_.fetch_sub(1, std::memory_order_relaxed);  // before finish(), after which the run may end
    if (Waiter* const waiting = one.called.finish()) wake(*waiting);
    return true;
  }
  /// Calls back the first absent one of `size` participants, in ring order from `first` on. absence_of(i) is the
  /// absence of participant i.
  template <class AbsenceOf, class Wake>
  void call_back_first(std::size_t first, std::size_t size, AbsenceOf absence_of, Wake wake) {
    for (std::size_t i = 0; i < size; ++i)
      if (call_back(absence_of((first + i) % size), wake)) return;
  }

 private:
  typename P::template atomic<std::uint32_t> count_;
};

/// Calls read(), which acts on the messages of a mailbox whose participant is away or has not come. Returns the result
/// of the last read(): whether the caller must call the participant back. False when another thread holds the mailbox.
template <class Mailbox, class Read>
bool read_for_absent(Mailbox& letters, Read read) {
  if (!letters.try_hold()) return false;
  bool wanted = false;
  do wanted = read();
  while (!letters.try_release());
  return wanted;
}

}  // namespace skua::core
