// Makes a model of any topology: what hwloc reports, and the defaults of assumptions.hpp for the rest.
#include <algorithm>
#include <bit>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "topology/topology_data.hpp"

namespace skua::simulator {

namespace {

// ---- hops from NUMA distances. Firmware reports 10 for the own node and larger numbers for others; only their order matters.

struct numa_hops {
  std::vector<std::vector<unsigned>> packages;  // 0 within a package, 1 to the nearest other one
  std::vector<std::vector<unsigned>> nodes;     // 0 to the node itself, 1 to the nearest other one
  std::vector<std::uint32_t>
      distances;  // by hops between nodes, 10 for 0 hops: the minimum of distances that count as equal
};

using matrix = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t own_node = 10, max_distance = 10'000;

matrix by_default(const machine_model& model) {
  matrix distances(model.nodes, std::vector<std::uint32_t>(model.nodes, defaults::other_package));
  for (const hardware_thread& a : model.hardware)
    for (const hardware_thread& b : model.hardware)
      if (a.package == b.package)
        distances[a.node][b.node] = a.node == b.node ? own_node : defaults::same_package_other_node;
  return distances;
}

/// The distances between the model's nodes, scaled to 10 for the nearest, because some machines report nanoseconds. The
/// longer direction counts, as in the choice of victims.
matrix distances_of(const machine_model& model) {
  const topology::data& facts = topology_access::facts(model.machine);
  if (facts.numa_distances.empty()) return by_default(model);
  std::vector<std::uint32_t> node(model.nodes);  // as the topology numbers them
  for (const core_info& core : model.machine.core_list())
    node[model.hardware[model.thread_on(core.pus.front())].node] = core.numa_node;
  const auto between = [&](std::size_t i, std::size_t j) -> std::uint64_t {
    return std::max(model.machine.numa_distance(node[i], node[j]),
                    model.machine.numa_distance(node[j], node[i]));
  };
  std::uint64_t own = max_distance;
  for (std::size_t i = 0; i < model.nodes; ++i) own = std::clamp<std::uint64_t>(between(i, i), 1, own);
  matrix distances(model.nodes, std::vector<std::uint32_t>(model.nodes));
  for (std::size_t i = 0; i < model.nodes; ++i)
    for (std::size_t j = 0; j < model.nodes; ++j)
      distances[i][j] = static_cast<std::uint32_t>(
          std::clamp<std::uint64_t>(between(i, j) * 10 / own, own_node, max_distance));
  return distances;
}

/// The minimum distance of each number of hops, from 1 hop on.
std::vector<std::uint32_t> steps_of(const matrix& distances) {
  std::vector<std::uint32_t> all, steps;
  for (std::size_t i = 0; i < distances.size(); ++i)
    for (std::size_t j = 0; j < distances.size(); ++j)
      if (i != j) all.push_back(distances[i][j]);
  std::ranges::sort(all);
  for (const std::uint32_t distance : all)
    if (steps.empty() || (distance * 100ull > steps.back() * (100ull + defaults::same_distance_percent) &&
                          steps.size() < max_hops))
      steps.push_back(distance);
  return steps;
}

std::vector<std::vector<unsigned>> hops_of(const matrix& distances, const std::vector<std::uint32_t>& steps) {
  std::vector<std::vector<unsigned>> hops(distances.size(), std::vector<unsigned>(distances.size(), 0));
  for (std::size_t i = 0; i < distances.size(); ++i)
    for (std::size_t j = 0; j < distances.size(); ++j)
      if (i != j)
        hops[i][j] = static_cast<unsigned>(std::ranges::upper_bound(steps, distances[i][j]) - steps.begin());
  return hops;
}

/// The nearest nodes of two packages determine their distance. Packages that share a node and packages without threads
/// count as nearest.
matrix between_packages(const machine_model& model, const matrix& nodes) {
  constexpr std::uint32_t unknown = ~std::uint32_t{0};
  matrix packages(model.packages, std::vector<std::uint32_t>(model.packages, unknown));
  std::uint32_t nearest = unknown;
  for (const hardware_thread& a : model.hardware)
    for (const hardware_thread& b : model.hardware) {
      if (a.package == b.package || a.node == b.node) continue;
      std::uint32_t& found = packages[a.package][b.package];
      found = std::min(found, nodes[a.node][b.node]);
      nearest = std::min(nearest, found);
    }
  for (auto& row : packages)
    for (std::uint32_t& distance : row)
      if (distance == unknown) distance = nearest == unknown ? defaults::other_package : nearest;
  return packages;
}

/// The model must have its hardware threads. Without distances all other nodes are one hop away.
numa_hops hops_by_distance(const machine_model& model) {
  const matrix nodes = distances_of(model), packages = between_packages(model, nodes);
  const std::vector<std::uint32_t> steps = steps_of(nodes);
  numa_hops found{hops_of(packages, steps_of(packages)), hops_of(nodes, steps), {own_node}};
  found.distances.insert(found.distances.end(), steps.begin(), steps.end());
  return found;
}

// ---- caches

constexpr int max_ways = 1024;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 34;

struct cache_level_facts {
  std::vector<cache_instance> instances;
  bool inclusive = false;                // as the machine reports of the first
  std::string size_source, ways_source;  // of the first: "hwloc" or "default"
};

using facts_by_level = std::map<unsigned, std::vector<detail::cache_facts>>;

class level_builder {
 public:
  explicit level_builder(const machine_model& model) : model_(model) {
    for (const detail::cache_facts& cache : topology_access::facts(model.machine).caches)
      named_[cache.level].push_back(cache);
    for (const unsigned always : {1u, 2u}) named_[always];
    line_ = line_of(named_);
  }

  std::vector<cache_level_facts> levels() const {
    std::vector<cache_level_facts> found;
    for (const auto& [level, caches] : named_) {
      if (found.size() == std::size(defaults::caches)) break;
      cache_level_facts next;
      for (const detail::cache_facts& cache : caches) add(next, found.size(), cache);
      if (found.size() < 2) complete(next, found.empty() ? nullptr : &found.front(), found.size());
      found.push_back(std::move(next));
    }
    return found;
  }

 private:
  /// The line size of the smallest cache whose line size is known.
  static unsigned line_of(const facts_by_level& named) {
    for (const auto& [level, caches] : named)
      for (const detail::cache_facts& cache : caches)
        if (cache.line >= 16 && cache.line <= 1024 && std::has_single_bit(cache.line)) return cache.line;
    return defaults::line;
  }

  void add(cache_level_facts& level, std::size_t place, const detail::cache_facts& cache) const {
    const defaults::cache_default& default_value = defaults::caches[place];
    const bool sized = cache.bytes >= line_ && cache.bytes <= max_bytes;
    const std::uint64_t lines = (sized ? cache.bytes : default_value.bytes) / line_;
    // The number of ways must divide the size, so the next smaller divisor is taken.
    std::uint64_t ways =
        cache.ways == 0 ? default_value.ways : static_cast<unsigned>(cache.ways < 0 ? max_ways : cache.ways);
    ways = std::min({ways, lines, std::uint64_t{max_ways}});
    while (lines % ways != 0) --ways;
    if (level.instances.empty()) {
      level.inclusive = cache.inclusive;
      level.size_source = sized ? "hwloc" : "default";
      level.ways_source = cache.ways == 0 ? "default" : "hwloc";
    }
    level.instances.push_back({lines * line_, line_, static_cast<unsigned>(ways), threads_on(cache.cpus)});
  }

  std::vector<std::uint32_t> threads_on(const std::vector<std::uint32_t>& cpus) const {
    std::vector<std::uint32_t> threads;
    for (const std::uint32_t cpu : cpus) threads.push_back(static_cast<std::uint32_t>(model_.thread_on(cpu)));
    std::ranges::sort(threads);
    return threads;
  }

  /// Threads without this cache get one. Those that share the next smaller cache share it; of the first level, those of
  /// a core do.
  void complete(cache_level_facts& level, const cache_level_facts* smaller, std::size_t place) const {
    std::vector<bool> has(model_.threads());
    for (const cache_instance& one : level.instances)
      for (const std::uint32_t thread : one.threads) has[thread] = true;
    std::vector<std::vector<std::uint32_t>> cpus(smaller ? smaller->instances.size() : model_.cores);
    for (std::uint32_t thread = 0; thread < model_.threads(); ++thread)
      if (!has[thread])
        cpus[smaller ? instance_in(*smaller, thread) : model_.hardware[thread].core].push_back(
            model_.hardware[thread].cpu);
    for (auto& together : cpus)
      if (!together.empty())
        add(level, place,
            {.level = 0, .bytes = 0, .line = 0, .ways = 0, .inclusive = false, .cpus = std::move(together)});
  }

  static std::size_t instance_in(const cache_level_facts& level, std::uint32_t thread) {
    return static_cast<std::size_t>(
        std::ranges::find_if(
            level.instances,
            [&](const cache_instance& one) { return std::ranges::binary_search(one.threads, thread); }) -
        level.instances.begin());
  }

  const machine_model& model_;
  facts_by_level named_;
  unsigned line_;
};

/// The caches that hwloc names, completed: every thread has an L1 and an L2, and all sizes are possible. The smallest
/// level comes first. The model must have its hardware threads.
std::vector<cache_level_facts> cache_levels_of(const machine_model& model) {
  return level_builder(model).levels();
}

// ---- the model

std::string text_of(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}
std::string text_of(std::uint64_t number) { return std::to_string(number); }

std::string text_of(const std::vector<std::vector<unsigned>>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += text.empty() ? "[[" : ",[";
    for (const unsigned& cell : row) text.append(&cell == row.data() ? "" : ",").append(std::to_string(cell));
    text += "]";
  }
  return text + "]";
}

class builder {
 public:
  explicit builder(const topology& machine) : model_(counted(machine)) {}

  machine_model build() {
    count();
    add_caches();
    add_hops();
    add_transfers();
    add_memory();
    check_machine(model_.machine.source(), model_);
    return std::move(model_);
  }

 private:
  static constexpr const char *hwloc = "hwloc", *by_default = "default";

  static machine_model counted(const topology& machine) {
    check_threads(machine.source(), machine.pus());
    const double gigahertz = topology_access::facts(machine).gigahertz;
    const std::string source(machine.source());
    machine_model model{
        .name = source.ends_with(".xml") ? std::filesystem::path(source).stem().string() : source,
        .title = std::string(machine.processor().empty() ? machine.source() : machine.processor()),
        .ghz = gigahertz >= 0.1 && gigahertz <= 20 ? gigahertz : defaults::gigahertz,
        .machine = machine,
        .packages = std::max<std::size_t>(1, machine.packages()),
        .nodes = 0,
        .cores = machine.core_list().size(),
        .threads_a_core = 0,
        .caches = {},
        .transfers = {},
        .memory = {},
        .hops = {},
        .link_bytes_a_cycle = {},
        .pages = page_policy::first_touch,
        .hardware = hardware_of(machine)};
    for (const core_info& core : machine.core_list())
      model.threads_a_core = std::max(model.threads_a_core, core.pus.size());
    for (const hardware_thread& thread : model.hardware)
      model.nodes = std::max<std::size_t>(model.nodes, thread.node + 1);
    return model;
  }

  template <class Value>
  void note(std::string name, const Value& value, const char* source) {
    model_.sources.push_back({std::move(name), text_of(value), source});
  }

  void count() {
    note("freq_ghz", model_.ghz,
         topology_access::facts(model_.machine).gigahertz == model_.ghz ? hwloc : by_default);
    note("sockets", model_.packages, model_.machine.packages() > 0 ? hwloc : by_default);
    note("cores", model_.cores, hwloc);
    note("smt", model_.threads_a_core, hwloc);
    if (model_.threads_a_core > 1)
      note("smt_gain_percent", std::uint64_t{model_.smt_gain_percent}, by_default);
    note("numa_nodes", model_.nodes, model_.machine.numa_nodes() > 0 ? hwloc : by_default);
  }

  void add_caches() {
    cache_instances instances;
    for (cache_level_facts& level : cache_levels_of(model_)) {
      const std::size_t place = model_.caches.size();
      const cache_instance& first = level.instances.front();
      model_.caches.push_back(
          {.level = static_cast<unsigned>(place + 1),
           .bytes = first.bytes,
           .line = first.line,
           .ways = first.ways,
           .latency = defaults::caches[place].latency,
           .cores = max_cores(level),
           .content = level.inclusive && place > 0 ? cache_content::inclusive : cache_content::independent});
      note_cache(model_.caches.back(), level);
      instances.push_back(std::move(level.instances));
    }
    set_instances(model_, std::move(instances));
  }

  std::size_t max_cores(const cache_level_facts& level) const {
    std::size_t max = 0;
    for (const cache_instance& one : level.instances) {
      std::vector<std::uint32_t> cores;
      for (const std::uint32_t thread : one.threads) cores.push_back(model_.hardware[thread].core);
      max = std::max<std::size_t>(
          max, static_cast<std::size_t>(std::ranges::unique(cores).begin() - cores.begin()));
    }
    return max;
  }

  void note_cache(const cache_model& cache, const cache_level_facts& level) {
    const std::string name = "caches[" + std::to_string(cache.level - 1) + "].";
    note(name + "size_kb", cache.bytes / 1024, level.size_source.c_str());
    note(name + "line", std::uint64_t{cache.line}, level.size_source.c_str());
    note(name + "ways", std::uint64_t{cache.ways}, level.ways_source.c_str());
    note(name + "shared_by_cores", cache.cores, level.size_source.c_str());
    note(name + "latency_cycles", std::uint64_t{cache.latency}, by_default);
    model_.sources.push_back({name + "policy",
                              cache.content == cache_content::inclusive ? "inclusive" : "independent",
                              cache.content == cache_content::inclusive ? hwloc : by_default});
  }

  void add_hops() {
    numa_hops found = hops_by_distance(model_);
    const char* const source = model_.nodes > 1 ? "hwloc, by the order of its NUMA distances" : by_default;
    model_.hops = std::move(found.packages);
    model_.node_hops = std::move(found.nodes);
    if (model_.packages > 1) note("interconnect.hops", model_.hops, source);
    for (const std::uint32_t distance : found.distances)
      model_.memory.latency_by_hops.push_back(defaults::memory_latency + defaults::memory_latency *
                                                                             defaults::percent_of_distance *
                                                                             (distance - 10) / 1000);
    for (std::size_t i = 0; i < model_.memory.latency_by_hops.size(); ++i)
      note("memory.latency_cycles_by_hop[" + std::to_string(i) + "]",
           std::uint64_t{model_.memory.latency_by_hops[i]}, by_default);
  }

  void add_transfers() {
    transfer_model& transfers = model_.transfers;
    const auto set = [&](const std::string& key, unsigned cycles) {
      note("line_transfer_cycles." + key, std::uint64_t{cycles}, by_default);
      return cycles;
    };
    if (model_.threads_a_core > 1) transfers.same_core = set("smt_sibling", defaults::same_core);
    for (const cache_model& cache : model_.caches) {
      transfers.by_cache.emplace_back();
      if (cache.cores == 1) continue;
      const std::string level = "same_l" + std::to_string(cache.level);
      transfers.by_cache.back().clean = set(level + "_clean", cache.latency);
      transfers.by_cache.back().modified =
          set(level + "_modified",
              std::max(transfers.same_core.value_or(0), cache.latency * defaults::modified_times_hit));
    }
    if (!packages_share_a_cache(model_)) transfers.same_package = set("cross_ccd", same_package());
    unsigned farthest = 0;
    for (const auto& row : model_.hops) farthest = std::max(farthest, *std::ranges::max_element(row));
    for (unsigned hop = 0; hop < farthest; ++hop)
      transfers.by_hops.push_back(
          set(hop < std::size(hop_names) ? std::string(hop_names[hop]) : std::to_string(hop + 1) + " hops",
              std::max(same_package(), defaults::first_hop) + hop * defaults::further_hop));
    transfers.upgrade =
        set("upgrade_shared", model_.packages > 1 ? defaults::upgrade_across : defaults::upgrade_within);
    transfers.atomic_extra = set("atomic_extra", defaults::atomic_extra);
  }

  /// At least as far as any cache that cores of the package share.
  unsigned same_package() const {
    unsigned min = defaults::same_package;
    for (const transfer_model::in_cache& cache : model_.transfers.by_cache)
      min = std::max(min, cache.modified.value_or(0));
    return min;
  }

  void add_memory() {
    const std::size_t tenths = std::max<std::size_t>(
        defaults::min_tenths_of_bytes, defaults::tenths_of_bytes_a_core * model_.cores / model_.nodes);
    model_.memory.bytes_a_cycle = static_cast<double>(tenths) / 10;
    note("memory.sustained_bytes_per_cycle", model_.memory.bytes_a_cycle, by_default);
    model_.memory.misses_at_once = defaults::misses_at_once;
    note("memory.misses_at_once", std::uint64_t{defaults::misses_at_once}, by_default);
    if (model_.packages > 1) {
      model_.link_bytes_a_cycle = static_cast<double>(tenths * defaults::link_percent / 100) / 10;
      note("interconnect.link_bytes_per_cycle", *model_.link_bytes_a_cycle, by_default);
    }
    model_.sources.push_back({"os.page_policy", "first touch", by_default});
  }

  machine_model model_;
};

}  // namespace

machine_model model_of(const topology& machine) { return builder(machine).build(); }

}  // namespace skua::simulator
