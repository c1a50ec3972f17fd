// Workers that one thread may hold at a time, and external threads that wait until one of several workers is free.
//
// A holder frees a worker and then looks whether a thread waits. An external thread counts itself as waiting and then
// looks whether a worker is free. All four accesses are seq_cst, so one of the two sees the other. A holder that frees a
// worker while a thread waits changes a word and wakes all threads that sleep on it, because not every worker suits every
// thread. An external thread reads the word before it tries, so it does not sleep over a change.
//
// Threads that wait get workers in the order in which they began to wait. A thread that comes later may take a worker
// before them, because it needs no wake-up and can use the worker at once. It may not when the first one has waited for
// `patience_ns`: otherwise a thread that calls again and again could take the worker each time. A thread that comes
// back from a wait in the middle of its call is not in line: the first in line may leave the line without a worker, but
// such a thread cannot, and those behind it would wait for it. When it has waited for `patience_ns`, the threads in
// line let it go first.
// Checked by tests/model/vacancies_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skua::core {

template <class P>
class tenure {
 public:
  tenure() { held_.store(0, std::memory_order_relaxed); }

  bool try_hold() noexcept {
    // seq_cst: partner of release(), for an external thread that has counted itself as waiting.
    if (!is_free()) return false;
    return held_.exchange(1, std::memory_order_acquire) ==
           0;  // partner: release(); the last holder's plain members
  }
  /// seq_cst: partner of release(), for a displaced thread, which stores its state and then looks here.
  bool is_free() const noexcept { return held_.load(std::memory_order_seq_cst) == 0; }
  /// seq_cst: partner of is_free(); the thread that frees a worker then looks whether another one waits for it.
  void release() noexcept { held_.store(0, std::memory_order_seq_cst); }

 private:
  typename P::template atomic<int> held_;
};

/// The external threads that wait, for any worker or for one of a domain.
template <class P>
class waiting_external_threads {
 public:
  waiting_external_threads() {
    count_.store(0, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    turn_.store(0, std::memory_order_relaxed);
    impatient_.store(false, std::memory_order_relaxed);
    back_first_.store(false, std::memory_order_relaxed);
  }
  /// seq_cst: partner of come(); after a release.
  bool any() const noexcept { return count_.load(std::memory_order_seq_cst) != 0; }
  /// Whether a thread that comes now must wait behind the others. A guess.
  bool impatient() const noexcept { return impatient_.load(std::memory_order_relaxed); }

  /// Returns the caller's number. seq_cst: partner of any(); before a worker is tried.
  std::uint32_t come() noexcept {
    count_.fetch_add(1, std::memory_order_seq_cst);
    return next_.fetch_add(1, std::memory_order_relaxed);
  }
  /// The same without a number. Partners as in come().
  void come_back() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  void come_back_first() noexcept {
    impatient_.store(true, std::memory_order_relaxed);
    back_first_.store(true, std::memory_order_relaxed);
  }
  /// Whether a thread in line lets another one come back first.
  bool lets_come_back() const noexcept { return back_first_.load(std::memory_order_relaxed); }
  void has_come_back() noexcept {
    back_first_.store(false, std::memory_order_relaxed);
    // The first in line says so again. If no thread is in line, none would take it back.
    impatient_.store(false, std::memory_order_relaxed);
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  /// A thread that has come back, but does not wait any more.
  void go_away() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }
  bool is_turn_of(std::uint32_t number) const noexcept {
    return turn_.load(std::memory_order_relaxed) == number;
  }
  void lose_patience() noexcept { impatient_.store(true, std::memory_order_relaxed); }
  /// The first one has a worker. release: partner of come(); a thread that counts itself after this call sees its
  /// turn. One that had counted itself before sees it through vacancies::offer().
  void go() noexcept {
    impatient_.store(false, std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_relaxed);
    count_.fetch_sub(1, std::memory_order_release);
  }

 private:
  typename P::template atomic<std::size_t> count_;
  typename P::template atomic<std::uint32_t> next_;
  typename P::template atomic<std::uint32_t> turn_;
  typename P::template atomic<bool> impatient_;
  typename P::template atomic<bool> back_first_;
};

template <class P>
class vacancies {
 public:
  vacancies() { offered_.store(0, std::memory_order_relaxed); }

  /// A few times longer than a sleeping thread needs to wake up.
  static constexpr std::int64_t patience_ns = 200'000;

  /// External thread: waits until it is its turn and take(may) succeeds, where `may` is whether it may take a worker now.
  /// Calls take() whenever a worker is free, and every `look_again_us` (negative: only then).
  template <class Take>
  void wait(waiting_external_threads<P>& waiting, Take take, std::int64_t look_again_us = -1) {
    const std::uint32_t mine = waiting.come();
    const std::int64_t since = P::now_ns();
    for (;;) {
      // acquire: partner of offer(); a worker that was freed before this change is seen to be free.
      const std::uint32_t offers = offered_.load(std::memory_order_acquire);
      if (waiting.is_turn_of(mine)) {
        if (take(!waiting.lets_come_back())) break;
        if (P::now_ns() - since > patience_ns) waiting.lose_patience();
      }
      P::park(offered_, offers, look_again_us);
    }
    waiting.go();
    if (waiting.any()) offer();  // the next one's turn
  }
  /// The same for a thread that comes back. It waits outside of the line.
  template <class Take>
  void wait_to_come_back(waiting_external_threads<P>& waiting, Take take) {
    waiting.come_back();
    const std::int64_t since = P::now_ns();
    for (;;) {
      // acquire: as in wait().
      const std::uint32_t offers = offered_.load(std::memory_order_acquire);
      if (take()) break;
      if (P::now_ns() - since > patience_ns) waiting.come_back_first();
      P::park(offered_, offers);
    }
    waiting.has_come_back();
    if (waiting.any()) offer();  // for those that have let it go first
  }
  /// For a thread that waits for something else, too: until stops() returns true. Calls stops() whenever a worker is free, and
  /// after at most a millisecond. It waits outside of the line, and lets the line go first.
  template <class Stops>
  void wait_beside(waiting_external_threads<P>& waiting, Stops stops) {
    waiting.come_back();
    for (std::int64_t nap_us = 50;; nap_us = std::min<std::int64_t>(2 * nap_us, 1000)) {
      // acquire: as in wait().
      const std::uint32_t offers = offered_.load(std::memory_order_acquire);
      if (stops(!waiting.impatient())) break;
      P::park(offered_, offers, nap_us);
    }
    waiting.go_away();
    if (waiting.any()) offer();
  }
  /// On which wait_beside() sleeps.
  typename P::template atomic<std::uint32_t>& word() noexcept { return offered_; }
  /// For a thread that has freed a worker for which another thread may wait.
  void offer() noexcept {
    offered_.fetch_add(1, std::memory_order_release);  // partner: wait()
    P::unpark(offered_);
  }

 private:
  typename P::template atomic<std::uint32_t> offered_;
};

}  // namespace skua::core
