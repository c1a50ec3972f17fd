// When a number of tasks is worth a message: when it has doubled or halved since the last one.
#pragma once

#include <cstdint>

#include "managers/messages.hpp"

namespace skua::managers {

/// Thresholds vary exponentially, and each message sets them anew, so a queue that goes to and fro about one of them
/// does not send one every time. 0 (blocked) and `nobody` are always told.
class thresholds {
 public:
  bool passed(std::uint64_t tasks) const { return tasks != told_ && (tasks >= upper_ || tasks <= lower_); }

  void told(std::uint64_t tasks) {
    told_ = tasks;
    const bool none = tasks == 0 || tasks == nobody;
    upper_ = none ? 1 : 2 * tasks;
    lower_ = none ? 0 : tasks / 2;
  }
  /// Asked in vain, so any growth matters.
  void next_growth_matters() { upper_ = told_ == nobody ? 1 : told_ + 1; }

  std::uint64_t last_told() const { return told_; }
  /// No message is due while the number lies between the two, exclusively.
  std::uint64_t upper() const { return upper_; }
  std::uint64_t lower() const { return lower_; }

 private:
  std::uint64_t told_ = nobody;
  std::uint64_t upper_ = 1;
  std::uint64_t lower_ = 0;
};

}  // namespace skua::managers
