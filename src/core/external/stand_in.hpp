// Calls of external threads when no worker will be free. While a task sleeps in the kernel on its worker, that worker's
// CPU has nothing to do. The task may also wait for the very thread that waits for a worker: it waits for a std::async
// that uses skua, or three threads on two workers meet at a barrier. Then the external thread runs its call itself, in
// a scheduler of one worker that stands in for the full one. No other worker steals from it.
//
// At most as many stand-ins compute as workers are blocked, so W workers do not mean more than W running threads for
// long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/platform/process_fork.hpp"
#include "core/queue/shared_words.hpp"
#include "core/start/settings.hpp"

namespace skua::core {

class scheduler_core;
struct worker;

/// A worker's task is blocked if its thread has neither run nor been ready to run for most of a tenth of a second, and does
/// not wait for a CPU for all of that time. One look is not enough: two threads that wait for each other may always
/// look at the same time, and see each other awake.
class task_watch {
 public:
  bool is_blocked(const worker& one, std::int64_t now) noexcept;

 private:
  void begin(std::uint32_t begun, int thread, std::int64_t now) noexcept;
  bool known_ = false, blocked_ = false;
  std::uint32_t begun_ = 0;
  int thread_ = 0;
  std::int64_t since_ns_ = 0;
  thread_counts before_;
};

class stand_ins {
 public:
  explicit stand_ins(scheduler_core& of) noexcept : of_(of) {}
  ~stand_ins();
  /// Waits for their tasks. No thread calls the scheduler any more.
  void end() noexcept;

  /// How often a thread that waits asks whether it needs one.
  static constexpr std::int64_t look_again_us = 50'000;

  /// For a thread that has found no free worker for `waited_ns`. Whether it has waited long, and more workers are blocked
  /// than stand-ins compute. Reads up to three files of each worker's thread, at most every 25 ms.
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
    task_watch task = {};
  };

  std::size_t count_blocked(std::int64_t now);
  std::size_t count_computing(std::int64_t now) noexcept;
  worker* take_made() noexcept;
  void remove(const scheduler_core& one) noexcept;

  scheduler_core& of_;
  spin_lock looks_;
  std::int64_t looked_ns_ = 0;
  std::vector<task_watch> tasks_;
  fork_safe_lock guard_;
  std::vector<stand_in> made_;
};

}  // namespace skua::core
