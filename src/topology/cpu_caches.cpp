#include "topology/cpu_caches.hpp"

#include <cstring>
#include <string_view>

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

}  // namespace skua::detail
