#include "topology/machine_facts.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <unordered_map>

namespace skua::detail {
namespace {

constexpr hwloc_obj_type_t cache_types[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                                            HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE};

std::vector<std::uint32_t> cpus_under(hwloc_obj_t part) {
  std::vector<std::uint32_t> cpus;
  for (int cpu = hwloc_bitmap_first(part->cpuset); cpu >= 0; cpu = hwloc_bitmap_next(part->cpuset, cpu))
    cpus.push_back(static_cast<std::uint32_t>(cpu));
  return cpus;
}

bool says_inclusive(hwloc_obj_t part) {
  const char* const word = hwloc_obj_get_info_by_name(part, "Inclusive");
  return word && std::string_view(word) == "1";
}

}  // namespace

bool is_cpu_cache(hwloc_obj_t part) {
  const bool memory_side = part->subtype && std::strcmp(part->subtype, "MemorySideCache") == 0;
  return hwloc_obj_type_is_dcache(part->type) && !memory_side;
}

std::vector<cache_facts> cpu_caches(hwloc_topology_t tree) {
  std::vector<cache_facts> caches;
  for (const hwloc_obj_type_t level : cache_types) {
    for (hwloc_obj_t part = nullptr; (part = hwloc_get_next_obj_by_type(tree, level, part));) {
      if (!is_cpu_cache(part) || hwloc_bitmap_iszero(part->cpuset)) continue;
      const auto& cache = part->attr->cache;
      caches.push_back({.level = cache.depth,
                        .bytes = cache.size,
                        .line = cache.linesize,
                        .ways = cache.associativity,
                        .inclusive = says_inclusive(part),
                        .cpus = cpus_under(part)});
    }
  }
  return caches;
}

namespace {

// Cores of a cluster share the tags of their part of the L3, so a line arrives from there sooner.
bool is_cluster(hwloc_obj_t part) {
  return part->type == HWLOC_OBJ_GROUP && part->subtype && std::strcmp(part->subtype, "Cluster") == 0;
}

// With at most one decimal: "512 KB", "32 MB", "97.5 MB".
std::string size_text(std::size_t bytes) {
  if (bytes < 1 << 20) return std::to_string(bytes >> 10) + " KB";
  const std::size_t tenths = (bytes * 10 + (1 << 19)) >> 20;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 > 0) text.append(".").append(std::to_string(tenths % 10));
  return text + " MB";
}

std::string set_text(hwloc_const_bitmap_t set) {
  char* raw = nullptr;
  if (hwloc_bitmap_list_asprintf(&raw, set) < 0) return {};
  std::string text(raw);
  std::free(raw);
  return text;
}

// The origin of a domain: a cache of the tree, or without one a name that its cores share.
struct maker {
  hwloc_obj_t cache = nullptr;
  std::string name;  // "NUMA node 0,4", "package 1", "machine"
  std::string kind;  // "L3", "NUMA node", "package", "machine"

  bool operator<(const maker& other) const {
    return cache != other.cache ? cache < other.cache : name < other.name;
  }
};

class domain_finder {
 public:
  explicit domain_finder(const std::vector<seat_core>& cores) {
    for (const seat_core& core : cores) {
      for (hwloc_obj_t part = core.object->parent; part; part = part->parent) ++cores_under_[part];
    }
    hwloc_const_bitmap_t first_nodes = cores.front().object->complete_nodeset;
    for (const seat_core& core : cores) {
      if (hwloc_obj_t cache = largest_shared_cache(core.object))
        level_ = std::max(level_, cache->attr->cache.depth);
      memory_divides_ |= !hwloc_bitmap_isequal(core.object->complete_nodeset, first_nodes);
    }
  }

  maker maker_of(hwloc_obj_t core) const {
    if (hwloc_obj_t cache = largest_shared_cache(core)) return by_cache(cache);
    // A core may be alone under a cache that others share elsewhere (the other cores are offline, or not ours). Then it is a
    // domain of its own.
    for (hwloc_obj_t part = core->parent; part; part = part->parent) {
      if (is_cpu_cache(part) && part->attr->cache.depth == level_) return by_cache(part);
    }
    // The complete set includes nodes whose memory is not ours; the core is near them as well.
    if (memory_divides_) return {nullptr, "NUMA node " + set_text(core->complete_nodeset), "NUMA node"};
    for (hwloc_obj_t part = core->parent; part; part = part->parent) {
      if (part->type == HWLOC_OBJ_PACKAGE)
        return {nullptr, "package " + std::to_string(part->logical_index), "package"};
    }
    return {nullptr, "machine", "machine"};
  }

  // The largest part below the domain's cache through which the core may share lines; null if there is none.
  static hwloc_obj_t smaller_shared(hwloc_obj_t core, const maker& domain) {
    hwloc_obj_t largest = nullptr;
    for (hwloc_obj_t part = core->parent; part && part != domain.cache; part = part->parent) {
      if (is_cpu_cache(part) || is_cluster(part)) largest = part;
    }
    return largest;
  }

 private:
  static maker by_cache(hwloc_obj_t cache) {
    return {cache, {}, std::string("L").append(std::to_string(cache->attr->cache.depth))};
  }

  hwloc_obj_t largest_shared_cache(hwloc_obj_t core) const {
    hwloc_obj_t largest = nullptr;
    for (hwloc_obj_t part = core->parent; part; part = part->parent) {
      if (is_cpu_cache(part) && cores_under_.at(part) > 1) largest = part;
    }
    return largest;
  }

  std::unordered_map<hwloc_obj_t, std::size_t> cores_under_;
  unsigned level_ = 0;  // of the largest shared cache; 0 if none is shared
  bool memory_divides_ = false;
};

std::string cache_name(const maker& domain) {
  if (!domain.cache) return {};
  const std::size_t size = domain.cache->attr->cache.size;
  return size > 0 ? domain.kind + " " + size_text(size) : domain.kind;
}

// The machine's domains are named after the largest kind: caches before memories, L3 before L2.
void describe_domains(const maker& domain, topology::data& facts, unsigned& level) {
  const unsigned own = domain.cache ? domain.cache->attr->cache.depth : 0;
  if (!facts.domain_caches.empty() && own <= level) return;
  level = own;
  facts.domain_kind = domain.kind;
  facts.domain_cache_bytes = domain.cache ? domain.cache->attr->cache.size : 0;
}

}  // namespace

std::vector<seat_core> seat_cores(hwloc_topology_t tree) {
  std::vector<seat_core> cores;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_PU, pu));) {
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_CORE, pu);
    hwloc_obj_t object = core ? core : pu;
    if (cores.empty() || cores.back().object != object) cores.push_back({object, {}});
    cores.back().pus.push_back(pu->os_index);
  }
  return cores;
}

void find_domains(const std::vector<seat_core>& cores, topology::data& facts) {
  const domain_finder finder(cores);
  std::map<maker, domain_id> ids;
  std::unordered_map<hwloc_obj_t, std::uint32_t> shared;
  std::uint32_t next_shared = 0;
  unsigned level = 0;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const maker domain = finder.maker_of(cores[i].object);
    const auto [at, added] = ids.try_emplace(domain, static_cast<domain_id>(ids.size()));
    facts.core_list[i].domain = at->second;
    if (added) {
      describe_domains(domain, facts, level);
      facts.domain_caches.push_back(cache_name(domain));
    }
    hwloc_obj_t part = domain_finder::smaller_shared(cores[i].object, domain);
    const auto [cache, first] = shared.try_emplace(part ? part : cores[i].object, next_shared);
    next_shared += first;
    facts.shared_cache.push_back(cache->second);
  }
}

}  // namespace skua::detail
