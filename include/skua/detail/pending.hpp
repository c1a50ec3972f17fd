// Who waits for the tasks of a group: a count and a waiter in one word, so that exactly one of the tasks
// wakes it. Checked by tests/model/pending_test.cpp.
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

  /// Whoever makes tasks public, before they are. relaxed: its partner is finish(), by who has claimed one of
  /// them.
  void add(std::uint64_t tasks) noexcept { word_.fetch_add(one_task * tasks, std::memory_order_relaxed); }

  /// So many tasks have ended: whom to wake, or null. The object may be gone after this, unless there is somebody to
  /// wake.
  void* finish(std::uint64_t tasks) noexcept {
    std::uint64_t before = word_.load(std::memory_order_relaxed);
    for (;;) {
      // The last one takes the waiter off too. acq_rel: everybody's results reach the waiter through the last
      // one, and the waiter reaches the last one.
      const bool wakes = before == one_task * tasks + one_waiter;
      if (word_.compare_exchange_weak(before, wakes ? 0 : before - one_task * tasks,
                                      std::memory_order_acq_rel, std::memory_order_relaxed))
        return wakes ? waiter_.load(std::memory_order_relaxed) : nullptr;
    }
  }

  /// acquire: partner of finish(); all results are visible.
  bool done() const noexcept { return word_.load(std::memory_order_acquire) == 0; }

  /// False when all have ended already and nobody will wake it.
  bool wait_by(void* waiter) noexcept {
    waiter_.store(waiter, std::memory_order_relaxed);
    std::uint64_t before = word_.load(std::memory_order_acquire);  // as in done()
    do {
      if (before == 0) return false;
      // release: the waiter for the last task. acquire on failure: as in done().
    } while (!word_.compare_exchange_weak(before, before + one_waiter, std::memory_order_release,
                                          std::memory_order_acquire));
    return true;
  }

 private:
  static constexpr std::uint64_t one_waiter = 1;
  static constexpr std::uint64_t one_task = 2;
  typename P::template atomic<std::uint64_t> word_;
  typename P::template atomic<void*> waiter_;
};

}  // namespace skua::detail
