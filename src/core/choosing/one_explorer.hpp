// Which of the call sites of a scheduler may try rivals now. They share the workers, and a rival leaves those in another state:
// some asleep, for example. While one site explored, the default was three times as slow at another site of the same call. That
// site then explored, too, and both chose the rival, which was slower than the default at both of them.
#pragma once

#include "core/choosing/policy_trials.hpp"

namespace skua::core {

/// One site explores at a time. Under the lock of the chooser.
class one_explorer {
 public:
  /// An episode of this site has ended.
  void ended(policy_trials& at, bool reached_limit, double ns, double iterations) noexcept;

 private:
  // A site that explores and does not come again is one that runs no more, or takes less than 1% of the time.
  static constexpr double patience = 100, shortest_ns = 50'000;

  policy_trials* explorer_ = nullptr;
  double others_may_take_ns_ = 0;  // until its next episode
};

}  // namespace skua::core
