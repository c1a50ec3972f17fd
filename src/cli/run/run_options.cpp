#include "cli/run/run_options.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iterator>

#include <skua/topology.hpp>

#include "cli/refusals.hpp"
#include "cli/workload_choice.hpp"
#include "base/environment.hpp"

namespace skua::cli {
namespace {

constexpr std::string_view continuations[] = {"home", "free"};
constexpr const char* of_simulations = "With --simulate";  // a group of options

/// What only a simulated run knows would be ignored without one.
void refuse_simulation_options(const CLI::App& command) {
  for (const CLI::Option* one : command.get_options())
    if (one->get_group() == of_simulations && one->count() != 0)
      throw bad_input(fmt::format(
          "{} says how a machine is simulated, and none is; allowed: with --simulate MACHINE; nearest: with "
          "--simulate host",
          one->get_name()));
}

void refuse_two_machines(const char* simulated_by, const CLI::App& command) {
  if (command.count("--topology") != 0)
    throw bad_input(fmt::format(
        "{0} and --topology both name a machine; allowed: one of them; nearest: {0} alone", simulated_by));
  if (command.count("--workers") != 0 && command.get_option("--workers")->as<std::string>() == by_measurement)
    throw bad_input(fmt::format(
        "--workers measure takes real times, and {} makes them virtual; allowed: a number of workers; "
        "nearest: without --workers",
        simulated_by));
}

}  // namespace

void add_program_options(CLI::App& command, run_options& options) {
  command.add_option("NAME", options.name, "the workload (skua list workloads)")->required();
  command.add_option("--size", options.size, "ci: a moment; med: seconds; paper: as published")
      ->check(one_of({std::begin(size_names), std::end(size_names)}));
  command.add_option("--input", options.input, "a real input instead of a generated one, where there is one");
  command.add_option("--output", options.output, "the answer as a picture or text, where there is one");
  command.add_option("--repeat", options.repeat, "timed runs, 5 if not given, or 1 of a simulated machine")
      ->check(whole_number(1, 1'000'000, [] { return usual_repeat; }));
  command.add_option("--seed", options.seed, "of the input, where it is random, and of the workers' choices")
      ->check(whole_number(0, INT64_MAX));
  command.add_option("OPTION=VALUE", options.settings, "options of the workload (skua list workloads)");
}

void add_scheduler_options(CLI::App& command, run_options& options) {
  command.add_option("--topology", options.topology,
                     "the machine: host, an hwloc XML file, or a synthetic one, \"package:4 core:4 pu:1\"");
  command.add_option("--distances", options.distances,
                     "a file of skua topo --measure --output; else SKUA_DISTANCES, else none");
  command.add_option("--pin", options.pin, pin_words);
  command
      .add_option("--continuation", options.continuation,
                  "where a suspended task goes on: home, or free: where its last child ended")
      ->check(one_of({std::begin(continuations), std::end(continuations)}));
  command
      .add_option(
          "--own", options.own,
          "which of its own group tasks a worker takes next: lifo, fifo or priority (joins are always lifo)")
      ->check(one_of({"lifo", "fifo", "priority"}));
}

void add_simulation_options(CLI::App& command, run_options& options) {
  command.add_option("--simulate", options.simulate,
                     "a machine (skua machines) or a file of one, in whose time the program runs");
  command.option_defaults()->group(of_simulations);
  command
      .add_option("--level", options.level, "how much of it: steps, lines, caches or bandwidth, if not given")
      ->transform(by_either_name)
      ->check(one_of({std::begin(detail_level_names), std::end(detail_level_names)}));
  command.add_option("--pages", options.pages,
                     "where its data lie: first_touch or interleave; else as it says");
  command.add_option("--substrate", options.substrate,
                     "what brings a phase's tasks to its workers there: software, carbon, uli or adm");
  command
      .add_option("--slowdown", options.slowdown,
                  "leaves take so many times as long as they declare, 0.01 to 10000: on a slower core")
      ->check(real_number(0.01, 10'000));
  command.add_option("--threads-a-core", options.threads_a_core,
                     "on a machine whose file has several smt_choices, one of these");
  command.add_option("--radix", options.radix, "with adm and uli: children of a manager of phases, else 8")
      ->check(whole_number(2, 4096));
  command.add_flag("--ideal-network", options.ideal_network,
                   "with a substrate: its messages never wait for each other, and all take as long");
  command.add_flag("--measured", options.measured, "leaves take as long as here, not as they declare");
  command.add_option("--record", options.record, "a file that keeps what leaves take; measures them");
  command.add_option("--replay", options.replay,
                     "a file of skua run --record: leaves take what they took then, by whichever policy, on "
                     "whichever machine");
  command.add_flag("--free-looks", options.free_looks, "policies look at other workers for nothing");
  command.add_flag("--own-threads", options.own_threads,
                   "each simulated worker has its own thread_local variables");
  command
      .add_option("--watchdog", options.watchdog_s,
                  "seconds that a simulated worker may compute or sleep before a line names it; 0: for ever")
      ->check(whole_number(0, 1'000'000));
  command.option_defaults()->group("Options");
}

void refuse_contradictions(const CLI::App& command) {
  const bool by_option = command.count("--simulate") != 0;
  if (!by_option) refuse_simulation_options(command);
  if (by_option || !detail::variable("SKUA_SIMULATE").empty())
    refuse_two_machines(by_option ? "--simulate" : "SKUA_SIMULATE", command);
}

}  // namespace skua::cli
