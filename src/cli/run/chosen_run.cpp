#include "cli/run/chosen_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "cli/refusals.hpp"
#include "cli/workload_choice.hpp"
#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "topology/pins.hpp"

namespace skua::cli {
namespace {

/// Some have an option `input` that is a choice.
bool takes_file(const workloads::workload& workload, std::string_view name) {
  return std::ranges::any_of(
      workload.options, [name](const workloads::option& o) { return o.name == name && o.allowed == "FILE"; });
}

/// --input FILE and --output FILE are options of those workloads that know files.
void choose_file(const workloads::workload& workload, const std::string& option, const std::string& file,
                 workloads::parameters& asked) {
  if (file.empty()) return;
  if (!takes_file(workload, option)) {
    std::vector<std::string_view> others;
    for (const workloads::workload* w : workloads::all())
      if (takes_file(*w, option)) others.push_back(w->name);
    throw bad_input(fmt::format("{} has no --{}, given '{}'; allowed: with {}", workload.name, option, file,
                                detail::list_of_names(others)));
  }
  asked.options[option] = file;
}

simulation chosen_simulation(const run_options& options) {
  const auto level = std::ranges::find(detail_level_names, options.level);
  return {.machine = options.simulate,
          .level = static_cast<detail_level>(level - std::begin(detail_level_names)),
          .pages = options.pages,
          .measured = options.measured,
          .record = options.record,
          .replay = options.replay,
          .free_looks = options.free_looks,
          .substrate = options.substrate,
          .slowdown = options.slowdown,
          .threads_a_core = options.threads_a_core,
          .ideal_network = options.ideal_network,
          .radix = options.radix,
          .own_threads = options.own_threads,
          .watchdog_s = options.watchdog_s};
}

}  // namespace

workloads::parameters chosen_parameters(const workloads::workload& workload, const run_options& options) {
  workloads::parameters asked;
  choose_file(workload, "input", options.input, asked);
  choose_file(workload, "output", options.output, asked);
  asked.size = size_class_of(options.size);
  asked.seed = options.seed;
  read_settings(workload, options.settings, asked);
  return asked;
}

std::int64_t repeats(const run_options& options, bool simulated) {
  return options.repeat.value_or(simulated ? 1 : usual_repeat);
}

scheduler_options chosen_scheduler(const run_options& options) {
  scheduler_options chosen{.policy = options.policy, .distances = options.distances};
  if (!options.workers.empty() && options.workers != by_measurement)
    chosen.workers = std::stoll(options.workers);
  if (!options.topology.empty()) chosen.topology = topology::parse(options.topology);
  if (!options.pin.empty()) {
    detail::pins pins = detail::pins_of("--pin", options.pin);
    chosen.pin_order = pins.order;
    chosen.cpus = std::move(pins.cpus);
  }
  if (options.seed) chosen.seed = *options.seed;
  if (!options.simulate.empty()) chosen.simulate = chosen_simulation(options);
  if (options.own != "lifo") chosen.own_order = options.own == "fifo" ? order::fifo : order::priority;
  if (options.continuation == "free") chosen.continuation = continuation::free;
  chosen.keep_times = options.times;
  return chosen;
}

std::pair<std::string, std::string> simulated_machine(const run_options& options) {
  if (!options.simulate.empty()) return {options.simulate, options.level};
  const std::string level(detail::variable("SKUA_SIMULATE_LEVEL"));
  return {std::string(detail::variable("SKUA_SIMULATE")),
          level.empty() ? options.level : by_either_name(level)};
}

}  // namespace skua::cli
