#include "cli/run/run_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include <skua/topology.hpp>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "cli/workload_choice.hpp"
#include "simulator/machine/machine_model.hpp"
#include "topology/pins.hpp"

namespace skua::cli {
namespace {

constexpr std::string_view continuations[] = {"home", "free"};
constexpr const char* simulation_heading = "With --simulate";

/// Without a simulated machine these options would have no effect.
void refuse_simulation_options(const command& command) {
  const std::string given = command.first_given_below(simulation_heading);
  if (!given.empty())
    throw bad_input(fmt::format(
        "{} needs a simulated machine; allowed: with --simulate MACHINE; nearest: with --simulate host",
        given));
}

void refuse_two_machines(const char* simulated_by, const command& command, const run_options& options) {
  if (command.count("--topology") != 0)
    throw bad_input(fmt::format(
        "{0} and --topology both name a machine; allowed: one of them; nearest: {0} alone", simulated_by));
  if (options.workers == by_measurement)
    throw bad_input(fmt::format(
        "--workers measure needs real times, but the times of {} are virtual; allowed: a number of workers; "
        "nearest: without --workers",
        simulated_by));
}

/// Some workloads have an option `input` that is a choice, not a file.
bool takes_file(const workloads::workload& workload, std::string_view name) {
  return std::ranges::any_of(
      workload.options, [name](const workloads::option& o) { return o.name == name && o.allowed == "FILE"; });
}

/// --input FILE and --output FILE are options of the workloads that read or write files.
void choose_file(const workloads::workload& workload, const std::string& option, const std::string& file,
                 workloads::parameters& asked) {
  if (file.empty()) return;
  if (!takes_file(workload, option)) {
    std::vector<std::string_view> others;
    for (const workloads::workload* w : workloads::all())
      if (takes_file(*w, option)) others.push_back(w->name);
    throw bad_input(fmt::format("{} has no --{}, given '{}'; allowed: with {}", workload.name, option, file,
                                base::list_of_names(others)));
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

void add_program_options(command& command, run_options& options) {
  command.option("NAME", options.name, "the workload (skua list workloads)").required();
  command.option("--size", options.size, "ci: under a second; med: seconds; paper: as published")
      .check(one_of({std::begin(size_names), std::end(size_names)}));
  command.option("--input", options.input, "read the input from this file, if the workload reads files");
  command.option("--output", options.output,
                 "write the answer as a picture or text, if the workload writes files");
  command.option("--repeat", options.repeat, "number of timed runs (default: 5, or 1 on a simulated machine)")
      .check(whole_number(1, 1'000'000));
  command.option("--seed", options.seed, "seed of a random input and of the workers' random choices")
      .check(whole_number(0, INT64_MAX));
  command
      .option("--policy-seed", options.policy_seed,
              "seed of the workers' random choices alone; the input stays the same (default: --seed)")
      .check(whole_number(0, INT64_MAX));
  command.option("OPTION=VALUE", options.settings, "options of the workload (skua list workloads)");
}

void add_scheduler_options(command& command, run_options& options) {
  command.option("--topology", options.topology,
                 "the machine: host, an hwloc XML file, or a synthetic one, \"package:4 core:4 pu:1\"");
  command.option("--distances", options.distances,
                 "a file that skua topo --measure --output wrote (default: SKUA_DISTANCES, else none)");
  command.option("--pin", options.pin, pin_about);
  command
      .option("--continuation", options.continuation,
              "where a suspended task resumes: home, on its own worker; free, on the worker that ended its "
              "last child")
      .check(one_of({std::begin(continuations), std::end(continuations)}));
  command
      .option(
          "--own-order", options.own_order,
          "order in which a worker runs its own group tasks: lifo, fifo or priority (joins are always lifo)")
      .check(one_of({"lifo", "fifo", "priority"}));
}

void add_simulation_options(command& command, run_options& options) {
  command.option("--simulate", options.simulate,
                 "simulate this machine: a name from skua machines, or a file");
  command.heading(simulation_heading);
  command.option("--level", options.level, "level of detail: steps, lines, caches or bandwidth (default)")
      .transform(by_either_name)
      .check(one_of({std::begin(detail_level_names), std::end(detail_level_names)}));
  command.option("--pages", options.pages,
                 "page placement: first_touch or interleave (default: as the machine file says)");
  command.option("--substrate", options.substrate,
                 "what distributes the tasks of a phase: software, carbon, uli or adm");
  command
      .option("--slowdown", options.slowdown,
              "multiply the declared cycles of leaves by this factor, 0.01 to 10000, as on a slower core")
      .check(real_number(0.01, 10'000));
  command
      .option("--threads-a-core", options.threads_a_core,
              "hardware threads of a core, for a machine file with several smt_choices; 0: its default")
      .check(whole_number(0, simulator::max_threads));
  command
      .option("--radix", options.radix, "with adm and uli: children of each manager of phases (default: 8)")
      .check(whole_number(2, 4096));
  command.flag("--ideal-network", options.ideal_network,
               "with a substrate: messages never wait for each other, and all take the same time");
  command.flag("--measured", options.measured,
               "leaves take as long as on this machine, not the cycles that they declare");
  command.option("--record", options.record, "measure the leaves and write their times to this file");
  command.option("--replay", options.replay,
                 "leaves take the times in this file of skua run --record, with any policy and machine; the "
                 "shortest times of several files, separated by commas");
  command.flag("--free-looks", options.free_looks, "looking at other workers costs no time");
  command.flag("--own-threads", options.own_threads,
               "each simulated worker has its own thread_local variables");
  command
      .option("--watchdog", options.watchdog_s,
              "print a line when a simulated worker computes or sleeps for this many seconds; 0: never")
      .check(whole_number(0, 1'000'000));
  command.heading("Options");
}

void refuse_contradictions(const command& command, const run_options& options) {
  const bool by_option = command.count("--simulate") != 0;
  if (!by_option) refuse_simulation_options(command);
  if (by_option || !base::variable("SKUA_SIMULATE").empty())
    refuse_two_machines(by_option ? "--simulate" : "SKUA_SIMULATE", command, options);
}

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
  return options.repeat.value_or(simulated ? 1 : default_repeat);
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
  if (const auto seed = options.policy_seed ? options.policy_seed : options.seed) chosen.seed = *seed;
  if (!options.simulate.empty()) chosen.simulate = chosen_simulation(options);
  if (options.own_order != "lifo")
    chosen.own_order = options.own_order == "fifo" ? order::fifo : order::priority;
  if (options.continuation == "free") chosen.continuation = continuation::free;
  chosen.keep_times = options.times;
  return chosen;
}

std::pair<std::string, std::string> simulated_machine(const run_options& options) {
  if (!options.simulate.empty()) return {options.simulate, options.level};
  const std::string level(base::variable("SKUA_SIMULATE_LEVEL"));
  return {std::string(base::variable("SKUA_SIMULATE")),
          level.empty() ? options.level : by_either_name(level)};
}

}  // namespace skua::cli
