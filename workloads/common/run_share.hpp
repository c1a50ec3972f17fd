// How far a run is, for those who wait for it. A program that repeats something a known number of times says so each time.
//
//   run_share share;
//   for (int sweep = 0; sweep < sweeps; ++sweep) {
//     share.is(sweep, sweeps);
//     ...
//   }
//   share.now()   // 0 to 1
//
// Any thread may ask. No simulated machine sees what it costs.
#pragma once

#include <atomic>

namespace workloads {

class run_share {
 public:
  /// `done` of `all`, in whatever takes about as long each; 0 < all.
  template <class Number>
  void is(Number done, Number all) noexcept {
    share_.store(static_cast<double>(done) / static_cast<double>(all), std::memory_order_relaxed);
  }
  /// For those who do not go in order: one more of `all`. From any thread.
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
