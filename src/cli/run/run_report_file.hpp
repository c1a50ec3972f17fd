// The files that `skua run` writes: with --report the record of the run in the middle, with the same program on one worker
// beside; with --trace the timeline of all runs.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <skua/scheduler.hpp>

#include "cli/run/measure.hpp"
#include "observe/run_record.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

/// Throws bad_input for a file that cannot be written, before anything runs.
void check_can_write(const std::string& option, const std::string& path);

/// As `chosen` but with one worker, as often as `measured` was; none where there is nothing to compare.
std::optional<observe::baseline_record> measure_baseline(workloads::program& program,
                                                         scheduler_options chosen,
                                                         const measurement& measured, measurement_plan plan);

void write_run_report(const std::string& path, const measurement& measured,
                      const std::optional<observe::baseline_record>& baseline);
void write_run_report(const std::string& path, const observe::run_record& record);
/// Of all runs so far, that to warm up, too.
void write_run_trace(const std::string& path, const scheduler& pool);

}  // namespace skua::cli
