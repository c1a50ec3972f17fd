// The main numbers of a run: speed, efficiency, shares of the time, and steals by distance.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

/// Steals, and the data that the stolen tasks declared, at one distance of thief and victim.
struct distance_row {
  std::string name = {};
  std::uint64_t steals = 0;
  double share = 0;                                   // of all steals
  std::optional<std::uint64_t> bytes = std::nullopt;  // if the record has the distances of its pairs
};

/// In ascending order of distance.
std::vector<distance_row> distances_of(const observe::run_record& run);

}  // namespace skua::reports
