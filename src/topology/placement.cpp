#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "topology/distance_meter.hpp"
#include "topology/spread.hpp"
#include "topology/topology_data.hpp"

namespace skua {

using detail::distance_meter;
using detail::step;

namespace {

// A CPU gets a second worker only when every CPU has one.
sequence<seat> seats_on(const topology::data& machine, std::size_t workers,
                        std::span<const detail::cpu_of_core> table) {
  sequence<seat> seats;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const detail::cpu_of_core& at = table[worker % table.size()];
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

[[noreturn]] void refuse_cpu(std::uint32_t cpu, std::span<const detail::cpu_of_core> allowed) {
  std::vector<std::uint32_t> usable;
  for (const detail::cpu_of_core& one : allowed) usable.push_back(one.cpu);
  const auto nearest =
      std::ranges::min(usable, {}, [cpu](std::uint32_t one) { return one < cpu ? cpu - one : one - cpu; });
  throw bad_input("CPU " + std::to_string(cpu) + " is not available; allowed: " + base::number_list(usable) +
                  "; nearest: " + std::to_string(nearest));
}

// The entries of the named CPUs.
std::vector<detail::cpu_of_core> table_of(const topology::data& machine,
                                          std::span<const std::uint32_t> cpus) {
  if (cpus.empty()) throw bad_input("no CPU is given; allowed: 1 or more");
  std::vector<detail::cpu_of_core> all = detail::pin_table(machine), table;
  std::ranges::sort(all, {}, &detail::cpu_of_core::cpu);
  for (const std::uint32_t cpu : cpus) {
    const auto at = std::ranges::lower_bound(all, cpu, {}, &detail::cpu_of_core::cpu);
    if (at == all.end() || at->cpu != cpu) refuse_cpu(cpu, all);
    if (std::ranges::find(table, cpu, &detail::cpu_of_core::cpu) != table.end())
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
  if (workers == 0) throw bad_input("0 workers are too few; allowed are 1 or more, nearest is 1");
}

}  // namespace

placement topology::place(std::size_t workers, pin_order order) const {
  check_count(workers);
  sequence<seat> seats = seats_on(*facts_, workers, detail::pin_table(*facts_));
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
