#include "topology/spread.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace skua::detail {
namespace {

using core_index = std::uint32_t;

// The parts of the machine around a core, from the outside in. A NUMA node comes before the domain, so that
// a domain over two nodes is filled evenly, too.
std::array<std::uint32_t, 4> parts_around(const topology::data& machine, core_index core) {
  const core_info& info = machine.core_list[core];
  return {info.package, info.numa_node, info.domain, machine.shared_cache[core]};
}

// Takes `amount` of `cores` (sorted by the parts around them), as many in each part as in the next.
void take_evenly(const topology::data& machine, std::span<const core_index> cores, std::size_t amount,
                 std::size_t depth, std::vector<core_index>& taken) {
  if (depth == parts_around(machine, 0).size()) {
    taken.insert(taken.end(), cores.begin(), cores.begin() + static_cast<std::ptrdiff_t>(amount));
    return;
  }
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const bool same =
        i > 0 && parts_around(machine, cores[i])[depth] == parts_around(machine, cores[i - 1])[depth];
    if (!same) sizes.push_back(0);
    ++sizes.back();
  }
  const std::vector<std::size_t> shares = deal(amount, sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    take_evenly(machine, cores.first(sizes[i]), shares[i], depth + 1, taken);
    cores = cores.subspan(sizes[i]);
  }
}

// Cores that have a CPU number `rank`, the most powerful kind first, then by the parts around them.
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

std::vector<std::size_t> deal(std::size_t amount, std::span<const std::size_t> room) {
  std::vector<std::size_t> shares(room.size(), 0);
  while (amount > 0) {
    for (std::size_t i = 0; i < room.size() && amount > 0; ++i) {
      if (shares[i] == room[i]) continue;
      ++shares[i];
      --amount;
    }
  }
  return shares;
}

std::vector<std::size_t> workers_by_core(const topology::data& machine, std::size_t workers) {
  std::vector<std::size_t> counts;
  for (const core_info& core : machine.core_list) counts.push_back(workers / machine.pus * core.pus.size());
  std::size_t rest = workers % machine.pus;
  for (std::size_t rank = 0; rest > 0; ++rank) {
    const std::vector<core_index> all = cores_with(machine, rank);
    std::span<const core_index> cores = all;
    while (!cores.empty() && rest > 0) {
      const auto kind = machine.core_list[cores.front()].kind;
      const auto end =
          std::ranges::find_if(cores, [&](core_index c) { return machine.core_list[c].kind != kind; });
      const auto alike = static_cast<std::size_t>(end - cores.begin());
      std::vector<core_index> taken;
      take_evenly(machine, cores.first(alike), std::min(rest, alike), 0, taken);
      for (core_index core : taken) ++counts[core];
      rest -= taken.size();
      cores = cores.subspan(alike);
    }
  }
  return counts;
}

}  // namespace skua::detail
