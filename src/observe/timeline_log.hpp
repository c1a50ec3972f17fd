// The activities of one worker over time: sums by activity (skua::activity) in intervals of equal length. The number of
// intervals is fixed: when a run is longer, neighbours are added up, and intervals become twice as long.
//
//   timeline_log log;
//   log.clear(ticks());
//   log.passed(activity::user, from, to);       // by the thread that holds the worker
//   log.read(activity::asleep, since, now);     // by any thread: with the current activity until now
//
// O(intervals touched) for each call, no allocation. One writer at a time; readers delay it only while they copy.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <skua/report.hpp>

namespace skua::observe {

class timeline_log {
 public:
  static constexpr std::size_t intervals = 256;
  static constexpr unsigned shortest =
      10;  // 2^10 ticks: a third of a microsecond on most machines, or one simulated
  using sums = std::array<std::uint64_t, activity_count>;
  struct reading {
    unsigned length = shortest;  // of an interval: 2^length ticks
    std::vector<sums> intervals;
    /// The same in intervals of 2^longer ticks.
    void widen(unsigned longer);
  };

  void clear(std::uint64_t now) noexcept;
  void passed(activity what, std::uint64_t from, std::uint64_t to) noexcept;
  reading read(activity what, std::uint64_t since, std::uint64_t now) const;

 private:
  class locked {
   public:
    explicit locked(std::atomic_flag& flag) noexcept : flag_(flag) {
      while (flag_.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~locked() { flag_.clear(std::memory_order_release); }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;

   private:
    std::atomic_flag& flag_;
  };
  void widen() noexcept;

  // Only the widening of intervals needs the lock: a sum that is concurrently added to lacks at most one addition.
  mutable std::atomic_flag guard_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> began_{0};
  std::atomic<unsigned> length_{shortest};
  std::array<std::array<std::atomic<std::uint64_t>, activity_count>, intervals> at_{};
};

}  // namespace skua::observe
