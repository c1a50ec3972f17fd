// What a scheduler writes into a report: the parts of its record that have files of their own, and the files of SKUA_REPORT and
// SKUA_TRACE.
#pragma once

#include <vector>

namespace skua::observe {
struct choice_record;
}

namespace skua::core {

class policy_chooser;
class scheduler_core;
struct settings;

// choices_record.cpp

/// What the chooser of policies has chosen. The places that took most time first.
std::vector<observe::choice_record> record_of(const policy_chooser& of);

// kept_times.cpp: the time of each worker in each activity. A fork with its join, and a group task that no other worker takes,
// are too short to be timed each time: they are counted, and timed once for the process.

struct fast_path_costs {
  double fork_ns = 0, group_task_ns = 0;
  double call_ns = 0;  // of an external thread that keeps its worker; with the clocks that are read for it
};

/// The minimum of several rounds on schedulers with one worker. A task of a group takes longer with a report, which counts its
/// work and span. The first call of each kind takes about two milliseconds of real time.
const fast_path_costs& measured_fast_paths(bool with_report);

// exit_report.cpp: when the process ends, it writes a report of the scheduler that computed most, and a trace of all schedulers.
//
// Schedulers register when they begin and before they end; one that never ends, such as the default one, is asked at the
// end of the process. A process that ends by _exit() or a signal writes nothing and leaves the files as they were. A child of
// fork() writes only about schedulers that were made or started anew in it, and only where the name of the file has %p, the
// process id. A scheduler that outlives static objects is reported as it was when they began to end.

bool reported_at_exit(const settings& options) noexcept;

void report_at_exit(const scheduler_core& begins);
void report_before_end(const scheduler_core& ends) noexcept;

}  // namespace skua::core
