// `skua topo`: the machine as skua sees it, and which worker would sit where.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <skua/topology.hpp>

#include "cli/commands.hpp"
#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

struct topo_options {
  std::string topology;
  std::optional<std::int64_t> workers;
  bool json = false;
};

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
          {"warnings", machine.warnings()}};
}

/// As many as a scheduler on that machine would have.
std::size_t usual_workers(const topology& machine) {
  const char* const variable = std::getenv("SKUA_WORKERS");
  if (!variable || !*variable) return machine.default_workers();
  std::string text = variable;
  const auto usual = [&] { return static_cast<std::int64_t>(machine.default_workers()); };
  const std::string complaint = whole_number(1, most_workers, usual)(text);
  if (!complaint.empty()) throw bad_input("SKUA_WORKERS: " + complaint);
  return std::stoul(text);
}

void show(const topo_options& options) {
  const topology machine =
      options.topology.empty() ? topology::from_environment() : topology::parse(options.topology);
  const placement places =
      machine.place(options.workers ? static_cast<std::size_t>(*options.workers) : usual_workers(machine));
  if (options.json) {
    fmt::print("{}\n", machine_json(machine, places).dump(2));
    return;
  }
  fmt::print("{}", machine.draw(places));
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
      ->check(whole_number(1, most_workers, one_a_core));
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer(
      "Examples:\n"
      "  skua topo\n"
      "  skua topo --topology \"package:4 core:4 pu:1\" --workers 8 --json");
  command->callback([options, &exit_code] {
    show(*options);
    exit_code = 0;
  });
}

}  // namespace skua::cli
