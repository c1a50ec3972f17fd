// What the options of a run choose: an input, a machine, a scheduler.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <skua/scheduler.hpp>

#include "cli/run/run_options.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

workloads::parameters chosen_parameters(const workloads::workload& workload, const run_options& options);
scheduler_options chosen_scheduler(const run_options& options);
/// A simulated run is the same every time, so once is enough.
std::int64_t repeats(const run_options& options, bool simulated);
/// Its name and its level of detail, by option, or as any program, by variable. Without a name none is simulated.
std::pair<std::string, std::string> simulated_machine(const run_options& options);

}  // namespace skua::cli
