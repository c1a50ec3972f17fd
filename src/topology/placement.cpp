#include <algorithm>
#include <utility>

#include "topology/distance_meter.hpp"
#include "topology/spread.hpp"
#include "topology/topology_data.hpp"

namespace skua {

using detail::distance_meter;
using detail::step;

namespace {

// A CPU gets a second worker when each has one.
std::vector<seat> seats_on(const topology::data& machine, std::size_t workers, pin_order order) {
  const std::vector<detail::cpu_of_core> table = detail::pin_table(machine);
  std::vector<seat> seats;
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
  // A domain's workers are neighbours, also where its cores are not.
  if (order == pin_order::grouped)
    std::ranges::stable_sort(seats, {}, [](const seat& s) { return std::pair(s.domain, s.core); });
  std::vector<bool> has_head(machine.domain_caches.size());
  for (seat& seat : seats) {
    seat.head = !has_head[seat.domain];
    has_head[seat.domain] = true;
  }
  return seats;
}

}  // namespace

struct placement::data {
  std::vector<seat> seats;
  std::vector<worker_id> ids;  // by domain, ascending in each: a domain's workers are a piece of it
  std::vector<std::size_t> domain_begin;    // domains + 1
  std::vector<step> levels;                 // nearest first
  std::vector<std::uint16_t> level_of;      // workers x workers
  std::vector<worker_id> others;            // for each worker the others, by level, in ring order
  std::vector<std::uint32_t> others_begin;  // workers x (levels + 1), within the worker's others

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

// Counts how many workers each level has, then walks the ring once and puts each where its level stands.
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

placement topology::place(std::size_t workers, pin_order order) const {
  if (workers == 0) throw bad_input("0 workers are too few; allowed are 1 or more, nearest is 1");
  placement::data found;
  found.seats = seats_on(*facts_, workers, order);
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
