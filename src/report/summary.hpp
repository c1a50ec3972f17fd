// The main numbers of a run: speed, efficiency, and shares of the time.
#pragma once

#include <array>
#include <cstddef>

#include <skua/report.hpp>

#include "observe/run_record.hpp"

namespace skua::reports {

struct summary {
  std::size_t workers = 0;
  double seconds = 0;             // with a call in the scheduler: the part that can be parallel
  double outside_seconds = 0;     // time of the program outside of skua
  double speedup = 0;             // over one worker
  bool speedup_measured = false;  // compared with a run on one worker; else user time over wall time
  double efficiency = 0;          // speedup / workers
  std::array<double, activity_count> share{};  // of all workers' time; index: activity
  double unattributed = 0;                     // of workers times wall time
  double library = 0;                          // share of everything but user and asleep
  double work_inflation = 0;                   // user time over that of one worker; 0: not known
  double remote_share = 0;                     // of the steals
  double miss_share = 0;                       // of the attempts
};

/// The time with a call in the scheduler. Where a thread adds tasks to a group and waits later, workers run them before any call: then
/// it is the time for which one worker did, at least.
double seconds_inside(const observe::run_record& run);

summary summarise(const observe::run_record& run);

}  // namespace skua::reports
