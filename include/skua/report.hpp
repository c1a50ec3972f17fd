// Counters and times of a scheduler: forks, near and remote steals, suspensions, sleep.
//
//   skua::scheduler pool({.workers = 4});
//   pool.run([] { work(); });
//   skua::report r = pool.report();
//   std::cout << r.total.steals << " steals, " << r.total.remote_steals << " from another domain\n";
//
// Definitions, used everywhere in skua:
//   attempt   one try_steal by a policy; a request that is left with a victim counts as one attempt
//   miss      an attempt that did not return a task (attempts == steals + steal_misses)
//   remote    the victim is in another domain than the thief
//
// Complexity: scheduler::report() is O(workers). Throws: std::bad_alloc only.
// Thread-safety: a report is a value; see scheduler::report().
// Paper: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <skua/detail/export.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// Counts since the scheduler began or reset_report(), of one worker or of all.
struct counters {
  std::uint64_t forks = 0;        // join records pushed
  std::uint64_t group_tasks = 0;  // tasks given to a task_group
  std::uint64_t own_tasks = 0;    // tasks that the worker loop took from its own pool
  std::uint64_t attempts = 0;
  std::uint64_t steals = 0;
  std::uint64_t steal_misses = 0;
  std::uint64_t remote_attempts = 0;
  std::uint64_t remote_steals = 0;
  std::uint64_t suspensions = 0;               // waits that suspended their stack
  std::uint64_t stacks = 0;                    // maximum number of stacks in use at one time
  std::uint64_t sleeps = 0;                    // times that a worker went to sleep
  std::uint64_t asleep_ns = 0;                 // nanoseconds of sleep
  sequence<std::uint64_t> steals_by_distance;  // index: level of placement::distance
  SKUA_API counters& operator+=(const counters& other);
};

/// What a worker does. At every moment it is one of these.
///   user        the program's own code, and forks and joins without a thief, minus their known cost
///   spawning    making work visible to thieves; also the number of forks times the cost of one (in virtual time: measured)
///   own_queue   taking tasks from the worker's own queues, and the time between two tasks
///   looking     a policy reads the state of other workers before it takes a task
///   claiming    an attempt to take a task from another queue, successful or not
///   taking      from the claim to the beginning of the task
///   waiting     pauses between two looks, and waits in place
///   suspending  suspending a stack and switching to another one
///   resuming    switching back to a suspended stack
///   asleep      in the kernel; also a worker that no thread uses
enum class activity : std::uint8_t {
  user,
  spawning,
  own_queue,
  looking,
  claiming,
  taking,
  waiting,
  suspending,
  resuming,
  asleep
};
inline constexpr std::string_view activity_names[] = {"user",     "spawning", "own queue", "looking",
                                                      "claiming", "taking",   "waiting",   "suspending",
                                                      "resuming", "asleep"};
inline constexpr std::size_t activity_count = std::size(activity_names);

/// Nanoseconds that a worker spent in each activity; of virtual time in a simulated run.
struct worker_times {
  std::array<std::uint64_t, activity_count> ns{};
  std::uint64_t of(activity what) const noexcept { return ns[static_cast<std::size_t>(what)]; }
  SKUA_API std::uint64_t sum() const noexcept;
  SKUA_API worker_times& operator+=(const worker_times& other) noexcept;
};

/// What scheduler::report() returns.
struct report {
  counters total;
  sequence<counters> workers;  // index: worker_id
  /// Index: worker_id. Empty unless the scheduler has scheduler_options::keep_times.
  sequence<worker_times> times = {};
  worker_times total_times = {};
  double seconds = 0;  // since the scheduler began or reset_report(), on the clock that measures the times
};

}  // namespace skua
