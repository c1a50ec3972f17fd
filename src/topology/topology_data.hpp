// The facts behind a skua::topology, and the key to them for the files of this layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <skua/topology.hpp>

namespace skua {

namespace detail {
// Maximum number of CPUs of a machine, as in Linux. hwloc takes more than a minute to build a machine with 65536 CPUs.
inline constexpr std::size_t max_cpus = 8192;

/// One data cache of the machine, with the CPUs under it that this process may use.
struct cache_facts {
  unsigned level;       // 1 is nearest to the core
  std::uint64_t bytes;  // 0: not reported
  unsigned line;        // bytes; 0: not reported
  int ways;             // 0: not reported, -1: fully associative
  bool inclusive;       // it contains all lines of the smaller caches under it, as the machine reports
  std::vector<std::uint32_t> cpus;  // operating-system indices, ascending
};
}  // namespace detail

struct topology::data {
  std::string source;
  bool is_host = false;
  std::string processor;
  double cpu_quota = std::numeric_limits<double>::infinity();
  std::vector<std::string> warnings;

  std::size_t packages = 0;
  std::size_t numa_nodes = 0;
  std::size_t cores =
      0;  // as the machine reports them; core_list also has an entry for each CPU without a core
  std::size_t pus = 0;
  std::size_t kinds = 1;
  std::vector<core_info> core_list;
  std::vector<std::uint32_t> shared_cache;  // by core: equal for cores that share a cache below the domain's
  std::vector<std::uint32_t> numa_distances;  // numa_nodes x numa_nodes; empty: not reported
  std::vector<double> measured;               // nanoseconds, by core x core; empty: not measured

  std::string domain_kind = "machine";
  std::size_t domain_cache_bytes = 0;
  std::vector<std::string> domain_caches;  // by domain: "L3 32 MB"; empty for a domain without a cache

  std::vector<detail::cache_facts> caches;  // by level, then in the order of the machine
  double gigahertz = 0;                     // maximum of its best cores; 0: not reported
};

struct topology_access {
  static topology make(topology::data facts) {
    return topology(std::make_shared<const topology::data>(std::move(facts)));
  }
  static const topology::data& facts(const topology& machine) { return *machine.facts_; }
};

}  // namespace skua
