// The limit of a run's speed, in one sentence with its evidence.
//
//   verdict v = judge(run);
//   v.sentence    // "Load imbalance limits the run: one task took 38 ms, 38% of the whole time, while ..."
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

enum class limit : std::uint8_t {
  nothing,           // about as fast as this number of workers can be
  parallelism,       // the span, or the time outside of skua
  task_size,         // forking and stealing cost a large part of the tasks' own time
  remote_steals,     // tasks run far from their data although near steals were possible
  memory_bandwidth,  // user time grows with the workers: memories or links are saturated
  slower_work,       // user time grows with the workers, and nothing shows why
  locks,             // tasks wait for a skua::mutex
  imbalance,         // few long tasks end last
  sleeping,          // tasks block: locks, files, sleep
  cpu_quota,         // the control group allows less time of CPUs than the workers need
  few_cpus,          // more workers than CPUs
  other_programs     // the machine ran other programs
};
inline constexpr std::string_view limit_names[] = {
    "nothing",         "too little parallelism", "too small tasks",
    "remote steals",   "memory bandwidth",       "slower per unit of work",
    "lock contention", "load imbalance",         "sleeping",
    "CPU quota",       "more workers than CPUs", "other programs"};

struct verdict {
  limit what = limit::nothing;
  std::string sentence;               // with the numbers it is based on
  std::string advice;                 // what may help, or empty
  std::vector<std::string> evidence;  // the strongest first
};

verdict judge(const observe::run_record& run);

}  // namespace skua::reports
