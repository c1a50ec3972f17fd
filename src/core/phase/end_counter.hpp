// How those who take each other's tasks find that there are none left, as X10's work stealing does: who has none checks
// out at one counter, and checks in before it takes any.
//
// Why nobody at the counter means no tasks: who checks out has found its own deque empty, so that it has seen the
// compare-and-swap of each thief that took from there, and with it that the thief had checked in. A thief checks out
// when what it took is done or was taken from it in turn. So the counter stays above zero from a task's publication to
// its end. Who finds the end too late, having seen a task that was gone, checks in and out once more: no harm.
// Checked by tests/model/phase_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

template <class P>
class end_counter {
 public:
  end_counter() {
    checked_in_.store(0, std::memory_order_relaxed);
    over_.store(false, std::memory_order_relaxed);
  }

  /// Before it takes a task, or publishes the first ones. relaxed: a victim that has acquired the thief's
  /// compare-and-swap has this behind it.
  void check_in() { checked_in_.fetch_add(1, std::memory_order_relaxed); }

  /// The same for one that takes part from the start, before there is any task.
  void expect() { P::quietly(checked_in_).fetch_add(1, std::memory_order_relaxed); }

  /// Its own deque is empty. True when it was the last one: then it must call back all who are away.
  bool check_out() {
    // acq_rel: each of these is the others' partner; the last one has all that the tasks did behind it.
    if (checked_in_.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
    // seq_cst: partner of over(), by one that has just said that it is away: that one sees the end, or the caller sees
    // that it is away. release: what the tasks did.
    over_.store(true, std::memory_order_seq_cst);
    return true;
  }

  // seq_cst: partner of check_out(), see there.
  bool over() const { return over_.load(std::memory_order_seq_cst); }

 private:
  alignas(detail::line_pair) typename P::template atomic<std::uint32_t> checked_in_;
  // On lines of its own: who waits looks all the time.
  alignas(detail::line_pair) typename P::template atomic<bool> over_;
};

}  // namespace skua::core
