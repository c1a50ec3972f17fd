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
// Of a machine: as many as Linux can be built for. hwloc takes more than a minute to build one of 65536.
inline constexpr std::size_t max_cpus = 8192;

/// One cache of data of the machine, by the CPUs of ours under it.
struct cache_facts {
  unsigned level;                   // 1 is nearest to the core
  std::uint64_t bytes;              // 0 where the machine does not say
  unsigned line;                    // bytes; 0 where it does not say
  int ways;                         // 0 where it does not say, -1 for any line in any place
  bool inclusive;                   // as the machine says: it holds all that the smaller ones under it hold
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
      0;  // as the machine names them; core_list has an entry for each CPU without a core, too
  std::size_t pus = 0;
  std::size_t kinds = 1;
  std::vector<core_info> core_list;
  std::vector<std::uint32_t> shared_cache;  // by core: equal for cores that share a cache below the domain's
  std::vector<std::uint32_t> numa_distances;  // numa_nodes x numa_nodes; empty where the machine does not say
  std::vector<double> measured;               // nanoseconds, by core x core; empty where nothing was measured

  std::string domain_kind = "machine";
  std::size_t domain_cache_bytes = 0;
  std::vector<std::string> domain_caches;  // by domain: "L3 32 MB"; empty for one that no cache makes

  std::vector<detail::cache_facts> caches;  // by level, then in the order of the machine
  double gigahertz = 0;                     // the most that its best cores reach; 0 where it does not say
};

struct topology_access {
  static topology make(topology::data facts) {
    return topology(std::make_shared<const topology::data>(std::move(facts)));
  }
  static const topology::data& facts(const topology& machine) { return *machine.facts_; }
};

}  // namespace skua
