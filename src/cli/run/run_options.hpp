// The options of `skua run` and `skua scale`, and what they choose: an input, a machine, a scheduler.
//
//   run_options options;
//   add_program_options(command, options);     // the program and its input
//   add_scheduler_options(command, options);   // the machine and the scheduling
//   add_simulation_options(command, options);  // the simulated machine
//   command.action([&] { refuse_contradictions(command, options); return run(options); });
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>

#include "cli/command_line.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

inline constexpr std::int64_t default_repeat = 5;
inline constexpr std::string_view by_measurement = "measure";  // instead of a number of workers

struct run_options {
  std::string name, size = "ci", input, output, policy, topology, distances, pin, continuation = "home",
                    own_order = "lifo";
  std::string workers;                       // a number, `measure` or empty
  std::optional<std::uint64_t> seed;         // of the input, and of the workers' choices
  std::optional<std::uint64_t> policy_seed;  // of the workers' choices instead
  std::optional<std::int64_t> repeat;
  bool json = false, corrupt_result = false, times = false;
  std::string report, trace;  // files; empty: none
  bool no_baseline = false;
  std::string simulate, level = "bandwidth", pages, substrate, record, replay;
  bool measured = false, free_looks = false, ideal_network = false, own_threads = false;
  double slowdown = 1, watchdog_s = simulation{}.watchdog_s;
  unsigned threads_a_core = 0, radix = 0;
  std::vector<std::string> settings;  // OPTION=VALUE
};

void add_program_options(command& command, run_options& options);
/// Without --workers and --policy: some commands take several of them.
void add_scheduler_options(command& command, run_options& options);
void add_simulation_options(command& command, run_options& options);

/// Throws bad_input for options that exclude each other.
void refuse_contradictions(const command& command, const run_options& options);

workloads::parameters chosen_parameters(const workloads::workload& workload, const run_options& options);
scheduler_options chosen_scheduler(const run_options& options);
/// The number of timed runs. One is enough for a simulated machine, since all its runs are the same.
std::int64_t repeats(const run_options& options, bool simulated);
/// The name and the level of detail of the simulated machine, from the options or from the variables that every program
/// reads. An empty name: none is simulated.
std::pair<std::string, std::string> simulated_machine(const run_options& options);

}  // namespace skua::cli
