// Where workers are placed: the order in which the CPUs of a machine get workers, and the distances between workers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "topology/distance_meter.hpp"
#include "topology/topology_data.hpp"

namespace skua {

using detail::distance_meter;
using detail::step;

namespace {

struct cpu_of_core {
  std::uint32_t core;  // index in core_list
  std::uint32_t cpu;   // operating-system index
};

using core_index = std::uint32_t;

// The parts of the machine around a core, from the outside in. The NUMA node comes before the domain, so that a domain with two
// nodes is filled evenly as well.
std::array<std::uint32_t, 4> parts_around(const topology::data& machine, core_index core) {
  const core_info& info = machine.core_list[core];
  return {info.package, info.numa_node, info.domain, machine.shared_cache[core]};
}

// One core of each group in turn; empty groups are skipped.
std::vector<core_index> in_turn(const std::vector<std::vector<core_index>>& groups) {
  std::size_t max = 0;
  for (const auto& group : groups) max = std::max(max, group.size());
  std::vector<core_index> all;
  for (std::size_t round = 0; round < max; ++round) {
    for (const auto& group : groups) {
      if (round < group.size()) all.push_back(group[round]);
    }
  }
  return all;
}

// Takes cores that are sorted by the parts around them, and returns the order in which they get workers.
std::vector<core_index> dealt(const topology::data& machine, std::span<const core_index> cores,
                              std::size_t depth) {
  if (depth == parts_around(machine, 0).size()) return {cores.begin(), cores.end()};
  std::vector<std::vector<core_index>> groups;
  while (!cores.empty()) {
    const auto part = parts_around(machine, cores.front())[depth];
    const auto end = std::ranges::find_if(
        cores, [&](core_index core) { return parts_around(machine, core)[depth] != part; });
    const auto size = static_cast<std::size_t>(end - cores.begin());
    groups.push_back(dealt(machine, cores.first(size), depth + 1));
    cores = cores.subspan(size);
  }
  return in_turn(groups);
}

// The cores with more than `rank` CPUs, the most powerful kind first, then by the parts around them.
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

// Every CPU once, in an order in which the first N spread N workers evenly, for every N (the map of the TBB thesis, section
// 3.2.2): packages in turn, and within each of them memory nodes, domains and smaller caches in turn; one CPU of each core
// before any second one; the most powerful kind first.
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

// A CPU gets a second worker only when every CPU has one.
sequence<seat> seats_on(const topology::data& machine, std::size_t workers,
                        std::span<const cpu_of_core> table) {
  sequence<seat> seats;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const cpu_of_core& at = table[worker % table.size()];
    const core_info& core = machine.core_list[at.core];
    seats.push_back({.cpu = at.cpu,
                     .core = at.core,
                     .package = core.package,
                     .numa_node = core.numa_node,
                     .domain = core.domain,
                     .head = false});
  }
  return seats;
}

[[noreturn]] void refuse_cpu(std::uint32_t cpu, std::span<const cpu_of_core> allowed) {
  std::vector<std::uint32_t> usable;
  for (const cpu_of_core& one : allowed) usable.push_back(one.cpu);
  const auto nearest =
      std::ranges::min(usable, {}, [cpu](std::uint32_t one) { return one < cpu ? cpu - one : one - cpu; });
  throw bad_input("CPU " + std::to_string(cpu) + " is not available; allowed: " + base::number_list(usable) +
                  "; nearest: " + std::to_string(nearest));
}

// The entries of the named CPUs.
std::vector<cpu_of_core> table_of(const topology::data& machine, std::span<const std::uint32_t> cpus) {
  if (cpus.empty()) throw bad_input("no CPU is given; allowed: 1 or more");
  std::vector<cpu_of_core> all = pin_table(machine), table;
  std::ranges::sort(all, {}, &cpu_of_core::cpu);
  for (const std::uint32_t cpu : cpus) {
    const auto at = std::ranges::lower_bound(all, cpu, {}, &cpu_of_core::cpu);
    if (at == all.end() || at->cpu != cpu) refuse_cpu(cpu, all);
    if (std::ranges::find(table, cpu, &cpu_of_core::cpu) != table.end())
      throw bad_input("CPU " + std::to_string(cpu) + " is given twice; allowed: each CPU once");
    table.push_back(*at);
  }
  return table;
}

}  // namespace

struct placement::data {
  sequence<seat> seats;
  std::vector<worker_id>
      ids;  // ordered by domain, ascending within each: the workers of a domain are contiguous
  std::vector<std::size_t> domain_begin;    // domains + 1
  std::vector<step> levels;                 // nearest first
  std::vector<std::uint16_t> level_of;      // workers x workers
  std::vector<worker_id> others;            // for each worker, the others by level and in ring order
  std::vector<std::uint32_t> others_begin;  // workers x (levels + 1), offsets in the worker's others

  void measure(const distance_meter& meter);
  void list_others(worker_id worker);
};

void placement::data::measure(const distance_meter& meter) {
  const std::size_t count = seats.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const step found = meter(seats[a], seats[b]);
      const auto at = std::ranges::lower_bound(levels, found);
      if (at == levels.end() || *at != found) levels.insert(at, found);
    }
  }
  level_of.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto at = std::ranges::lower_bound(levels, meter(seats[a], seats[b]));
      level_of[a * count + b] = level_of[b * count + a] = static_cast<std::uint16_t>(at - levels.begin());
    }
  }
}

// Counts the workers of each level, then goes round the ring once and puts each worker into its level.
void placement::data::list_others(worker_id worker) {
  const std::size_t count = seats.size();
  const std::uint16_t* row = &level_of[worker * count];
  std::uint32_t* begin = &others_begin[worker * (levels.size() + 1)];
  for (std::size_t other = 0; other < count; ++other) {
    if (other != worker) ++begin[row[other] + 1];
  }
  for (std::size_t level = 0; level < levels.size(); ++level) begin[level + 1] += begin[level];
  std::vector<std::uint32_t> next(begin, begin + levels.size());
  for (std::size_t i = 1; i < count; ++i) {
    const std::size_t other = (worker + i) % count;
    others[worker * (count - 1) + next[row[other]]++] = static_cast<worker_id>(other);
  }
}

namespace {

void check_count(std::size_t workers) {
  if (workers == 0) throw bad_input("0 workers are too few; allowed: 1 or more; nearest: 1");
}

}  // namespace

placement topology::place(std::size_t workers, pin_order order) const {
  check_count(workers);
  sequence<seat> seats = seats_on(*facts_, workers, pin_table(*facts_));
  // The workers of a domain are neighbours even if its cores are not.
  if (order == pin_order::grouped)
    std::ranges::stable_sort(seats, {}, [](const seat& s) { return std::pair(s.domain, s.core); });
  return placed(std::move(seats));
}

placement topology::place(std::size_t workers, std::span<const std::uint32_t> cpus) const {
  check_count(workers);
  return placed(seats_on(*facts_, workers, table_of(*facts_, cpus)));
}

placement topology::placed(sequence<seat> seats) const {
  const std::size_t workers = seats.size();
  std::vector<bool> has_head(domains());
  for (seat& seat : seats) {
    seat.head = !has_head[seat.domain];
    has_head[seat.domain] = true;
  }
  placement::data found;
  found.seats = std::move(seats);
  found.domain_begin.assign(domains() + 1, 0);
  for (const seat& seat : found.seats) {
    found.ids.push_back(static_cast<worker_id>(found.ids.size()));
    ++found.domain_begin[seat.domain + 1];
  }
  std::ranges::stable_sort(found.ids, {}, [&](worker_id worker) { return found.seats[worker].domain; });
  for (std::size_t i = 0; i < domains(); ++i) found.domain_begin[i + 1] += found.domain_begin[i];
  found.measure(distance_meter(*this, *facts_));
  found.others.resize(workers * (workers - 1));
  found.others_begin.resize(workers * (found.levels.size() + 1));
  for (worker_id worker : found.ids) found.list_others(worker);
  return placement(std::make_shared<const placement::data>(std::move(found)));
}

std::size_t placement::workers() const { return facts_->seats.size(); }
std::size_t placement::domains() const { return facts_->domain_begin.size() - 1; }
std::span<const seat> placement::seats() const { return facts_->seats; }
const seat& placement::operator[](worker_id worker) const { return facts_->seats[worker]; }
std::size_t placement::levels() const { return facts_->levels.size(); }
nearness placement::level_nearness(std::size_t level) const { return facts_->levels[level].near; }

std::string placement::level_name(std::size_t level) const { return facts_->levels[level].name(); }

std::size_t placement::distance(worker_id a, worker_id b) const {
  return facts_->level_of[a * workers() + b];
}

std::span<const worker_id> placement::at_distance(worker_id worker, std::size_t level) const {
  if (level >= levels()) return {};
  const std::uint32_t* begin = &facts_->others_begin[worker * (levels() + 1)];
  const std::span<const worker_id> all = facts_->others;
  return all.subspan(worker * (workers() - 1) + begin[level], begin[level + 1] - begin[level]);
}

std::span<const worker_id> placement::domain_workers(domain_id domain) const {
  const std::size_t begin = facts_->domain_begin[domain];
  return std::span(facts_->ids).subspan(begin, facts_->domain_begin[domain + 1] - begin);
}

worker_id placement::head(domain_id domain) const { return domain_workers(domain).front(); }

}  // namespace skua
