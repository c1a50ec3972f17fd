// Parses machine files: from JSON to a model. docs/machines.md describes the files. machine_model.cpp checks what must
// hold for every model, from a file or from a topology.
#include <algorithm>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

#include "base/json_part.hpp"
#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "topology/topology_data.hpp"

namespace skua::simulator {

using base::json_part;

namespace {

// ---- costs

memory_model memory_of(const json_part& part) {
  static constexpr std::string_view keys[] = {"latency_cycles_by_hop",
                                              "channels_per_node",
                                              "controllers",
                                              "peak_bytes_per_cycle",
                                              "sustained_bytes_per_cycle",
                                              "per_ccd_read_bytes_per_cycle",
                                              "per_ccd_write_bytes_per_cycle",
                                              "jitter",
                                              "misses_at_once",
                                              "core_bytes_per_cycle",
                                              "lines_ahead",
                                              "prefetch_crosses_pages",
                                              "overlap_percent"};
  part.allow_only(keys);
  memory_model found;
  found.misses_at_once = defaults::misses_at_once;
  if (const auto at_once = part.find("misses_at_once"))
    found.misses_at_once = at_once->whole(1, max_misses_at_once);
  if (const auto core = part.find("core_bytes_per_cycle")) found.core_bytes_a_cycle = core->number(0.01, 1e6);
  if (const auto ahead = part.find("lines_ahead")) found.lines_ahead = ahead->whole(1, max_lines_ahead);
  if (const auto crosses = part.find("prefetch_crosses_pages"))
    found.prefetch_crosses_pages = crosses->yes_or_no();
  if (const auto overlap = part.find("overlap_percent")) found.overlap_percent = overlap->whole(0, 100);
  for (const json_part& hop : part.member("latency_cycles_by_hop").list())
    found.latency_by_hops.push_back(hop.whole(1, max_cycles));
  found.bytes_a_cycle = part.member("sustained_bytes_per_cycle").number(0.01, 1e6);
  return found;
}

void read(const json_part& from, std::span<const named_cost> costs, std::uint64_t max, runtime_costs& to) {
  for (const named_cost& cost : costs)
    if (const auto given = from.find(cost.name)) to.*cost.value = given->whole_number(0, max);
}

std::vector<std::string_view> names_of(std::span<const named_cost> costs,
                                       std::vector<std::string_view> others = {}) {
  for (const named_cost& cost : costs) others.push_back(cost.name);
  return others;
}

/// Reads the members `runtime` and `os`; both may be absent.
runtime_costs costs_of(const json_part& all) {
  constexpr std::uint64_t max_ns = 1'000'000'000;
  runtime_costs costs;
  if (const auto runtime = all.find("runtime")) {
    runtime->allow_only(names_of(cycle_costs));
    read(*runtime, cycle_costs, max_cycles, costs);
  }
  if (const auto os = all.find("os")) {
    os->allow_only(names_of(kernel_costs, {"page_policy", "linux", "ram_gb", "ram_mb"}));
    read(*os, kernel_costs, max_ns, costs);
  }
  return costs;
}

// ---- layout

/// The description (`synthetic`) and the counts of the file must agree.
void check_counts(const json_part& all, const machine_model& found) {
  const auto check = [&](std::size_t described, const char* parts, std::size_t counted, const char* keys) {
    if (described != counted)
      all.member("synthetic")
          .refuse("a machine of " + std::to_string(described) + " " + parts,
                  std::to_string(counted) + ", the value of " + keys);
  };
  const topology& machine = found.machine;
  check(machine.pus(), "threads", found.cores * found.threads_a_core, "sockets, cores and smt");
  check(machine.cores(), "cores", found.cores, "sockets and cores_per_socket");
  check(std::max<std::size_t>(1, machine.packages()), "packages", found.packages, "sockets");
  check(machine.numa_nodes(), "memory nodes", found.nodes, "numa_nodes");
}

/// If the description names caches of a level, they must be shared as the counts say, because they define the domains.
void check_sharing(const json_part& all, const machine_model& found) {
  for (const detail::cache_facts& cache : topology_access::facts(found.machine).caches) {
    if (cache.level > found.caches.size()) continue;
    const std::size_t thread = found.thread_on(cache.cpus.front());
    const auto& instance = found.instances[cache.level - 1][found.instance_of(cache.level - 1, thread)];
    if (instance.threads.size() != cache.cpus.size())
      all.member("caches")
          .list()[cache.level - 1]
          .member("shared_by_cores")
          .refuse(std::to_string(found.caches[cache.level - 1].cores),
                  std::to_string(cache.cpus.size() / found.threads_a_core) + ", the value in synthetic");
  }
}

/// The nearest packages of two nodes determine their distance. All memory of the own package is near.
std::vector<std::vector<unsigned>> node_hops_of(const machine_model& machine) {
  std::vector<std::vector<unsigned>> hops(machine.nodes, std::vector<unsigned>(machine.nodes, max_hops));
  for (const hardware_thread& from : machine.hardware)
    for (const hardware_thread& to : machine.hardware) {
      unsigned& found = hops[from.node][to.node];
      found = from.node == to.node ? 0 : std::min(found, machine.hops[from.package][to.package]);
    }
  return hops;
}

/// Sets the model's hardware threads, cache instances and hops between memory nodes. Throws bad_input if the
/// description (`synthetic`) and the counts of the file contradict each other.
void lay_out(const json_part& all, machine_model& model) {
  check_counts(all, model);
  model.hardware = hardware_of(model.machine);
  share_by_cores(model);
  check_sharing(all, model);
  model.node_hops = node_hops_of(model);
}

/// Sets the distances that policies see in the model's topology: `slit`, the distances that firmware would report, or
/// else the relative latencies, scaled like firmware's to 10 for the own node. The model must have been checked.
void add_distances(const json_part& all, machine_model& model) {
  topology::data facts = topology_access::facts(model.machine);
  facts.source = model.name;
  facts.numa_distances.clear();
  const auto& latencies = model.memory.latency_by_hops;
  auto distances = model.node_hops;
  for (auto& row : distances)
    for (unsigned& cell : row)
      cell = (latencies.at(cell) * 20 + latencies[0]) / (latencies[0] * 2);  // rounded
  if (const auto slit = all.find("slit")) distances = slit->square(model.nodes, "memory node", 10, 11, 254);
  for (const auto& row : distances)
    facts.numa_distances.insert(facts.numa_distances.end(), row.begin(), row.end());
  model.machine = topology_access::make(std::move(facts));
}

// ---- caches, transfers and packages

/// Understands the wording of the files.
cache_content content_of(const std::string& text) {
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  if (has("victim")) return cache_content::victim;
  if (has("exclusive of")) return cache_content::exclusive;
  return has("inclusive") && !has("non-inclusive") ? cache_content::inclusive : cache_content::independent;
}

cache_model cache_of(const json_part& part, std::uint64_t cores) {
  static constexpr std::string_view keys[] = {"level",           "size_kb", "line",  "ways", "latency_cycles",
                                              "shared_by_cores", "policy",  "title", "src"};
  part.allow_only(keys);
  return {.level = part.member("level").whole(1, 4),
          .bytes = part.member("size_kb").whole_number(1, 1 << 24) * 1024,
          .line = part.member("line").whole(16, 1024),
          .ways = part.member("ways").whole(1, 1024),
          .latency = part.member("latency_cycles").whole(1, max_cycles),
          .cores = part.member("shared_by_cores").whole<std::size_t>(1, cores),
          .content = content_of(part.member("policy").text())};
}

std::vector<cache_model> caches_of(const json_part& part, std::uint64_t cores) {
  std::vector<cache_model> caches;
  for (const json_part& one : part.list()) {
    caches.push_back(cache_of(one, cores));
    if (cores % caches.back().cores != 0)
      one.member("shared_by_cores")
          .refuse(std::to_string(caches.back().cores),
                  "a divisor of the " + std::to_string(cores) + " cores of the machine");
  }
  return caches;
}

std::optional<unsigned> cycles_of(const json_part& part, std::string_view key) {
  const auto found = part.find(key);
  return found ? std::optional(found->whole(0, max_cycles)) : std::nullopt;
}

transfer_model transfers_of(const json_part& part, const std::vector<cache_model>& caches) {
  static constexpr std::string_view keys[] = {"smt_sibling",
                                              "same_tile",
                                              "same_l1_modified",
                                              "same_l1_clean",
                                              "same_l2_modified",
                                              "same_l2_clean",
                                              "same_l3_modified",
                                              "same_l3_clean",
                                              "same_l4_modified",
                                              "same_l4_clean",
                                              "remote_l2",
                                              "two_transfers",
                                              "near_100_at_64_128_cores",
                                              "cross_ccd",
                                              "cross_package",
                                              "one_hop",
                                              "two_hop",
                                              "three_hop",
                                              "four_hop",
                                              "atomic_extra",
                                              "upgrade_shared"};
  part.allow_only(keys);
  transfer_model found;
  found.same_core = cycles_of(part, "smt_sibling");
  for (const cache_model& cache : caches) {
    const std::string level = "same_l" + std::to_string(cache.level);
    found.by_cache.push_back({cycles_of(part, level + "_modified"), cycles_of(part, level + "_clean")});
  }
  if (const auto tile = cycles_of(part, "same_tile")) {
    if (caches.size() < 2)
      part.member("same_tile").refuse("given", "only if the machine has an L2, which a tile shares");
    found.by_cache[1].modified = tile;
  }
  if (const auto remote = cycles_of(part, "remote_l2")) found.by_cache.back().modified = remote;
  found.same_package = cycles_of(part, "cross_ccd");
  for (const std::string_view key : hop_names) {
    const auto hop = cycles_of(part, key);
    if (!hop) break;  // a farther one must not replace a missing one
    found.by_hops.push_back(*hop);
  }
  if (const auto bus = cycles_of(part, "cross_package")) found.by_hops = {*bus};
  found.atomic_extra = cycles_of(part, "atomic_extra").value_or(0);
  found.upgrade = cycles_of(part, "upgrade_shared").value_or(0);
  return found;
}

std::vector<std::vector<unsigned>> hops_of(const std::optional<json_part>& part, std::size_t packages) {
  if (part) return part->square(packages, "socket", 0, 1, std::size(hop_names));
  std::vector<std::vector<unsigned>> hops(packages, std::vector<unsigned>(packages, 1));
  for (std::size_t i = 0; i < packages; ++i) hops[i][i] = 0;
  return hops;
}

std::optional<json_part> interconnect_of(const json_part& all) {
  static constexpr std::string_view keys[] = {"kind",
                                              "hops",
                                              "link_bytes_per_cycle",
                                              "router_stages",
                                              "vcs_per_vnet",
                                              "flits_per_vc",
                                              "flit_bytes",
                                              "vnets",
                                              "link_cycles_local",
                                              "link_cycles_global",
                                              "avg_message_cycles"};
  const auto found = all.find("interconnect");
  if (found) found->allow_only(keys);
  return found;
}

page_policy pages_of(const json_part& all) {
  const auto os = all.find("os");
  const auto policy = os ? os->find("page_policy") : std::nullopt;
  if (!policy) return page_policy::uniform;
  const std::string text = policy->text();
  if (text.starts_with("interleave")) return page_policy::interleave;
  if (text == "UMA") return page_policy::uniform;
  if (text != "first touch") policy->refuse("'" + text + "'", "first touch, interleave, UMA");
  return page_policy::first_touch;
}

}  // namespace

machine_model parse_machine(std::string_view file, std::string_view text) {
  static constexpr std::string_view keys[] = {"name",
                                              "provenance_key",
                                              "title",
                                              "paper",
                                              "freq_ghz",
                                              "sockets",
                                              "numa_nodes",
                                              "tiles",
                                              "cores_per_tile",
                                              "cores_per_socket",
                                              "smt",
                                              "smt_choices",
                                              "smt_gain_percent",
                                              "core",
                                              "caches",
                                              "coherence",
                                              "line_transfer_cycles",
                                              "memory",
                                              "interconnect",
                                              "substrates",
                                              "os",
                                              "runtime",
                                              "synthetic",
                                              "synthetic_nps4",
                                              "synthetic_snc4",
                                              "real_relative",
                                              "expect",
                                              "slit",
                                              "thesis_pin_order",
                                              "thesis_packages",
                                              "thesis_packages_note"};
  nlohmann::json parsed;
  const json_part all = json_part::whole(file, text, parsed);
  all.allow_only(keys);
  const std::size_t packages = all.member("sockets").whole<std::size_t>(1, 64);
  const std::size_t cores =
      packages * all.member("cores_per_socket").whole<std::size_t>(1, max_threads / packages);
  std::vector<cache_model> caches = caches_of(all.member("caches"), cores);
  transfer_model transfers = transfers_of(all.member("line_transfer_cycles"), caches);
  const auto interconnect = interconnect_of(all);
  const auto link = interconnect ? interconnect->find("link_bytes_per_cycle") : std::nullopt;
  machine_model found{.name = all.member("name").text(),
                      .title = all.member("title").text(),
                      .ghz = all.member("freq_ghz").number(0.1, 20),
                      .machine = topology::synthetic(all.member("synthetic").text()),
                      .packages = packages,
                      .nodes = all.member("numa_nodes").whole<std::size_t>(1, 256),
                      .cores = cores,
                      .threads_a_core = all.member("smt").whole<std::size_t>(1, 8),
                      .caches = std::move(caches),
                      .transfers = std::move(transfers),
                      .memory = memory_of(all.member("memory")),
                      .hops = hops_of(interconnect ? interconnect->find("hops") : std::nullopt, packages),
                      .link_bytes_a_cycle = link ? std::optional(link->number(0.01, 1e6)) : std::nullopt,
                      .pages = pages_of(all),
                      .costs = costs_of(all)};
  if (const auto gain = all.find("smt_gain_percent"))
    found.smt_gain_percent =
        gain->whole(0, 100 * static_cast<unsigned>(std::max<std::size_t>(found.threads_a_core, 2) - 1));
  lay_out(all, found);
  check_machine(file, found);
  add_distances(all, found);
  found.sources = value_sources(text);
  return found;
}

}  // namespace skua::simulator
