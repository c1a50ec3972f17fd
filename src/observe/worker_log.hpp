// The data of one worker for a report, in addition to its counters and times: pairs with other workers, durations of steals
// and tasks, and its timeline, and waits for mutexes. The thread that holds the worker writes, any thread may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "observe/counting.hpp"
#include "observe/distribution.hpp"
#include "observe/hardware_log.hpp"
#include "observe/lock_log.hpp"
#include "observe/timeline_log.hpp"

namespace skua::observe {

/// One thief and one victim.
struct pair_counts {
  count steals, misses, looks, bytes;
};

class worker_log {
 public:
  explicit worker_log(std::size_t workers)
      : workers_(workers), with_(std::make_unique<pair_counts[]>(workers)) {}

  pair_counts& with(std::size_t victim) noexcept { return with_[victim]; }
  const pair_counts& with(std::size_t victim) const noexcept { return with_[victim]; }

  // In ticks.
  kept_distribution steal_latency, steal_duration, search_time, task_size;
  timeline_log timeline;
  lock_log locks;
  count declared;         // bytes that tasks declared
  hardware_log hardware;  // on a real machine with counters

  /// Everything but the timeline, which its writer resets.
  void clear() noexcept {
    for (std::size_t i = 0; i < workers_; ++i)
      for (count* c : {&with_[i].steals, &with_[i].misses, &with_[i].looks, &with_[i].bytes}) c->clear();
    for (kept_distribution* d : {&steal_latency, &steal_duration, &search_time, &task_size}) d->clear();
    hardware.clear();
    locks.clear();
    declared.clear();
  }

 private:
  std::size_t workers_;
  std::unique_ptr<pair_counts[]> with_;
};

}  // namespace skua::observe
