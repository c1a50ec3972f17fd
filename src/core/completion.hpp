// The meeting of one child and one waiter: the second one to arrive finds the first.
//
// A suspending stack is registered by `wait_by` only after the switch away from it, so the finisher may resume it at
// once. Checked by tests/model/suspend_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::core {

/// `Waiter` is any type with an alignment above 1.
template <class P, class Waiter>
class completion {
 public:
  void reset() { word_.store(running, std::memory_order_relaxed); }

  /// Whether the child has ended. acquire: partner of finish(); the child's result is visible.
  bool done() const { return word_.load(std::memory_order_acquire) == ended; }

  /// Child: it has ended. Returns the waiter to wake, or null.
  Waiter* finish() {
    // acq_rel: release the result to the waiter; acquire the waiter's own state, written before it registered.
    const std::uintptr_t before = word_.exchange(ended, std::memory_order_acq_rel);
    return before == running ? nullptr : reinterpret_cast<Waiter*>(before);
  }

  /// Waiter: false when the child has ended already and no thread will wake the waiter.
  bool wait_by(Waiter* waiter) {
    std::uintptr_t expected = running;
    // release: the waiter's state for the finisher; acquire on failure: the child's result.
    return word_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(waiter),
                                         std::memory_order_release, std::memory_order_acquire);
  }

 private:
  static constexpr std::uintptr_t running = 0;
  static constexpr std::uintptr_t ended = 1;
  typename P::template atomic<std::uintptr_t> word_;
};

}  // namespace skua::core
