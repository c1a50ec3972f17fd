// The count of unfinished tasks of a group and its waiter, in one word, so that exactly one of the tasks wakes the
// waiter. Checked by tests/model/pending_test.cpp.
//
// Hundreds of workers may end tasks of one group at the same time. So finish() changes the word by one instruction that cannot
// fail: with a loop of compare_exchange, each success makes all others try again. The price is a state in between. The task that
// ends last leaves a word with a waiter and without tasks, and then takes the waiter away by a second change (take_waiter). Only
// one thread may be between the two changes. So a thread that adds tasks meanwhile waits in add() until the second change is
// done, before its tasks can end. It sees that by `turn`, which changes then: the waiter may be registered again soon. Further
// threads that add tasks need not wait: the tasks of the first one keep the count above zero until then.
#pragma once

#include <atomic>
#include <cstdint>

#include <skua/detail/atomics.hpp>

namespace skua::detail {

template <class P>
class pending_tasks {
 public:
  pending_tasks() noexcept {
    P::quietly(word_).store(0, std::memory_order_relaxed);
    P::quietly(waiter_).store(nullptr, std::memory_order_relaxed);
  }

  /// Called before tasks become public. It may wait until another thread has done its next instruction: `pause()` passes some time,
  /// and is false if that thread no longer exists.
  template <class Pause>
  void add(std::uint64_t tasks, Pause pause) noexcept {
    // relaxed: the partner is finish(), called by a thread that has claimed one of the tasks.
    const std::uint64_t before = word_.fetch_add(one_task * tasks, std::memory_order_relaxed);
    if (!is_ending(before)) [[likely]]
      return;
    // relaxed: only that the other thread has done it matters.
    while (((word_.load(std::memory_order_relaxed) ^ before) & turn) == 0 && pause()) {
    }
  }

  /// Records the end of tasks. Returns the waiter to wake, or null. After a null the object may no longer exist.
  void* finish(std::uint64_t tasks) noexcept {
    // release: partner of done(), wait_by() and take_waiter(); the waiter sees the results of all tasks.
    const std::uint64_t before = word_.fetch_sub(one_task * tasks, std::memory_order_release);
    const std::uint64_t now = before - one_task * tasks;
    return is_ending(now) ? take_waiter(now) : nullptr;
  }

  /// For a thread that knows that no task will report its end: none is pending any more.
  void forget() noexcept { word_.store(0, std::memory_order_relaxed); }

  /// acquire: partner of finish() and take_waiter(); all results are visible.
  bool done() const noexcept { return is_done(word_.load(std::memory_order_acquire)); }

  /// Registers the waiter. False when all tasks have ended already; then it will not be woken.
  bool wait_by(void* waiter) noexcept {
    waiter_.store(waiter, std::memory_order_relaxed);
    std::uint64_t before = word_.load(std::memory_order_acquire);  // as in done()
    do {
      if (is_done(before)) return false;
      // release: the last task sees the waiter. acquire on failure: as in done().
    } while (!word_.compare_exchange_weak(before, (before | one_waiter) & ~withdrawn,
                                          std::memory_order_release, std::memory_order_acquire));
    return true;
  }

  /// Takes wait_by() back: the waiter will not be woken, and may register again. It must not leave before done(). False when the
  /// waiter is being woken, because all tasks had ended at some time.
  bool withdraw() noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    do {
      if ((before & one_waiter) == 0) return false;
      // relaxed: the results are read after done().
    } while (!word_.compare_exchange_weak(before, before | withdrawn, std::memory_order_relaxed,
                                          std::memory_order_relaxed));
    return true;
  }

 private:
  static constexpr std::uint64_t one_waiter = 1;
  static constexpr std::uint64_t withdrawn = 2;  // the waiter is not to be woken
  static constexpr std::uint64_t turn = 4;
  static constexpr std::uint64_t one_task = 8;

  static bool is_done(std::uint64_t word) noexcept { return (word & ~turn) == 0; }
  /// There is a waiter, and no task.
  static bool is_ending(std::uint64_t word) noexcept { return (word & ~(turn | withdrawn)) == one_waiter; }

  /// For the thread that has ended the last task. The object exists as long as there is a waiter.
  void* take_waiter(std::uint64_t now) noexcept {
    // acquire: partner of wait_by(), for the state of the waiter, and of finish(), for the results of all tasks. release: partner of
    // done(); the object may be gone from here on, if the waiter has withdrawn.
    // Quietly: a virtual thread must not be switched out between the two changes, while a real thread may wait for it.
    auto& word = P::quietly(word_);
    tell_release(&word, std::memory_order_release);
    while (!word.compare_exchange_weak(now, (now ^ turn) & ~(one_waiter | withdrawn),
                                       std::memory_order_acq_rel, std::memory_order_relaxed)) {
    }
    tell_acquire(&word, std::memory_order_acquire);
    return now & withdrawn ? nullptr : waiter_.load(std::memory_order_relaxed);
  }

  typename P::template atomic<std::uint64_t> word_;
  typename P::template atomic<void*> waiter_;
};

}  // namespace skua::detail
