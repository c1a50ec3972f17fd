// What a scheduler counted: forks, steals near and far, suspensions, sleep.
//
//   skua::scheduler pool({.workers = 4});
//   pool.run([] { work(); });
//   skua::report r = pool.report();
//   std::cout << r.total.steals << " steals, " << r.total.remote_steals << " from another domain\n";
//
// The definitions, used everywhere in skua:
//   attempt   one try_steal by a policy; a request left with a victim is one attempt
//   miss      an attempt that brought nothing (attempts == steals + steal_misses)
//   remote    the victim is in another domain than the thief
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include <skua/detail/export.hpp>

namespace skua {

struct counters {
  std::uint64_t forks = 0;        // join records pushed
  std::uint64_t group_tasks = 0;  // tasks given to a task_group
  std::uint64_t own_tasks = 0;    // tasks the worker loop took from its own pool
  std::uint64_t attempts = 0;
  std::uint64_t steals = 0;
  std::uint64_t steal_misses = 0;
  std::uint64_t remote_attempts = 0;
  std::uint64_t remote_steals = 0;
  std::uint64_t suspensions = 0;  // waits that put their stack aside
  std::uint64_t stacks = 0;       // most stacks in use at one time
  std::uint64_t sleeps = 0;
  std::uint64_t asleep_ns = 0;
  std::vector<std::uint64_t> steals_by_distance;  // index: level of placement::distance
  SKUA_API counters& operator+=(const counters& other);
};

/// What a worker does; at every moment one of these.
///   user        the program's own code, and forks and joins that meet nobody, less what those are known to cost
///   spawning    making work visible to others; and forks, counted, times what one costs (timed where time is virtual)
///   own_queue   taking from the own queues, and between two tasks
///   looking     a policy looks at others before it takes something
///   claiming    taking a task from another queue, with success or without
///   taking      from there to the beginning of the task
///   waiting     pauses between two looks, and waits that stay where they are
///   suspending  putting a stack aside, and going on with another
///   resuming    the way back
///   asleep      in the kernel; also a place that nobody uses
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

/// How long a worker did what, in nanoseconds; of the simulated machine in a simulated run.
struct worker_times {
  std::array<std::uint64_t, activity_count> ns{};
  std::uint64_t of(activity what) const noexcept { return ns[static_cast<std::size_t>(what)]; }
  SKUA_API std::uint64_t sum() const noexcept;
  SKUA_API worker_times& operator+=(const worker_times& other) noexcept;
};

struct report {
  counters total;
  std::vector<counters> workers;  // index: worker_id
  /// Empty but for a scheduler with scheduler_options::keep_times.
  std::vector<worker_times> times = {};
  worker_times total_times = {};
  double seconds = 0;  // since the scheduler began or reset_report(), on the clock of the times
};

}  // namespace skua
