#include "simulator/machine/hardware_of.hpp"

#include <algorithm>

namespace skua::simulator {

std::vector<hardware_thread> hardware_of(const topology& machine) {
  std::vector<std::uint32_t> nodes;
  for (const core_info& core : machine.core_list()) nodes.push_back(core.numa_node);
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  std::vector<hardware_thread> threads;
  for (const core_info& core : machine.core_list()) {
    const auto node = std::ranges::lower_bound(nodes, core.numa_node) - nodes.begin();
    for (const std::uint32_t cpu : core.pus)
      threads.push_back({.cpu = cpu,
                         .core = core.index,
                         .package = core.package,
                         .node = static_cast<std::uint32_t>(node),
                         .caches = {}});
  }
  return threads;
}

void set_instances(machine_model& model, cache_instances instances) {
  for (hardware_thread& thread : model.hardware) thread.caches.assign(instances.size(), no_cache);
  for (std::size_t level = 0; level < instances.size(); ++level) {
    std::ranges::sort(instances[level], {}, [](const cache_instance& one) { return one.threads.front(); });
    for (std::uint32_t i = 0; i < instances[level].size(); ++i)
      for (const std::uint32_t thread : instances[level][i].threads) model.hardware[thread].caches[level] = i;
  }
  model.instances = std::move(instances);
}

void share_by_cores(machine_model& model) {
  cache_instances instances;
  for (const cache_model& cache : model.caches) {
    instances.emplace_back(model.cores / cache.cores,
                           cache_instance{cache.bytes, cache.line, cache.ways, {}});
    for (std::uint32_t thread = 0; thread < model.threads(); ++thread)
      instances.back()[model.hardware[thread].core / cache.cores].threads.push_back(thread);
  }
  set_instances(model, std::move(instances));
}

}  // namespace skua::simulator
