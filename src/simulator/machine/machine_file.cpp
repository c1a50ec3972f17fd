// Machine files: from JSON to a model. docs/machines.md describes them; what must hold for every model, whatever it comes
// from, is in check_machine.cpp.
#include <algorithm>
#include <iterator>

#include <nlohmann/json.hpp>

#include "base/json_part.hpp"
#include "simulator/machine/check_machine.hpp"
#include "simulator/machine/machine_costs.hpp"
#include "simulator/machine/machine_layout.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/value_sources.hpp"

namespace skua::simulator {

using base::json_part;

namespace {

/// As the files put it into words.
cache_content content_of(const std::string& words) {
  const auto says = [&](const char* word) { return words.find(word) != std::string::npos; };
  if (says("victim")) return cache_content::victim;
  if (says("exclusive of")) return cache_content::exclusive;
  return says("inclusive") && !says("non-inclusive") ? cache_content::inclusive : cache_content::independent;
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
                  "what divides the " + std::to_string(cores) + " cores of the machine");
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
      part.member("same_tile").refuse("given", "where there is an L2, which a tile shares");
    found.by_cache[1].modified = tile;
  }
  if (const auto remote = cycles_of(part, "remote_l2")) found.by_cache.back().modified = remote;
  found.same_package = cycles_of(part, "cross_ccd");
  for (const std::string_view key : hop_names) {
    const auto hop = cycles_of(part, key);
    if (!hop) break;  // without this one a farther one would stand in its place
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
  const std::string words = policy->text();
  if (words.starts_with("interleave")) return page_policy::interleave;
  if (words == "UMA") return page_policy::uniform;
  if (words != "first touch") policy->refuse("'" + words + "'", "first touch, interleave, UMA");
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
