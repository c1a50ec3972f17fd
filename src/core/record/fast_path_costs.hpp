// What passes too quickly to be timed each time: a fork with its join, and a group's task that nobody else takes. They are
// counted, and timed once for the process.
#pragma once

namespace skua::core {

struct fast_path_costs {
  double fork_ns = 0, group_task_ns = 0;
};

/// The least of several rounds on one worker of its own; the first call takes about a millisecond. Of real time.
const fast_path_costs& measured_fast_paths();

}  // namespace skua::core
