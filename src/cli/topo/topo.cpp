// `skua topo`: the machine as skua sees it, which worker would sit where, and what its distances measure.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <skua/topology.hpp>

#include "cli/commands.hpp"
#include "cli/print_json.hpp"
#include "cli/refusals.hpp"
#include "cli/topo/topo_measure.hpp"
#include "base/environment.hpp"
#include "topology/pins.hpp"

namespace skua::cli {
namespace {

struct topo_options {
  std::string topology, distances, output, pin;
  std::optional<std::int64_t> workers;
  bool json = false, measure = false;
};

std::size_t pairs_at(const placement& places, std::size_t level) {
  std::size_t ends = 0;
  for (worker_id worker = 0; worker < places.workers(); ++worker)
    ends += places.at_distance(worker, level).size();
  return ends / 2;
}

nlohmann::ordered_json machine_json(const topology& machine, const placement& places) {
  nlohmann::ordered_json seats = nlohmann::ordered_json::array();
  for (std::size_t worker = 0; worker < places.workers(); ++worker) {
    const seat& s = places[static_cast<worker_id>(worker)];
    seats.push_back({{"worker", worker},
                     {"cpu", s.cpu},
                     {"core", s.core},
                     {"domain", s.domain},
                     {"numa_node", s.numa_node},
                     {"package", s.package},
                     {"head", s.head}});
  }
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  for (std::size_t level = 0; level < places.levels(); ++level)
    levels.push_back({{"name", places.level_name(level)}, {"pairs", pairs_at(places, level)}});
  nlohmann::ordered_json quota = nullptr;  // unlimited
  if (std::isfinite(machine.cpu_quota())) quota = machine.cpu_quota();
  return {{"source", machine.source()},
          {"packages", machine.packages()},
          {"numa_nodes", machine.numa_nodes()},
          {"domains", machine.domains()},
          {"domain_kind", machine.domain_kind()},
          {"domain_cache_bytes", machine.domain_cache_bytes()},
          {"cores", machine.cores()},
          {"kinds", machine.kinds()},
          {"pus", machine.pus()},
          {"workers", places.workers()},
          {"cpu_quota", quota},
          {"seats", std::move(seats)},
          {"levels", std::move(levels)},
          {"warnings", machine.warnings()}};
}

/// As many as a scheduler on that machine would have.
std::size_t usual_workers(const topology& machine, const detail::pins& pins) {
  const std::size_t by_machine = pins.cpus.empty() ? machine.default_workers() : pins.cpus.size();
  std::string text(detail::variable("SKUA_WORKERS"));
  if (text.empty()) return by_machine;
  const auto usual = [=] { return static_cast<std::int64_t>(by_machine); };
  const std::string complaint = whole_number(1, max_workers, usual)(text);
  if (!complaint.empty()) throw bad_input("SKUA_WORKERS: " + complaint);
  return std::stoul(text);
}

topology bare_machine(const topo_options& options) {
  return options.topology.empty() ? topology::from_environment() : topology::parse(options.topology);
}

struct machine_and_file {
  topology machine;
  std::string distances;  // the file, if any
};

/// As a scheduler chooses them: SKUA_DISTANCES goes with the environment's machine.
machine_and_file chosen_machine(const topo_options& options) {
  const topology machine = bare_machine(options);
  if (!options.distances.empty()) return {machine.with_distances(options.distances), options.distances};
  const std::string file(options.topology.empty() ? detail::variable("SKUA_DISTANCES") : "");
  if (file.empty()) return {machine, ""};
  return {detail::of_variable("SKUA_DISTANCES", [&] { return machine.with_distances(file); }), file};
}

/// As a scheduler chooses them.
detail::pins chosen_pins(const topo_options& options) {
  if (!options.pin.empty()) return detail::pins_of("--pin", options.pin);
  return detail::pins_of("SKUA_PIN", detail::variable("SKUA_PIN"));
}

void print_levels(const placement& places, const std::string& distances) {
  fmt::print("distances as measured in {}\n", distances);
  for (std::size_t level = 0; level < places.levels(); ++level) {
    const std::size_t pairs = pairs_at(places, level);
    fmt::print("  {}: {} pair{} of workers\n", places.level_name(level), pairs, pairs == 1 ? "" : "s");
  }
}

void show(const topo_options& options) {
  const auto [machine, distances] = chosen_machine(options);
  const detail::pins pins = chosen_pins(options);
  const std::size_t workers =
      options.workers ? static_cast<std::size_t>(*options.workers) : usual_workers(machine, pins);
  const placement places = detail::place_by(machine, workers, pins);
  if (options.json) {
    print_json_text(machine_json(machine, places));
    return;
  }
  fmt::print("{}", machine.draw(places));
  if (!distances.empty()) print_levels(places, distances);
  for (const std::string& warning : machine.warnings()) fmt::print(stderr, "skua: {}\n", warning);
}

}  // namespace

void add_topo(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<topo_options>();
  CLI::App* command =
      app.add_subcommand("topo", "Draw the machine: packages, memory, domains, cores, workers");
  command->add_option("--topology", options->topology,
                      "host, an hwloc XML file, or a synthetic machine; else SKUA_TOPOLOGY, else host");
  command->add_option("--workers", options->workers, "workers; else SKUA_WORKERS, else one a core")
      ->check(whole_number(1, max_workers, one_a_core));
  command->add_option("--pin", options->pin, pin_words);
  CLI::Option* const distances = command->add_option(
      "--distances", options->distances, "a file of --measure --output; else SKUA_DISTANCES, else none");
  CLI::Option* const measure = command->add_flag(
      "--measure", options->measure, "measure what it costs to pass a cache line between any two cores");
  command->add_option("--output", options->output, "with --measure: a file for --distances")->needs(measure);
  measure->excludes(distances);
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer(
      "Examples:\n"
      "  skua topo\n"
      "  skua topo --measure --output distances.txt\n"
      "  skua topo --topology \"package:4 core:4 pu:1\" --workers 8 --json");
  command->callback([options, &exit_code] {
    if (options->measure)
      show_measured(bare_machine(*options), {.output = options->output, .json = options->json});
    else
      show(*options);
    exit_code = 0;
  });
}

}  // namespace skua::cli
