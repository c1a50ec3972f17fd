// How long each worker did what. A fork with its join, and a group task that no other worker takes, are too short to be
// timed each time: they are counted, and timed once for the process.
#pragma once

namespace skua::core {

struct fast_path_costs {
  double fork_ns = 0, group_task_ns = 0;
};

/// The minimum of several rounds on a scheduler with one worker. The first call takes about a millisecond of real time.
const fast_path_costs& measured_fast_paths();

}  // namespace skua::core
