// External threads that call often keep their worker between the calls (lease.hpp), so that a call costs about what it
// costs inside a task. A thread begins to keep its worker when its calls follow each other closely. It loses the worker
//   - to the worker's own thread, which looks every watch_us: if the keeper has not called for a while, if
//     tasks that perhaps no other thread takes have waited for `longest_with_tasks_ns`, if the keeper is mostly away
//     while there is work and no idle worker, or if other external threads wait and the keeper is away or has had its turn;
//   - to another external thread that finds no free worker, if the keeper is away;
//   - when it waits or blocks in the middle of a call.
// So W workers never mean more than W running threads for long, and nothing depends on whether the keeper calls again.
//
// No thread keeps a worker with managers (which count on a worker that answers), in stand-ins, and where the kernel refuses
// membarrier(2). On a simulated machine a thread keeps its worker, too; no virtual time passes while it is outside.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>

#include "core/external/lease.hpp"
#include "core/platform/platform.hpp"
#include "core/stack.hpp"
#include "core/worker.hpp"

namespace skua::core {

/// Whether the calls of this thread follow each other closely.
class call_rhythm {
 public:
  /// A call begins.
  void begins() noexcept {
    const std::uint64_t now = host_platform::ticks();
    began_ = now;
    const bool holds_off = lost_ != 0 && now - lost_ <= hold_off_ticks;  // virtual time begins at 0
    quick_ = now - ended_ < close_ticks && !holds_off ? quick_ + 1 : 0;
  }
  /// Others needed the worker that the thread kept.
  void loses() noexcept { lost_ = host_platform::ticks(); }
  void ends() noexcept { ended_ = host_platform::ticks(); }
  bool is_quick() const noexcept { return quick_ >= 3; }
  /// When the last call began for which the thread kept no worker, in ticks.
  std::uint64_t began() const noexcept { return began_; }

 private:
  static constexpr std::uint64_t close_ticks = 300'000;        // about 100 us
  static constexpr std::uint64_t hold_off_ticks = 60'000'000;  // about 20 ms
  std::uint64_t began_ = 0, ended_ = 0, lost_ = 0;
  unsigned quick_ = 0;
};

class kept_worker;

/// What an external thread knows of its calls into schedulers.
struct external_calls {
  call_rhythm rhythm{};
  kept_worker* kept = nullptr;
};
/// Those of the calling thread. Inside of a simulated machine they are others, so a run does not depend on calls elsewhere: there the
/// real thread that has entered has its own (virtual_callers), and a thread that is external for the length of skua::blocking() none.
external_calls& calls_here() noexcept;
/// Of the real thread that has entered, while its code runs. Null in other virtual threads.
extern constinit thread_local external_calls* virtual_calls_here;

/// The threads that have entered a simulated machine. For the thread that is inside.
class virtual_callers {
 public:
  virtual_callers() = default;
  ~virtual_callers();
  virtual_callers(const virtual_callers&) = delete;
  virtual_callers& operator=(const virtual_callers&) = delete;
  external_calls& of_this_thread();

 private:
  std::map<std::uint64_t, external_calls> all_;  // by a number that no later thread gets
};

/// Whether a call of this thread that begins now would keep its worker, as far as the thread and the scheduler allow it.
bool wants_to_keep(const scheduler_core& pool) noexcept;

/// The stack of the calling thread at the worker of `pool` that it keeps; a call begins there. Null if it keeps none, or has
/// lost it. For a thread that is in no call.
stack* enter_kept(const scheduler_core& pool) noexcept;
/// A call begins at a worker that the thread has taken. If the thread has lost the worker that it kept, it does not keep that one
/// any more, although the call may use the same stack.
void forget_ended_lease() noexcept;
/// A call of a thread that is in no other call ends. It keeps this stack's worker, or leaves it. Unless `counts`, the
/// worker's counters include this call only when a later call that counts ends.
void leave_call(stack& self, bool counts) noexcept;
/// In the middle of a call: the thread stops keeping the worker, and the call ends like any other call.
void keep_no_longer(worker& here) noexcept;

/// Another thread takes the worker back from the thread that keeps it, and makes it free. False when no thread keeps
/// the worker, or that thread is in a call.
bool take_back(worker& here) noexcept;

}  // namespace skua::core
