// Calls of external threads when no worker will be free. While a task sleeps in the kernel, on its worker, that worker's CPU
// has nothing to do, and the task may wait for the very thread that waits for a worker: a task that waits for a
// std::async which uses skua, or three threads on two workers that meet at a barrier. Then the external thread's call runs on
// its own thread, in a scheduler of one worker that stands in for its own. No other worker steals from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

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

  /// How often a thread that waits asks whether it needs one.
  static constexpr std::int64_t look_again_us = 50'000;

  /// For a thread that has found no free worker. Whether one worker's task has slept in the kernel for some of the last
  /// calls, and no other task has begun there. Reads a file of each worker's thread.
  bool needed() noexcept;
  /// The worker of a stand-in, held by the calling thread; null when there is no memory or no thread for one. Says once in a
  /// process what happens.
  worker* take() noexcept;

  template <class Act>
  void each(Act act) noexcept {
    const std::lock_guard lock(guard_);
    for (const auto& one : made_) act(*one);
  }

 private:
  worker* take_made() noexcept;

  /// A task that slept when it was looked at.
  struct sleeping_task {
    std::size_t worker;
    std::uint32_t begun;
    std::int64_t since_ns;
  };

  scheduler_core& of_;
  spin_lock looks_;
  bool any_sleeps_ = false;
  std::int64_t looked_ns_ = 0;
  sleeping_task sleeps_{};
  fork_safe_lock guard_;
  std::vector<std::unique_ptr<scheduler_core>> made_;
};

}  // namespace skua::core
