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

#include <cstdint>
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

struct report {
  counters total;
  std::vector<counters> workers;  // index: worker_id
};

}  // namespace skua
