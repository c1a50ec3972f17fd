// The text of the machine file of a calibration.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/calibrate/calibrate.hpp"
#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/memory/memory_system.hpp"

namespace skua::cli {
namespace {

using json = nlohmann::ordered_json;
using simulator::cache_model;
using simulator::machine_model;

constexpr const char *by_measurement = "measured", *by_default = "default, not measured";

json value(const json& number, const std::string& source) { return {{"v", number}, {"src", source}}; }
double rounded(double number) { return std::round(number * 100) / 100; }
template <class T>
json measured(T number) {
  return value(number, by_measurement);
}

class writer {
 public:
  writer(const machine_model& host, const calibration& found)
      : host_(host), found_(found), cycle_(found.memory.cycle_ns) {
    const std::size_t last = host.caches.size() - 1;
    const auto transfer = between(
        [&](std::size_t a, std::size_t b) { return host.instance_of(last, a) == host.instance_of(last, b); },
        0);
    last_is_shared_ = !transfer || *transfer < cycles(found.memory.miss_ns);
  }

  std::string text() const {
    json all = {{"name", "this-machine"},
                {"title", host_.title + ", calibrated"},
                {"provenance_key", "measured by `skua calibrate`; hwloc; default, not measured"},
                {"freq_ghz", measured(rounded(1 / cycle_))},
                {"sockets", host_.packages},
                {"cores_per_socket", host_.cores / host_.packages},
                {"smt", host_.threads_a_core},
                {"numa_nodes", host_.nodes},
                {"synthetic", synthetic()}};
    all["caches"] = caches();
    all["line_transfer_cycles"] = transfers();
    all["memory"] = memory();
    if (host_.packages > 1) {
      all["interconnect"]["hops"] = host_.hops;
      if (host_.link_bytes_a_cycle)
        all["interconnect"]["link_bytes_per_cycle"] = value(*host_.link_bytes_a_cycle, by_default);
    }
    all["os"]["page_policy"] = host_.nodes > 1 ? "first touch" : "UMA";
    for (const simulator::named_cost& cost : simulator::kernel_costs)
      all["os"][cost.name] = measured(found_.runtime.*cost.value);
    for (const simulator::named_cost& cost : simulator::cycle_costs)
      if (cost.value != &simulator::runtime_costs::step_cycles)
        all["runtime"][cost.name] = measured(found_.runtime.*cost.value);
    return all.dump(1) + "\n";
  }

 private:
  /// The number of cores that share a cache. hwloc repeats what a hypervisor says, which may be wrong. Cores share the last
  /// cache only if they pass a line faster than memory does.
  std::size_t sharers(std::size_t level) const {
    return level + 1 < host_.caches.size() || last_is_shared_
               ? host_.caches[level].cores
               : host_.caches[std::max<std::size_t>(level, 1) - 1].cores;
  }

  unsigned cycles(double ns) const { return static_cast<unsigned>(std::max(1L, std::lround(ns / cycle_))); }

  std::string synthetic() const {
    std::string text = host_.nodes == 1 ? "[numa] " : "";
    text += fmt::format("package:{} ", host_.packages);
    if (host_.nodes > 1) text += "[numa] ";
    std::size_t outer = host_.packages;  // the number of objects at the next outer level
    for (std::size_t level = host_.caches.size(); level-- > 0;) {
      const std::size_t count = host_.cores / sharers(level);
      text +=
          fmt::format("l{}{}:{}(size={}) ", level + 1, level == 0 ? "d" : "", count / outer, bytes(level));
      outer = count;
    }
    return text + fmt::format("core:{} pu:{}", host_.cores / outer, host_.threads_a_core);
  }

  /// For the last level, the part that was available, in whole sets.
  std::uint64_t bytes(std::size_t level) const {
    const cache_model& cache = host_.caches[level];
    if (level + 1 < host_.caches.size()) return cache.bytes;
    const std::uint64_t unit = std::uint64_t{cache.line} * cache.ways * 16;
    return std::max(unit, found_.memory.last_cache_bytes / unit * unit);
  }

  std::string source_of_size(std::size_t level) const {
    const std::uint64_t bytes_of_hwloc = host_.caches[level].bytes,
                        tried = found_.memory.last_cache_tried_bytes;
    if (bytes(level) == bytes_of_hwloc) return "hwloc";
    if (tried == bytes_of_hwloc) return "measured; other programs use the rest";
    return fmt::format("measured up to {} KB of {} KB", tried / 1024, bytes_of_hwloc / 1024);
  }

  unsigned hit(std::size_t level) const {
    unsigned latency = 1;
    for (std::size_t l = 0; l <= level; ++l) latency = std::max(latency, cycles(found_.memory.hit_ns[l]));
    return latency;
  }

  json caches() const {
    json all = json::array();
    for (std::size_t level = 0; level < host_.caches.size(); ++level) {
      const cache_model& cache = host_.caches[level];
      json one = {
          {"level", cache.level},
          {"size_kb", value(bytes(level) / 1024, source_of_size(level))},
          {"line", cache.line},
          {"ways", cache.ways},
          {"latency_cycles", measured(hit(level))},
          {"shared_by_cores", sharers(level)},
          {"policy", cache.content == simulator::cache_content::inclusive ? "inclusive" : "independent"},
          {"src", "hwloc"}};
      all.push_back(std::move(one));
    }
    return all;
  }

  /// The median of all pairs of cores with `is(a, b)`; empty where there are none.
  template <class Is>
  std::optional<unsigned> between(Is is, unsigned min) const {
    std::vector<double> times;
    for (std::size_t a = 0; a < host_.threads(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const auto &one = host_.hardware[a], &other = host_.hardware[b];
        if (one.core != other.core && is(a, b))
          times.push_back(found_.transfer_ns[one.core * host_.cores + other.core]);
      }
    if (times.empty()) return std::nullopt;
    std::ranges::sort(times);
    return std::max(min, cycles(times[times.size() / 2]));
  }

  /// The same as machine_model::shared_level, which the library hides.
  std::size_t shared_level(std::size_t a, std::size_t b) const {
    std::size_t level = 0;
    while (level < host_.caches.size() && host_.instance_of(level, a) != host_.instance_of(level, b)) ++level;
    return level + 1 == host_.caches.size() && !last_is_shared_ ? level + 1 : level;
  }

  json transfers() const {
    json all = json::object();
    unsigned min = hit(0);
    const auto add = [&](const std::string& key, auto is) {
      if (const auto found = between(is, min)) all[key] = measured(min = *found);
    };
    if (host_.threads_a_core > 1 && host_.transfers.same_core)
      all["smt_sibling"] = value(min = std::max(min, *host_.transfers.same_core), by_default);
    for (std::size_t level = 0; level < host_.caches.size(); ++level) {
      min = std::max(min, hit(level));
      add(fmt::format("same_l{}_modified", level + 1),
          [&](std::size_t a, std::size_t b) { return shared_level(a, b) == level; });
    }
    const auto apart = [this](std::size_t a, std::size_t b) {
      return host_.hops[host_.hardware[a].package][host_.hardware[b].package];
    };
    add("cross_ccd", [&](std::size_t a, std::size_t b) {
      return apart(a, b) == 0 && shared_level(a, b) == host_.caches.size();
    });
    for (std::size_t hop = 0; hop < std::size(simulator::hop_names); ++hop)
      add(std::string(simulator::hop_names[hop]),
          [&](std::size_t a, std::size_t b) { return apart(a, b) == hop + 1; });
    all["upgrade_shared"] = value(min, "as the farthest transfer");
    return all;
  }

  json memory() const {
    const measured_memory& m = found_.memory;
    const auto& by_default_hops = host_.memory.latency_by_hops;
    const unsigned near = std::max(cycles(m.miss_ns), hit(host_.caches.size() - 1));
    json latencies = json::array({measured(near)});
    for (std::size_t hop = 1; hop < by_default_hops.size(); ++hop)
      latencies.push_back(value(near + by_default_hops[hop] - by_default_hops[0], by_default));
    const double line = host_.caches.front().line;
    const double of_one = line * cycle_ / m.line_ns;
    const double of_all = line * cycle_ / m.line_ns_together * static_cast<double>(host_.cores);
    const double in_flight = m.miss_ns / m.line_ns;
    const auto at_once = static_cast<unsigned>(std::lround(m.miss_ns / m.independent_miss_ns));
    return {{"latency_cycles_by_hop", latencies},
            {"sustained_bytes_per_cycle",
             measured(rounded(std::max(of_one, of_all) / static_cast<double>(host_.nodes)))},
            {"misses_at_once", measured(std::clamp(at_once, 1u, simulator::max_misses_at_once))},
            {"core_bytes_per_cycle", measured(rounded(of_one))},
            {"lines_ahead", measured(std::clamp(static_cast<unsigned>(std::lround(in_flight)), 1u,
                                                simulator::max_lines_ahead))},
            {"prefetch_crosses_pages", measured(m.line_ns_shuffled > 1.25 * m.line_ns)},
            {"overlap_percent", measured(std::lround(100 * m.overlap))}};
  }

  const machine_model& host_;
  const calibration& found_;
  double cycle_;
  bool last_is_shared_ = true;
};

}  // namespace

void check_regular(const machine_model& host) {
  const auto refuse = [](const std::string& why) {
    throw bad_input(
        fmt::format("a machine file cannot describe this machine: {}; allowed: packages, cores and caches "
                    "that are all equal; "
                    "nearest: its hwloc XML, from lstopo",
                    why));
  };
  if (host.threads() != host.cores * host.threads_a_core)
    refuse("its cores have different numbers of threads");
  if (host.cores % host.packages != 0) refuse("its packages have different numbers of cores");
  if (host.nodes != 1 && host.nodes != host.packages)
    refuse("it has neither one memory node nor one per package");
  for (std::size_t level = 0; level < host.caches.size(); ++level)
    if (host.instances[level].size() * host.caches[level].cores != host.cores)
      refuse(fmt::format("its L{} are shared by different numbers of cores", level + 1));
}

std::string machine_text(const machine_model& host, const calibration& measured) {
  return writer(host, measured).text();
}

std::string unmeasured_part(const machine_model& host, const measured_memory& found) {
  const cache_model& last = host.caches.back();
  if (found.last_cache_tried_bytes == last.bytes) return "";
  const auto mb = [](std::uint64_t bytes) { return (bytes + (1 << 19)) >> 20; };
  return fmt::format(
      "the L{} has {} MB and was measured up to {} MB, in {} MB of memory: more memory is not available, or "
      "would take minutes",
      last.level, mb(last.bytes), mb(found.last_cache_tried_bytes), mb(found.area_bytes));
}

}  // namespace skua::cli
