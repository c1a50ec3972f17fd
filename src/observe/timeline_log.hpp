// The timeline of one worker: times by activity (skua::activity) in intervals of equal length. The number of intervals
// is limited. When a run exceeds it, adjacent intervals are merged and intervals become twice as long.
//
//   timeline_log log;
//   log.clear(ticks());
//   log.passed(activity::user, from, to);       // by the thread that holds the worker's place
//   log.read(activity::asleep, since, now);     // by any thread; includes the current activity until now
//
// O(intervals touched) for each call, no allocation. One writer at a time; a reader blocks it only while it copies.
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
    unsigned length = shortest;  // an interval has 2^length ticks
    std::vector<sums> intervals;
    /// The same timeline in intervals of 2^longer ticks.
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

  // Only a change of the intervals' length needs the lock. A reader may miss at most one concurrent addition.
  mutable std::atomic_flag guard_ = ATOMIC_FLAG_INIT;
  std::atomic<std::uint64_t> began_{0};
  std::atomic<unsigned> length_{shortest};
  std::array<std::array<std::atomic<std::uint64_t>, activity_count>, intervals> at_{};
};

}  // namespace skua::observe
