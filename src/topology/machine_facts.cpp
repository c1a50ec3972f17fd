#include "topology/machine_facts.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>

namespace skua::detail {
namespace {

std::size_t count(hwloc_topology_t tree, hwloc_obj_type_t type) {
  return static_cast<std::size_t>(std::max(0, hwloc_get_nbobjs_by_type(tree, type)));
}

std::uint32_t package_of(hwloc_topology_t tree, hwloc_obj_t core) {
  hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(tree, HWLOC_OBJ_PACKAGE, core);
  return package ? package->logical_index : 0;
}

// Without control characters, so that it fits in a line of text.
std::string processor_of(hwloc_topology_t tree) {
  hwloc_obj_t package = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_PACKAGE, nullptr);
  const char* name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  if (!name) name = hwloc_obj_get_info_by_name(hwloc_get_root_obj(tree), "CPUModel");
  std::string text = name ? name : "";
  std::erase_if(text, [](unsigned char c) { return c < ' '; });
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

// The NUMA node of a core. If there are several (fast memory in addition to normal one), it is the one with the fewest CPUs,
// then the first. A core without its own node gets the first node of the smallest part around it that has one.
std::uint32_t numa_node_of(hwloc_topology_t tree, hwloc_obj_t core) {
  hwloc_obj_t part = core;
  while (part->parent && hwloc_bitmap_iszero(part->nodeset)) part = part->parent;
  hwloc_obj_t nearest = nullptr;
  for (hwloc_obj_t node = nullptr; (node = hwloc_get_next_obj_by_type(tree, HWLOC_OBJ_NUMANODE, node));) {
    if (!hwloc_bitmap_isset(part->nodeset, node->os_index)) continue;
    const bool closer =
        part == core && nearest && hwloc_bitmap_weight(node->cpuset) < hwloc_bitmap_weight(nearest->cpuset);
    if (!nearest || closer) nearest = node;
  }
  return nearest ? nearest->logical_index : 0;
}

// Numbers the kinds of our cores, beginning with the most powerful one; hwloc ranks them in the opposite order. Kinds that it
// cannot rank count as one.
void find_kinds(hwloc_topology_t tree, const std::vector<seat_core>& cores, topology::data& facts) {
  const int kinds = hwloc_cpukinds_get_nr(tree, 0);
  std::vector<std::uint32_t> rank(cores.size(), 0);
  const hwloc_set cpus(hwloc_bitmap_alloc());
  std::uint32_t found = 0;
  for (int kind = kinds - 1; kind >= 0; --kind) {
    int efficiency = -1;
    hwloc_cpukinds_get_info(tree, static_cast<unsigned>(kind), cpus.get(), &efficiency, nullptr, nullptr, 0);
    if (efficiency < 0) return;
    bool occurs = false;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      if (!hwloc_bitmap_intersects(cores[i].object->cpuset, cpus.get())) continue;
      rank[i] = found;
      occurs = true;
    }
    found += occurs;
  }
  for (std::size_t i = 0; i < cores.size(); ++i) facts.core_list[i].kind = rank[i];
  facts.kinds = std::max<std::size_t>(1, found);
}

// The number at the beginning of a text, or 0.
double leading_number(std::string_view text) {
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// From the kernel, for the fastest kind of cores; otherwise from the end of the processor's name: "CPU X5650  @ 2.67GHz".
double gigahertz_of(hwloc_topology_t tree, std::string_view processor) {
  const int kinds = hwloc_cpukinds_get_nr(tree, 0);
  double max = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(tree, static_cast<unsigned>(kind), nullptr, nullptr, &count, &infos, 0) != 0)
      continue;
    for (unsigned i = 0; i < count; ++i)
      if (std::string_view(infos[i].name) == "FrequencyMaxMHz")
        max = std::max(max, leading_number(infos[i].value) / 1000);
  }
  if (max == 0 && processor.ends_with("GHz"))
    max = leading_number(processor.substr(processor.rfind(' ') + 1));
  return max;
}

// Empty if the machine has none.
std::vector<std::uint32_t> numa_distances_of(hwloc_topology_t tree) {
  hwloc_distances_s* matrix = nullptr;
  unsigned matrices = 1;
  const int failed = hwloc_distances_get_by_type(tree, HWLOC_OBJ_NUMANODE, &matrices, &matrix,
                                                 HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (failed || matrices == 0) return {};
  const std::size_t nodes = count(tree, HWLOC_OBJ_NUMANODE);
  std::vector<std::uint32_t> distances(nodes * nodes, 20);
  for (std::size_t i = 0; i < nodes; ++i) distances[i * nodes + i] = 10;
  const unsigned size = matrix->nbobjs;
  for (unsigned i = 0; i < size; ++i) {
    for (unsigned j = 0; j < size; ++j) {
      if (!matrix->objs[i] || !matrix->objs[j]) continue;
      const auto max = std::numeric_limits<std::uint32_t>::max();
      distances[matrix->objs[i]->logical_index * nodes + matrix->objs[j]->logical_index] =
          static_cast<std::uint32_t>(std::min<hwloc_uint64_t>(matrix->values[i * size + j], max));
    }
  }
  hwloc_distances_release(tree, matrix);
  return distances;
}

void note_missing(topology::data& facts) {
  if (facts.cores == 0) facts.warnings.push_back("the machine lists no cores, so each CPU counts as one");
  if (facts.packages == 0) facts.warnings.push_back("the machine lists no packages");
  if (facts.numa_nodes == 0) facts.warnings.push_back("the machine lists no NUMA nodes");
  if (facts.domain_kind.front() != 'L' && facts.core_list.size() > 1) {
    facts.warnings.push_back("the machine lists no cache that cores share, so a domain is a " +
                             facts.domain_kind);
  }
}

}  // namespace

topology::data machine_facts(const hwloc_tree& tree) {
  const std::vector<seat_core> cores = seat_cores(tree.get());
  topology::data facts;
  facts.processor = processor_of(tree.get());
  facts.packages = count(tree.get(), HWLOC_OBJ_PACKAGE);
  facts.numa_nodes = count(tree.get(), HWLOC_OBJ_NUMANODE);
  facts.pus = count(tree.get(), HWLOC_OBJ_PU);
  facts.cores = count(tree.get(), HWLOC_OBJ_CORE);
  for (const seat_core& core : cores) {
    facts.core_list.push_back({.index = static_cast<std::uint32_t>(facts.core_list.size()),
                               .package = package_of(tree.get(), core.object),
                               .numa_node = numa_node_of(tree.get(), core.object),
                               .domain = 0,
                               .kind = 0,
                               .pus = core.pus});
  }
  facts.numa_distances = numa_distances_of(tree.get());
  find_kinds(tree.get(), cores, facts);
  find_domains(cores, facts);
  facts.caches = cpu_caches(tree.get());
  facts.gigahertz = gigahertz_of(tree.get(), facts.processor);
  note_missing(facts);
  return facts;
}

topology::data flat_facts(const std::vector<std::uint32_t>& cpus) {
  topology::data facts;
  facts.numa_nodes = 1;
  facts.pus = facts.cores = cpus.size();
  for (std::uint32_t cpu : cpus) {
    const auto index = static_cast<std::uint32_t>(facts.core_list.size());
    facts.core_list.push_back(
        {.index = index, .package = 0, .numa_node = 0, .domain = 0, .kind = 0, .pus = {cpu}});
    facts.shared_cache.push_back(index);
  }
  facts.domain_caches.emplace_back();
  return facts;
}

}  // namespace skua::detail
