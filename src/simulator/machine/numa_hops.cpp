#include "simulator/machine/numa_hops.hpp"

#include <algorithm>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "topology/topology_data.hpp"

namespace skua::simulator {

namespace {

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

}  // namespace

numa_hops hops_by_distance(const machine_model& model) {
  const matrix nodes = distances_of(model), packages = between_packages(model, nodes);
  const std::vector<std::uint32_t> steps = steps_of(nodes);
  numa_hops found{hops_of(packages, steps_of(packages)), hops_of(nodes, steps), {own_node}};
  found.distances.insert(found.distances.end(), steps.begin(), steps.end());
  return found;
}

}  // namespace skua::simulator
