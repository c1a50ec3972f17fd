// What `skua run` and its like are asked for, as it stands on the command line.
//
//   run_options options;
//   add_program_options(*command, options);     // which program, on which input
//   add_scheduler_options(*command, options);   // on which machine, scheduled how
//   add_simulation_options(*command, options);  // in whose time
//   command->callback([&] { refuse_contradictions(*command); go(options); });
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/simulation.hpp>

namespace CLI {
class App;
}

namespace skua::cli {

inline constexpr std::int64_t usual_repeat = 5;
inline constexpr std::string_view by_measurement = "measure";  // instead of a number of workers

struct run_options {
  std::string name, size = "ci", input, output, policy, topology, distances, pin, continuation = "home",
                    own = "lifo";
  std::string workers;  // a number, `measure` or empty
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> repeat;
  bool json = false, damage = false, times = false;
  std::string report, trace;  // files; empty: none
  bool no_baseline = false;
  std::string simulate, level = "bandwidth", pages, substrate, record, replay;
  bool measured = false, free_looks = false, ideal_network = false, own_threads = false;
  double slowdown = 1, watchdog_s = simulation{}.watchdog_s;
  unsigned threads_a_core = 0, radix = 0;
  std::vector<std::string> settings;  // OPTION=VALUE
};

void add_program_options(CLI::App& command, run_options& options);
/// But for --workers and --policy, of which some commands take several.
void add_scheduler_options(CLI::App& command, run_options& options);
void add_simulation_options(CLI::App& command, run_options& options);

/// Options that do not go together. Throws bad_input.
void refuse_contradictions(const CLI::App& command);

}  // namespace skua::cli
