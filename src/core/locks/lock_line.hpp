// A lock with a line of waiters: how a waiter enters the line, and which waiter is told that the lock is free.
//
// The lock is not handed over. unlock() frees it and tells the first waiter, which leaves the line and tries again.
// Meanwhile a running task may take the lock, so that it does not wait for a thread that must first wake up. No other
// waiter is told until the first one has tried, so that a lock with many waiters wakes one at a time.
//
// A waiter that was told may be unable to try soon: its worker may run a long task. Then the next one is told, and so on,
// until one can run or all have been told. So a free lock is taken by a waiter that can run, if there is one.
//   - The thread that tells a waiter asks whether it can run (`tell`).
//   - A waiter that could run when it was told, but whose thread then begins something else, says so by hold_up().
// Checked by tests/model/lock_line_test.cpp.
#pragma once

#include <atomic>

#include <skua/detail/lock_words.hpp>

#include "core/locks/guard_word.hpp"

namespace skua::core {

/// P is a platform, `Words` are detail::lock_words of its atomics. Any thread may call all of it.
template <class P, class Words>
class lock_line {
  using entry = typename Words::entry;

 public:
  explicit lock_line(Words& words) noexcept : w_(words) {}

  /// Frees the lock. True when there are waiters; then the caller must call tell_next().
  bool unlock() noexcept {
    // seq_cst, both: partner of enter(). One of the two threads sees the other.
    w_.locked.store(false, std::memory_order_seq_cst);
    return w_.in_line.load(std::memory_order_seq_cst) != 0;
  }

  /// Tells waiters that the lock is free, until one can run. `tell(void* waiter)` wakes a waiter, which may be gone when it
  /// returns. It returns whether the waiter can run soon.
  template <class Tell>
  void tell_next(Tell tell) noexcept {
    guard();
    tell_waiters(tell);
  }

  /// Enters the line. False when the lock was free and the caller has taken it instead.
  bool enter(entry& e) noexcept {
    guard();
    // seq_cst, both: partner of unlock(), which frees the lock and then looks for waiters.
    w_.in_line.fetch_add(1, std::memory_order_seq_cst);
    bool free = false;
    const bool taken =
        w_.locked.compare_exchange_strong(free, true, std::memory_order_seq_cst, std::memory_order_seq_cst);
    if (taken)
      w_.in_line.fetch_sub(1, std::memory_order_relaxed);
    else
      link(e);
    release();
    return !taken;
  }

  /// For the holder of the lock: another waiter enters the line.
  void enter_while_locked(entry& e) noexcept {
    guard();
    w_.in_line.fetch_add(1, std::memory_order_relaxed);  // the caller's own unlock() sees it
    link(e);
    release();
  }

  /// For a waiter that was told. False when the lock is taken; then it must enter() again.
  bool try_again(entry& e) noexcept {
    guard();
    if (w_.expected == &e) w_.expected = nullptr;
    const bool taken = w_.try_lock();
    release();
    e.was_told = true;
    e.held_up = false;
    return taken;
  }

  /// The waiter's thread does something else before it can try. If the waiter was told already, another one is told.
  template <class Tell>
  void hold_up(entry& e, Tell tell) noexcept {
    guard();
    e.held_up = true;
    if (w_.expected != &e) return release();
    w_.expected = nullptr;
    tell_waiters(tell);
  }

 private:
  void guard() noexcept {
    take_guard<P>(w_.guard);
    if (!P::is_process_of_waiters(w_.process)) [[unlikely]]
      forget_waiters_of_parent();
  }
  // In a child of fork() their threads are missing.
  void forget_waiters_of_parent() noexcept {
    w_.process = P::process_of_waiters();
    w_.in_line.store(0, std::memory_order_relaxed);
    w_.first = w_.last = nullptr;
    w_.expected = nullptr;
  }
  void release() noexcept { leave_guard(w_.guard); }

  // Begins with the guard, and ends without it.
  template <class Tell>
  void tell_waiters(Tell tell) noexcept {
    // While the lock is taken, its next unlock() does this.
    while (!w_.expected && w_.first && !w_.locked.load(std::memory_order_relaxed)) {
      entry& e = take_first();
      w_.expected = &e;
      void* const waiter = e.waiter;
      const bool held_up = e.held_up;
      release();
      // `e` may be gone from here on. An address that another entry has by now causes one more wake-up at most.
      if (tell(waiter) && !held_up) return;
      guard();
      if (w_.expected != &e) break;  // it has tried; if that failed, the holder's unlock() does the rest
      w_.expected = nullptr;
    }
    release();
  }

  // A waiter that has tried without success goes first: it has waited longest.
  void link(entry& e) noexcept {
    if (e.was_told || !w_.first) {
      e.next = w_.first;
      w_.first = &e;
      if (!w_.last) w_.last = &e;
    } else {
      e.next = nullptr;
      w_.last->next = &e;
      w_.last = &e;
    }
  }
  entry& take_first() noexcept {
    entry& e = *w_.first;
    w_.first = e.next;
    if (!w_.first) w_.last = nullptr;
    w_.in_line.fetch_sub(1, std::memory_order_relaxed);
    return e;
  }

  Words& w_;
};

}  // namespace skua::core
