// `skua machines`: the machines that can be simulated, or one machine with all its values and their sources.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/number_text.hpp"
#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

using base::counted;
using nlohmann::ordered_json;
using simulator::cache_instance;
using simulator::machine_model;

std::string size_text(std::uint64_t bytes) {
  return bytes % (1 << 20) == 0 ? fmt::format("{} MB", bytes >> 20)
                                : fmt::format("{:.4g} KB", static_cast<double>(bytes) / 1024);
}

bool same_kind(const cache_instance& a, const cache_instance& b) {
  return a.bytes == b.bytes && a.ways == b.ways && a.threads.size() == b.threads.size();
}

/// One cache of each kind at a level, with their number: hybrid machines have several kinds.
std::vector<std::pair<const cache_instance*, std::size_t>> kinds_of(
    const std::vector<cache_instance>& level) {
  std::vector<std::pair<const cache_instance*, std::size_t>> kinds;
  for (const cache_instance& one : level) {
    const auto at =
        std::ranges::find_if(kinds, [&](const auto& kind) { return same_kind(*kind.first, one); });
    if (at == kinds.end())
      kinds.emplace_back(&one, 1);
    else
      ++at->second;
  }
  return kinds;
}

/// "L1 32 KB, L2 4 MB for 4 cores, L3 512 MB for 128 cores".
std::string caches_in_short(const machine_model& machine) {
  std::string text;
  for (const simulator::cache_model& cache : machine.caches) {
    text += fmt::format("{}L{} {}", text.empty() ? "" : ", ", cache.level, size_text(cache.bytes));
    if (cache.cores > 1) text += fmt::format(" for {} cores", cache.cores);
  }
  return text;
}

void list_machines() {
  for (const std::string_view name : simulator::known_machines()) {
    const machine_model machine = simulator::find_machine(std::string(name));
    fmt::print("{:<24} {:>3} threads  {}\n", name, machine.threads(), machine.title);
    fmt::print("{:<24}              {}\n", "", caches_in_short(machine));
  }
}

void print_caches(const machine_model& machine) {
  for (std::size_t level = 0; level < machine.caches.size(); ++level)
    for (const auto& [one, count] : kinds_of(machine.instances[level]))
      fmt::print("  L{}: {} of {}, {}, lines of {} bytes, for {}; a hit takes {}\n", level + 1, count,
                 size_text(one->bytes), counted(one->ways, "way"), one->line,
                 counted(one->threads.size(), "thread"), counted(machine.caches[level].latency, "cycle"));
}

void print_sources(const machine_model& machine) {
  std::size_t name = 0, value = 0;
  constexpr std::size_t widest_value = 24;
  for (const simulator::value_source& one : machine.sources) {
    name = std::max(name, one.name.size());
    if (one.value.size() <= widest_value) value = std::max(value, one.value.size());
  }
  fmt::print(
      "\nvalues and their sources (S stated in a paper, V read in a public source, M remembered from the "
      "literature, E estimate):\n");
  for (const simulator::value_source& one : machine.sources)
    fmt::print("  {:<{}}  {:<{}}  {}\n", one.name, name, one.value, value,
               one.source.empty() ? "-" : one.source);
}

void show(const machine_model& machine) {
  fmt::print("{}: {}\n", machine.name, machine.title);
  fmt::print("{}, {}, {}, {} at {} GHz\n\n", counted(machine.packages, "package"),
             counted(machine.nodes, "memory node"), counted(machine.cores, "core"),
             counted(machine.threads(), "hardware thread"), machine.ghz);
  fmt::print("{}\ncaches\n", machine.machine.draw());
  print_caches(machine);
  print_sources(machine);
}

ordered_json summary_json(const machine_model& machine) {
  ordered_json caches = ordered_json::array();
  for (std::size_t level = 0; level < machine.caches.size(); ++level) {
    const simulator::cache_model& cache = machine.caches[level];
    caches.push_back({{"level", cache.level},
                      {"bytes", cache.bytes},
                      {"ways", cache.ways},
                      {"line", cache.line},
                      {"latency_cycles", cache.latency},
                      {"shared_by_cores", cache.cores},
                      {"count", machine.instances[level].size()}});
  }
  return {{"name", machine.name},         {"title", machine.title},     {"ghz", machine.ghz},
          {"threads", machine.threads()}, {"cores", machine.cores},     {"packages", machine.packages},
          {"numa_nodes", machine.nodes},  {"caches", std::move(caches)}};
}

ordered_json machine_json(const machine_model& machine) {
  ordered_json all = summary_json(machine);
  for (std::size_t level = 0; level < machine.caches.size(); ++level) {
    ordered_json instances = ordered_json::array();
    for (const cache_instance& one : machine.instances[level])
      instances.push_back({{"bytes", one.bytes}, {"ways", one.ways}, {"threads", one.threads}});
    all["caches"][level]["instances"] = std::move(instances);
  }
  ordered_json hardware = ordered_json::array(), values = ordered_json::array();
  for (const simulator::hardware_thread& one : machine.hardware)
    hardware.push_back(
        {{"cpu", one.cpu}, {"core", one.core}, {"package", one.package}, {"numa_node", one.node}});
  for (const simulator::value_source& one : machine.sources)
    values.push_back({{"name", one.name}, {"value", one.value}, {"source", one.source}});
  all["hops"] = machine.hops;
  all["numa_hops"] = machine.node_hops;
  all["memory_latency_cycles_by_hop"] = machine.memory.latency_by_hops;
  all["hardware"] = std::move(hardware);
  all["values"] = std::move(values);
  return all;
}

void print_machines_json(const std::string& name) {
  if (!name.empty()) {
    print_json_text(machine_json(simulator::find_machine(name)));
    return;
  }
  ordered_json list = ordered_json::array();
  for (const std::string_view known : simulator::known_machines())
    list.push_back(summary_json(simulator::find_machine(std::string(known))));
  print_json_text(list);
}

}  // namespace

void add_machines(command_set& commands) {
  struct machines_options {
    std::string name;
    bool json = false;
  };
  const auto options = std::make_shared<machines_options>();
  command machines = commands.add("machines", "List the machines that can be simulated, or show one");
  machines.option("NAME", options->name,
                  "a name from the list, a machine file (.json), hwloc XML, a synthetic machine, or host");
  machines.flag("--json", options->json, "print JSON instead of text");
  machines.footer(
      "Examples:\n"
      "  skua machines\n"
      "  skua machines opteron-8380-4s\n"
      "  skua machines host --json");
  machines.action([options] {
    if (options->json)
      print_machines_json(options->name);
    else if (options->name.empty())
      list_machines();
    else
      show(simulator::find_machine(options->name));
    return 0;
  });
}

}  // namespace skua::cli
