// Who has left its worker to other tasks, and how it is called back: once each time, and no call is lost.
//
// Who leaves says that it is away and then looks whether there is reason to stay; who makes such a reason looks
// afterwards who is away. So either the one that leaves sees the reason, or it is seen to be away and called. A reason
// that is published often, a task, is followed by a light fence only, and who leaves pays for a heavy one; where the
// kernel has none a task may be overlooked, which costs a helper. The end of a run, which nobody may overlook, is
// sequentially consistent on both sides and needs no fence (end_counter.hpp).
// Checked by tests/model/phase_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/completion.hpp"

namespace skua::core {

/// One that may leave, as all see it.
template <class P, class Waiter>
struct absence {
  absence() { away.store(false, std::memory_order_relaxed); }

  typename P::template atomic<bool> away;  // who sets this false must finish `called`
  completion<P, Waiter> called;            // what the one that is away waits for
};

/// All that may leave.
template <class P, class Waiter>
class absentees {
 public:
  absentees() { count_.store(0, std::memory_order_relaxed); }

  // ---- who leaves

  /// Then it waits until it is `called`, or takes this back.
  void say_away(absence<P, Waiter>& here) {
    here.called.reset();
    count_.fetch_add(1, std::memory_order_relaxed);
    // seq_cst: partner of call_back(), where a run's end looks for who is away. release: who calls has reset() and the
    // count behind it.
    here.away.store(true, std::memory_order_seq_cst);
  }
  void unsay_away(absence<P, Waiter>& here) {
    if (here.away.exchange(false, std::memory_order_relaxed))
      count_.fetch_sub(1, std::memory_order_relaxed);
    else
      while (!here.called.done()) P::relax();  // somebody calls it right now, and not the next time
  }
  /// Says so, and takes it back if there is reason to stay. True: it waits until it is called.
  template <class Reason>
  bool leave(absence<P, Waiter>& here, Reason must_stay) {
    say_away(here);
    P::heavy_fence();  // partner: any()
    if (!must_stay()) return true;
    unsay_away(here);
    return false;
  }

  // ---- everybody else

  /// After the publication of a task: whether somebody must be called.
  bool any() const {
    P::light_fence();  // partner: leave(); it sees what was published, or this sees that it is away
    return count_.load(std::memory_order_relaxed) != 0;
  }
  /// False when it is not away, or another one calls it. wake(waiter) if it waits already.
  template <class Wake>
  bool call_back(absence<P, Waiter>& one, Wake wake) {
    // seq_cst: partner of say_away(). acquire: the same again, since it may have come and gone after that load.
    if (!one.away.load(std::memory_order_seq_cst) || !one.away.exchange(false, std::memory_order_acquire))
      return false;
    count_.fetch_sub(1, std::memory_order_relaxed);  // before finish(): then the run may end
    if (Waiter* const waiting = one.called.finish()) wake(*waiting);
    return true;
  }

 private:
  typename P::template atomic<std::uint32_t> count_;
};

}  // namespace skua::core
