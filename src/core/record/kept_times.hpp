// How long each worker did what. A fork with its join, and a group task that no other worker takes, are too short to be
// timed each time: they are counted, and timed once for the process.
#pragma once

namespace skua::core {

struct fast_path_costs {
  double fork_ns = 0, group_task_ns = 0;
  double call_ns = 0;  // of an external thread that keeps its worker; with the clocks that are read for it
};

/// The minimum of several rounds on schedulers with one worker. A task of a group takes longer with a report, which counts its
/// work and span. The first call of each kind takes about two milliseconds of real time.
const fast_path_costs& measured_fast_paths(bool with_report);

}  // namespace skua::core
