// Calls of external threads when no worker will be free. While a task sleeps in the kernel, on its worker, that worker's CPU
// has nothing to do, and the task may wait for the very thread that waits for a worker: a task that waits for a
// std::async which uses skua, or three threads on two workers that meet at a barrier. Then the external thread's call runs on
// its own thread, in a scheduler of one worker that stands in for its own. No other worker steals from it.
//
// There are at most as many stand-ins that compute as workers that are blocked, so W workers do not mean more than W running
// threads for long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "core/queue/shared_words.hpp"
#include "core/settings.hpp"

namespace skua::core {

class scheduler_core;
struct worker;

class stand_ins {
 public:
  explicit stand_ins(scheduler_core& of) noexcept : of_(of) {}
  ~stand_ins();
  /// Waits for their tasks. No thread calls the scheduler any more.
  void end() noexcept;

  /// How often a thread that waits asks whether it needs one. Two threads that wait for each other should not look at the same
  /// time, since each would see that the other one is awake.
  static std::int64_t look_again_us() noexcept {
    return 50'000 + 1'000 * (host_platform::thread_number() % 16);
  }

  /// For a thread that has found no free worker for `waited_ns`. Whether it has waited long, and more workers are blocked than
  /// stand-ins compute. A worker is blocked if the same task has slept there in the kernel for some of the last calls. Reads a
  /// file of each worker's thread, not more often than all 25 ms.
  bool needed(std::int64_t waited_ns) noexcept;
  /// The worker of a stand-in in which no call is in progress, held by the calling thread; null when there is no memory or no
  /// thread for one. Says once in a process what happens.
  worker* take() noexcept;
  /// The call in this stand-in has ended.
  void give_back(const scheduler_core& one) noexcept;

  template <class Act>
  void each(Act act) noexcept {
    const std::lock_guard lock(guard_);
    for (const stand_in& one : made_) act(*one.core);
  }

 private:
  struct stand_in {
    std::unique_ptr<scheduler_core> core;
    bool in_call;
  };
  /// A worker's task that slept when it was looked at.
  struct sleeping_task {
    bool sleeps = false;
    std::uint32_t begun = 0;
    std::int64_t since_ns = 0;
  };

  std::size_t count_blocked(std::int64_t now);
  std::size_t count_computing() noexcept;
  worker* take_made() noexcept;
  void remove(const scheduler_core& one) noexcept;

  scheduler_core& of_;
  spin_lock looks_;
  std::int64_t looked_ns_ = 0;
  std::vector<sleeping_task> tasks_;
  fork_safe_lock guard_;
  std::vector<stand_in> made_;
};

}  // namespace skua::core
