#include "simulator/machine_model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "simulator/json_part.hpp"
#include "simulator/known_machines.hpp"
#include "topology/nearest_name.hpp"

namespace skua::simulator {

namespace {

constexpr std::uint64_t most_threads = 4096, most_cycles = 1'000'000;

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
  const cache_model cache{.level = part.member("level").whole(1, 4),
                          .bytes = part.member("size_kb").whole_number(1, 1 << 24) * 1024,
                          .line = part.member("line").whole(16, 1024),
                          .ways = part.member("ways").whole(1, 1024),
                          .latency = part.member("latency_cycles").whole(1, most_cycles),
                          .cores = part.member("shared_by_cores").whole<std::size_t>(1, cores),
                          .content = content_of(part.member("policy").text())};
  if (!std::has_single_bit(cache.line))
    part.member("line").refuse(std::to_string(cache.line), "powers of two");
  if (cache.sets() == 0 || cache.bytes % (std::uint64_t{cache.line} * cache.ways) != 0)
    part.member("size_kb").refuse(std::to_string(cache.bytes / 1024), "a multiple of line times ways");
  return cache;
}

std::vector<cache_model> caches_of(const json_part& part, std::uint64_t cores) {
  std::vector<cache_model> caches;
  for (const json_part& one : part.list()) {
    caches.push_back(cache_of(one, cores));
    const std::size_t level = caches.size();
    if (caches.back().level != level)
      one.member("level").refuse(std::to_string(caches.back().level),
                                 std::to_string(level) + ", in this place");
    if (level > 1 && caches[level - 2].cores > caches.back().cores)
      one.member("shared_by_cores")
          .refuse(std::to_string(caches.back().cores),
                  std::to_string(caches[level - 2].cores) + " or more, as of the smaller cache");
  }
  return caches;
}

std::optional<unsigned> cycles_of(const json_part& part, std::string_view key) {
  const auto found = part.find(key);
  return found ? std::optional(found->whole(0, most_cycles)) : std::nullopt;
}

transfer_model transfers_of(const json_part& part, const std::vector<cache_model>& caches) {
  static constexpr std::string_view keys[] = {"smt_sibling",   "same_tile",        "same_l2_modified",
                                              "same_l2_clean", "same_l3_modified", "same_l3_clean",
                                              "remote_l2",     "two_transfers",    "near_100_at_64_128_cores",
                                              "cross_ccd",     "cross_package",    "one_hop",
                                              "two_hop",       "three_hop",        "four_hop",
                                              "atomic_extra",  "upgrade_shared"};
  part.allow_only(keys);
  transfer_model found;
  found.same_core = cycles_of(part, "smt_sibling");
  for (const cache_model& cache : caches) {
    const std::string level = "same_l" + std::to_string(cache.level);
    found.by_cache.push_back({cycles_of(part, level + "_modified"), cycles_of(part, level + "_clean")});
  }
  if (const auto tile = cycles_of(part, "same_tile")) found.by_cache.at(1).modified = tile;
  if (const auto remote = cycles_of(part, "remote_l2")) found.by_cache.back().modified = remote;
  found.same_package = cycles_of(part, "cross_ccd");
  for (const char* key : {"one_hop", "two_hop", "three_hop", "four_hop"}) {
    const auto hop = cycles_of(part, key);
    if (!hop) break;  // without this one a farther one would stand in its place
    found.by_hops.push_back(*hop);
  }
  if (const auto bus = cycles_of(part, "cross_package")) found.by_hops = {*bus};
  found.atomic_extra = cycles_of(part, "atomic_extra").value_or(0);
  found.upgrade = cycles_of(part, "upgrade_shared").value_or(0);
  return found;
}

memory_model memory_of(const json_part& part) {
  static constexpr std::string_view keys[] = {"latency_cycles_by_hop",
                                              "channels_per_node",
                                              "controllers",
                                              "peak_bytes_per_cycle",
                                              "sustained_bytes_per_cycle",
                                              "per_ccd_read_bytes_per_cycle",
                                              "per_ccd_write_bytes_per_cycle",
                                              "jitter"};
  part.allow_only(keys);
  memory_model found;
  for (const json_part& hop : part.member("latency_cycles_by_hop").list())
    found.latency_by_hops.push_back(hop.whole(1, most_cycles));
  found.bytes_a_cycle = part.member("sustained_bytes_per_cycle").number(0.01, 1e6);
  return found;
}

std::vector<std::vector<unsigned>> hops_of(const std::optional<json_part>& part, std::size_t packages) {
  std::vector<std::vector<unsigned>> hops(packages, std::vector<unsigned>(packages, 0));
  if (!part) {
    for (std::size_t i = 0; i < packages; ++i)
      for (std::size_t j = 0; j < packages; ++j) hops[i][j] = i != j;
    return hops;
  }
  const auto rows = part->list();
  const auto check = [&](const json_part& list, std::size_t length) {
    if (length != packages)
      list.refuse(std::to_string(length) + " long", std::to_string(packages) + ", one for each socket");
  };
  check(*part, rows.size());
  for (std::size_t i = 0; i < packages; ++i) {
    const auto row = rows[i].list();
    check(rows[i], row.size());
    for (std::size_t j = 0; j < packages; ++j) hops[i][j] = row[j].whole(i == j ? 0 : 1, i == j ? 0 : 16);
  }
  return hops;
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

/// Transfers, and latencies where memory is not the same for all, must know the longest way.
void check_hops(const json_part& all, const machine_model& found) {
  unsigned farthest = 0;
  for (const auto& row : found.hops) farthest = std::max(farthest, *std::ranges::max_element(row));
  const auto check = [&](const json_part& part, std::size_t hops) {
    if (hops < farthest)
      part.refuse("for " + std::to_string(hops) + " hops",
                  "for " + std::to_string(farthest) + " or more, as in interconnect.hops");
  };
  check(all.member("line_transfer_cycles"), found.transfers.by_hops.size());
  if (found.nodes > 1)
    check(all.member("memory").member("latency_cycles_by_hop"), found.memory.latency_by_hops.size() - 1);
}

void check_counts(const json_part& all, const machine_model& found) {
  const std::size_t pus = found.machine.pus();
  if (pus != found.threads())
    all.member("synthetic")
        .refuse("a machine of " + std::to_string(pus) + " threads",
                std::to_string(found.threads()) + ", as sockets, cores and smt say");
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
                                              "core",
                                              "caches",
                                              "coherence",
                                              "line_transfer_cycles",
                                              "memory",
                                              "interconnect",
                                              "substrates",
                                              "os",
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
      packages * all.member("cores_per_socket").whole<std::size_t>(1, most_threads / packages);
  std::vector<cache_model> caches = caches_of(all.member("caches"), cores);
  transfer_model transfers = transfers_of(all.member("line_transfer_cycles"), caches);
  const auto interconnect = all.find("interconnect");
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
                      .pages = pages_of(all)};
  check_hops(all, found);
  check_counts(all, found);
  return found;
}

std::vector<std::string_view> known_machines() {
  std::vector<std::string_view> names;
  for (const known_machine& one : all_known_machines) names.push_back(one.name);
  return names;
}

machine_model find_machine(const std::string& name_or_file) {
  for (const known_machine& one : all_known_machines)
    if (one.name == name_or_file) return parse_machine(name_or_file, one.text);
  if (std::ifstream file(name_or_file); file && name_or_file.ends_with(".json"))
    return parse_machine(name_or_file, std::string(std::istreambuf_iterator<char>(file), {}));
  const std::vector<std::string_view> names = known_machines();
  throw bad_input("machine '" + name_or_file + "' does not exist; allowed: a .json file, " +
                  skua::detail::list_of_names(names) +
                  "; nearest: " + std::string(skua::detail::nearest_name(name_or_file, names)));
}

}  // namespace skua::simulator
