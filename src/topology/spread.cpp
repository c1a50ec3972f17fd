#include "topology/spread.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

namespace skua::detail {
namespace {

using core_index = std::uint32_t;

// The parts of the machine around a core, from the outermost to the innermost. A NUMA node comes before the domain, so
// that a domain with two nodes is also filled evenly.
std::array<std::uint32_t, 4> parts_around(const topology::data& machine, core_index core) {
  const core_info& info = machine.core_list[core];
  return {info.package, info.numa_node, info.domain, machine.shared_cache[core]};
}

// Takes one element of each list in turn. Empty lists are skipped.
std::vector<core_index> in_turn(const std::vector<std::vector<core_index>>& hands) {
  std::size_t max = 0;
  for (const auto& hand : hands) max = std::max(max, hand.size());
  std::vector<core_index> all;
  for (std::size_t round = 0; round < max; ++round) {
    for (const auto& hand : hands) {
      if (round < hand.size()) all.push_back(hand[round]);
    }
  }
  return all;
}

// The cores, sorted by the parts around them, in the order in which they get workers.
std::vector<core_index> dealt(const topology::data& machine, std::span<const core_index> cores,
                              std::size_t depth) {
  if (depth == parts_around(machine, 0).size()) return {cores.begin(), cores.end()};
  std::vector<std::vector<core_index>> hands;
  while (!cores.empty()) {
    const auto part = parts_around(machine, cores.front())[depth];
    const auto end = std::ranges::find_if(
        cores, [&](core_index core) { return parts_around(machine, core)[depth] != part; });
    const auto size = static_cast<std::size_t>(end - cores.begin());
    hands.push_back(dealt(machine, cores.first(size), depth + 1));
    cores = cores.subspan(size);
  }
  return in_turn(hands);
}

// The cores with a CPU number `rank`, the most powerful kind first, then by the parts around them.
std::vector<core_index> cores_with(const topology::data& machine, std::size_t rank) {
  std::vector<core_index> cores;
  for (const core_info& core : machine.core_list) {
    if (core.pus.size() > rank) cores.push_back(core.index);
  }
  std::ranges::sort(cores, {}, [&](core_index core) {
    return std::tuple(machine.core_list[core].kind, parts_around(machine, core), core);
  });
  return cores;
}

}  // namespace

std::vector<cpu_of_core> pin_table(const topology::data& machine) {
  std::vector<cpu_of_core> table;
  for (std::size_t rank = 0; table.size() < machine.pus; ++rank) {
    const std::vector<core_index> all = cores_with(machine, rank);
    for (std::span<const core_index> cores = all; !cores.empty();) {
      const auto kind = machine.core_list[cores.front()].kind;
      const auto end =
          std::ranges::find_if(cores, [&](core_index core) { return machine.core_list[core].kind != kind; });
      const auto alike = static_cast<std::size_t>(end - cores.begin());
      for (const core_index core : dealt(machine, cores.first(alike), 0))
        table.push_back({core, machine.core_list[core].pus[rank]});
      cores = cores.subspan(alike);
    }
  }
  return table;
}

}  // namespace skua::detail
