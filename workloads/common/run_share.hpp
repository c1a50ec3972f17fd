// The progress of a run, as a share from 0 to 1. A program that repeats a step a known number of times reports each
// step.
//
//   run_share share;
//   for (int sweep = 0; sweep < sweeps; ++sweep) {
//     share.is(sweep, sweeps);
//     ...
//   }
//   share.now()   // 0 to 1
//
// Any thread may read it. It costs no time on a simulated machine.
#pragma once

#include <atomic>

namespace workloads {

class run_share {
 public:
  /// `done` of `all` steps are done. The steps should take about the same time each; 0 < all.
  template <class Number>
  void is(Number done, Number all) noexcept {
    share_.store(static_cast<double>(done) / static_cast<double>(all), std::memory_order_relaxed);
  }
  /// For steps that are not done in order: one more of `all` is done. Any thread may call it.
  template <class Number>
  void one_more(Number all) noexcept {
    share_.fetch_add(1 / static_cast<double>(all), std::memory_order_relaxed);
  }
  void nothing() noexcept { share_.store(0, std::memory_order_relaxed); }
  double now() const noexcept { return share_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> share_ = 0;
};

}  // namespace workloads
