// When a number of tasks is worth a message: when it has doubled or halved since the last one.
#pragma once

#include <cstdint>

#include "managers/messages.hpp"

namespace skua::managers {

/// Thresholds vary exponentially, and each message sets them anew, so a queue that goes to and fro about one of them
/// does not send one every time. 0 (blocked), `nobody`, and who becomes vacant or no longer is, are always told.
class thresholds {
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
  /// Asked in vain, so any growth matters.
  void next_growth_matters() { upper_ = told_ == no_worker ? 1 : count_of(told_) + 1; }

  std::uint64_t last_told() const { return told_; }
  /// No message is due while the number lies between the two, exclusively.
  std::uint64_t upper() const { return upper_; }
  std::uint64_t lower() const { return lower_; }

 private:
  std::uint64_t told_ = no_worker;
  std::uint64_t upper_ = 1;
  std::uint64_t lower_ = 0;
};

}  // namespace skua::managers
