// The count of unfinished tasks of a group and its waiter, in one word, so that exactly one of the tasks wakes the
// waiter. Checked by tests/model/pending_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::detail {

template <class P>
class pending_tasks {
 public:
  pending_tasks() noexcept {
    P::quietly(word_).store(0, std::memory_order_relaxed);
    P::quietly(waiter_).store(nullptr, std::memory_order_relaxed);
  }

  /// Called before tasks become public. relaxed: the partner is finish(), called by a thread that has claimed one of
  /// them.
  void add(std::uint64_t tasks) noexcept { word_.fetch_add(one_task * tasks, std::memory_order_relaxed); }

  /// Records the end of tasks. Returns the waiter to wake, or null. After a null the object may no longer exist.
  void* finish(std::uint64_t tasks) noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    for (;;) {
      // The last call also removes the waiter. acq_rel: the waiter sees the results of all tasks through the last call,
      // and the last call sees the waiter.
      const bool wakes = before == one_task * tasks + one_waiter;
      if (word_.compare_exchange_weak(before, wakes ? 0 : before - one_task * tasks,
                                      std::memory_order_acq_rel, std::memory_order_relaxed))
        return wakes ? waiter_.load(std::memory_order_relaxed) : nullptr;
    }
  }

  /// For a thread that knows that no task will report its end: none is pending any more.
  void forget() noexcept { word_.store(0, std::memory_order_relaxed); }

  /// acquire: partner of finish(); all results are visible.
  bool done() const noexcept { return word_.load(std::memory_order_acquire) == 0; }

  /// Registers the waiter. False when all tasks have ended already; then it will not be woken.
  bool wait_by(void* waiter) noexcept {
    waiter_.store(waiter, std::memory_order_relaxed);
    std::uint64_t before = word_.load(std::memory_order_acquire);  // as in done()
    do {
      if (before == 0) return false;
      // release: the last task sees the waiter. acquire on failure: as in done().
    } while (!word_.compare_exchange_weak(before, before + one_waiter, std::memory_order_release,
                                          std::memory_order_acquire));
    return true;
  }

  /// Takes wait_by() back. False when all tasks have ended: then the waiter is being woken.
  bool withdraw() noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    do {
      if (before == 0) return false;
      // relaxed: the results are read after done().
    } while (!word_.compare_exchange_weak(before, before - one_waiter, std::memory_order_relaxed,
                                          std::memory_order_relaxed));
    return true;
  }

 private:
  static constexpr std::uint64_t one_waiter = 1;
  static constexpr std::uint64_t one_task = 2;
  typename P::template atomic<std::uint64_t> word_;
  typename P::template atomic<void*> waiter_;
};

}  // namespace skua::detail
