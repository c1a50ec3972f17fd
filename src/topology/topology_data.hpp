// The data of a skua::topology, and access to it for the files of this layer.
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
// The maximum for which Linux can be built. hwloc takes more than a minute to build a machine of 65536.
inline constexpr std::size_t max_cpus = 8192;

/// One data cache of the machine, and our CPUs under it.
struct cache_facts {
  unsigned level;                   // 1 is nearest to the core
  std::uint64_t bytes;              // 0: not known
  unsigned line;                    // bytes; 0: not known
  int ways;                         // 0: not known; -1: fully associative
  bool inclusive;                   // contains everything that the smaller caches under it contain
  std::vector<std::uint32_t> cpus;  // operating-system indices, ascending
};
}  // namespace detail

struct topology::data {
  std::string source;
  bool is_host = false;
  std::string processor;
  double cpu_quota = std::numeric_limits<double>::infinity();
  sequence<std::string> warnings;

  std::size_t packages = 0;
  std::size_t numa_nodes = 0;
  std::size_t cores =
      0;  // as the machine lists them; core_list also has an entry for each CPU without a core
  std::size_t pus = 0;
  std::size_t kinds = 1;
  std::vector<core_info> core_list;
  std::vector<std::uint32_t>
      shared_cache;  // by core: equal for cores that share a cache smaller than the domain's
  std::vector<std::uint32_t> numa_distances;  // numa_nodes x numa_nodes; empty: not known
  std::vector<double> measured;               // nanoseconds, core x core; empty without a measurement

  std::string domain_kind = "machine";
  std::size_t domain_cache_bytes = 0;
  std::vector<std::string> domain_caches;  // by domain: "L3 32 MB"; empty for a domain without a shared cache

  std::vector<detail::cache_facts> caches;  // by level, then in the order of the machine
  double gigahertz = 0;                     // maximum of its fastest cores; 0: not known
};

struct topology_access {
  static topology make(topology::data facts) {
    return topology(std::make_shared<const topology::data>(std::move(facts)));
  }
  static const topology::data& facts(const topology& machine) { return *machine.facts_; }
};

}  // namespace skua
