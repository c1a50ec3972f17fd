// Schedulers in a child of fork(). docs/decisions/0024-children-of-fork.md gives the reasons.
//
// A scheduler of the parent is `inherited` in the child: its threads do not exist there. The scheduler object starts
// anew, with a new core, at its next use; the inherited core is never used by a new call, never ended, and stays in
// memory, since the missing threads may have left it in any state. A thread that called fork() inside a call finishes
// that call in the inherited core, alone. A simulated machine is complete in the child, and continues there, if all its
// threads lie on the stacks of the thread that forked.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "core/scheduler_core.hpp"
#include "core/start/settings.hpp"

namespace skua::core {

/// The core of one scheduler object, in whichever process.
class core_of_process {
 public:
  explicit core_of_process(settings chosen);
  ~core_of_process();
  core_of_process(const core_of_process&) = delete;
  core_of_process& operator=(const core_of_process&) = delete;

  /// A core whose threads exist here. Throws what the constructor of scheduler_core throws.
  scheduler_core& usable() {
    scheduler_core* const now = core_.load(std::memory_order_acquire);  // partner: start_anew
    return now->inherited ? start_anew() : *now;
  }
  /// For what is the same in parent and child: the settings, where the workers are, their number.
  const scheduler_core& any() const noexcept { return *core_.load(std::memory_order_acquire); }
  /// Whether this is a child, and the scheduler has not been used here.
  bool starts_anew() const noexcept { return any().inherited; }
  /// Then it starts with these settings. For a thread that has a making_scheduler.
  void start_anew_with(settings chosen) { chosen_ = std::move(chosen); }

 private:
  friend struct all_cores;
  scheduler_core& start_anew();

  std::atomic<scheduler_core*> core_;
  std::optional<settings> chosen_;  // for the next start
  core_of_process* next_ = nullptr;
  core_of_process* before_ = nullptr;
};

}  // namespace skua::core
