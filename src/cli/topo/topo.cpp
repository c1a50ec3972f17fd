// `skua topo`: the machine as skua sees it, the seats of the workers, and measured distances.
#include <fmt/core.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <skua/topology.hpp>

#include "base/environment.hpp"
#include "base/number_text.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/topo/measure_distances.hpp"
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

/// The number of workers of a scheduler on that machine.
std::size_t default_workers(const topology& machine, const detail::pins& pins) {
  const std::size_t by_machine = pins.cpus.empty() ? machine.default_workers() : pins.cpus.size();
  std::string text(base::variable("SKUA_WORKERS"));
  if (text.empty()) return by_machine;
  const std::string complaint = whole_number(1, max_workers).complaint(text);
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

/// Chooses as a scheduler does: SKUA_DISTANCES belongs to the machine of the environment.
machine_and_file chosen_machine(const topo_options& options) {
  const topology machine = bare_machine(options);
  if (!options.distances.empty()) return {machine.with_distances(options.distances), options.distances};
  const std::string file(options.topology.empty() ? base::variable("SKUA_DISTANCES") : "");
  if (file.empty()) return {machine, ""};
  return {base::of_variable("SKUA_DISTANCES", [&] { return machine.with_distances(file); }), file};
}

/// Chooses as a scheduler does.
detail::pins chosen_pins(const topo_options& options) {
  if (!options.pin.empty()) return detail::pins_of("--pin", options.pin);
  return detail::pins_of("SKUA_PIN", base::variable("SKUA_PIN"));
}

void print_levels(const placement& places, const std::string& distances) {
  fmt::print("distances measured in {}\n", distances);
  for (std::size_t level = 0; level < places.levels(); ++level) {
    const std::size_t pairs = pairs_at(places, level);
    fmt::print("  {}: {} of workers\n", places.level_name(level), base::counted(pairs, "pair"));
  }
}

void show(const topo_options& options) {
  const auto [machine, distances] = chosen_machine(options);
  const detail::pins pins = chosen_pins(options);
  const std::size_t workers =
      options.workers ? static_cast<std::size_t>(*options.workers) : default_workers(machine, pins);
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

void add_topo(command_set& commands) {
  const auto options = std::make_shared<topo_options>();
  command topo = commands.add("topo", "Draw the machine: packages, memory, domains, cores, workers");
  topo.option("--topology", options->topology,
              "host, an hwloc XML file, or a synthetic machine (default: SKUA_TOPOLOGY, else host)");
  topo.option("--workers", options->workers, "number of workers (default: SKUA_WORKERS, else one per core)")
      .check(whole_number(1, max_workers));
  topo.option("--pin", options->pin, pin_about);
  const option distances =
      topo.option("--distances", options->distances,
                  "a file that --measure --output wrote (default: SKUA_DISTANCES, else none)");
  option measure = topo.flag("--measure", options->measure,
                             "measure the time to pass a cache line between every two cores");
  topo.option("--output", options->output, "with --measure: write a file for --distances").needs(measure);
  measure.excludes(distances);
  topo.flag("--json", options->json, "print JSON instead of text");
  topo.footer(
      "Examples:\n"
      "  skua topo\n"
      "  skua topo --measure --output distances.txt\n"
      "  skua topo --topology \"package:4 core:4 pu:1\" --workers 8 --json");
  topo.action([options] {
    if (options->measure)
      show_measured(bare_machine(*options), {.output = options->output, .json = options->json});
    else
      show(*options);
    return 0;
  });
}

}  // namespace skua::cli
