// The main numbers of a run: speed, efficiency, shares of the time, steals by distance, and the speedup that work and span allow.
//
//   for (const predicted_speedup& p : predict(run)) ... p.workers, p.at_least, p.at_most
//
// A greedy scheduler takes at most (work - span) / p + span (Graham, Brent), and none takes less than work / p or the
// span. The lower bound uses the burdened span, in which every fork costs a steal, as Cilkview does.
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

struct speedup_bounds {
  double at_least = 1;  // T1 / ((T1 - B)/p + B): a greedy scheduler, if each fork on the span costs a steal
  double at_most = 1;   // T1 / max(T1/p, Ts): no scheduler is faster
};

/// For p workers, with work T1, span Ts and burdened span B. The span must not be 0.
speedup_bounds bounds_of(const observe::work_span_record& work_span, std::size_t workers);

struct predicted_speedup {
  std::size_t workers = 0;
  double at_least = 0, at_most = 0;
  std::optional<double> measured = std::nullopt;  // if the record has a point of a curve
};

/// From 1 worker to twice as many as the run had: every number up to 16, then in steps of about a third; and the measured
/// numbers. Empty if work and span are not known.
std::vector<predicted_speedup> predict(const observe::run_record& run);

}  // namespace skua::reports
