// Decides when a number of tasks needs a message: when it has doubled or halved since the last message.
#pragma once

#include <cstdint>

#include "managers/messages.hpp"

namespace skua::managers {

/// Thresholds vary exponentially, and each message sets them anew, so a queue that oscillates around a threshold does
/// not send a message every time. A change to 0 (blocked) or `no_worker`, or of `vacant`, always needs a message.
class task_thresholds {
 public:
  bool passed(std::uint64_t tasks) const {
    const std::uint64_t n = count_of(tasks);
    return tasks != told_ && (n >= upper_ || n <= lower_ || is_vacant(tasks) != is_vacant(told_));
  }

  void told(std::uint64_t tasks) {
    told_ = tasks;
    const bool no_tasks = tasks == 0 || tasks == no_worker;
    upper_ = no_tasks ? 1 : 2 * count_of(tasks);
    lower_ = no_tasks ? 0 : count_of(tasks) / 2;
  }
  /// After a STEAL that got nothing: any growth needs a message.
  void next_growth_matters() { upper_ = told_ == no_worker ? 1 : count_of(told_) + 1; }

  std::uint64_t last_told() const { return told_; }
  /// No message is needed while the number lies between the two, exclusively.
  std::uint64_t upper() const { return upper_; }
  std::uint64_t lower() const { return lower_; }

 private:
  std::uint64_t told_ = no_worker;
  std::uint64_t upper_ = 1;
  std::uint64_t lower_ = 0;
};

}  // namespace skua::managers
