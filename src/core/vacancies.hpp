// Workers that one thread may hold at a time, and external threads that wait until one of several workers is free.
//
// A holder frees a worker and then looks whether a thread waits. An external thread counts itself as waiting and then
// looks whether a worker is free. All four accesses are seq_cst, so one of the two sees the other. A holder that frees a
// worker while a thread waits changes a word and wakes all threads that sleep on it, because not every worker suits every
// thread. An external thread reads the word before it tries, so it does not sleep over a change.
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

/// The number of external threads that wait, for any worker or for one of a domain.
template <class P>
class external_thread_count {
 public:
  external_thread_count() { count_.store(0, std::memory_order_relaxed); }
  /// seq_cst: partner of come(); after a release.
  bool any() const noexcept { return count_.load(std::memory_order_seq_cst) != 0; }
  /// seq_cst: partner of any(); before a worker is tried.
  void come() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  /// relaxed: a thread that misses it offers a worker once too often.
  void go() noexcept { count_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  typename P::template atomic<std::size_t> count_;
};

template <class P>
class vacancies {
 public:
  vacancies() { offered_.store(0, std::memory_order_relaxed); }

  /// External thread: waits until take() succeeds.
  template <class Take>
  void wait(external_thread_count<P>& waiting, Take take) {
    waiting.come();
    for (;;) {
      // acquire: partner of offer(); a worker that was freed before this change is seen to be free.
      const std::uint32_t offers = offered_.load(std::memory_order_acquire);
      if (take()) break;
      P::park(offered_, offers);
    }
    waiting.go();
  }
  /// For a thread that has freed a worker for which another thread may wait.
  void offer() noexcept {
    offered_.fetch_add(1, std::memory_order_release);  // partner: wait()
    P::unpark(offered_);
  }

 private:
  typename P::template atomic<std::uint32_t> offered_;
};

}  // namespace skua::core
