// Places that one may hold at a time, and guests who wait until one of several is free.
//
// A holder frees a place and then looks whether anybody waits; a guest says that it waits and then looks whether a place is
// free. All four are seq_cst, so one of the two sees the other. Whoever frees a place while somebody waits changes a word
// and wakes all who sleep over it, since not every place will do for everybody; a guest reads the word before it tries, so
// it does not sleep over a change.
// Checked by tests/model/vacancies_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace skua::core {

template <class P>
class tenure {
 public:
  tenure() { held_.store(0, std::memory_order_relaxed); }

  bool try_hold() noexcept {
    // seq_cst: partner of release(), for a guest that has said it waits.
    if (!is_free()) return false;
    return held_.exchange(1, std::memory_order_acquire) ==
           0;  // partner: release(); the last holder's plain members
  }
  /// seq_cst: partner of release(), for a displaced thread, which stores its state and then looks here.
  bool is_free() const noexcept { return held_.load(std::memory_order_seq_cst) == 0; }
  /// seq_cst: partner of is_free(); whoever frees a place then looks who waits for it.
  void release() noexcept { held_.store(0, std::memory_order_seq_cst); }

 private:
  typename P::template atomic<int> held_;
};

/// So many wait, for any place or for one of a kind.
template <class P>
class external_thread_count {
 public:
  external_thread_count() { count_.store(0, std::memory_order_relaxed); }
  /// seq_cst: partner of come(); after a release.
  bool any() const noexcept { return count_.load(std::memory_order_seq_cst) != 0; }
  /// seq_cst: partner of any(); before a place is tried.
  void come() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  /// relaxed: who misses it offers once too often.
  void go() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  typename P::template atomic<std::size_t> count_;
};

template <class P>
class vacancies {
 public:
  vacancies() { offered_.store(0, std::memory_order_relaxed); }

  /// Guest: until take() succeeds.
  template <class Take>
  void wait(external_thread_count<P>& waiting, Take take) {
    waiting.come();
    for (;;) {
      // acquire: partner of offer(); a place that was freed before this change is seen to be free.
      const std::uint32_t offers = offered_.load(std::memory_order_acquire);
      if (take()) break;
      P::park(offered_, offers);
    }
    waiting.go();
  }
  /// Whoever has freed a place that somebody may wait for.
  void offer() noexcept {
    offered_.fetch_add(1, std::memory_order_release);  // partner: wait()
    P::unpark(offered_);
  }

 private:
  typename P::template atomic<std::uint32_t> offered_;
};

}  // namespace skua::core
