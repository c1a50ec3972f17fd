#include <algorithm>
#include <array>
#include <utility>

#include "topology/spread.hpp"
#include "topology/topology_data.hpp"

namespace skua {

namespace {

// One distance: the smallest shared part, then what the machine says of the two memories (0 for one memory).
struct step {
  nearness near;
  std::uint32_t numa_distance;
  auto operator<=>(const step&) const = default;
};

class distance_meter {
 public:
  distance_meter(const topology& machine, const topology::data& facts)
      : machine_(machine),
        facts_(facts),
        first_package_(facts.numa_nodes + 1, -1),
        wide_(facts.numa_nodes + 1) {
    for (const core_info& core : facts.core_list) {
      std::int64_t& first = first_package_[core.numa_node];
      if (first >= 0 && first != core.package) wide_[core.numa_node] = true;
      if (first < 0) first = core.package;
    }
  }

  step operator()(const seat& a, const seat& b) const {
    // The worse direction, so that distance is the same from both ends whatever the machine's table says.
    const std::uint32_t apart = a.numa_node == b.numa_node
                                    ? 0
                                    : std::max(machine_.numa_distance(a.numa_node, b.numa_node),
                                               machine_.numa_distance(b.numa_node, a.numa_node));
    return {nearest(a, b), apart};
  }

 private:
  nearness nearest(const seat& a, const seat& b) const {
    if (a.core == b.core) return nearness::same_core;
    if (facts_.shared_cache[a.core] == facts_.shared_cache[b.core]) return nearness::same_cache;
    if (a.domain == b.domain) return nearness::same_domain;
    // A memory node under several packages is larger than a package, so to share it says nothing more.
    if (a.numa_node == b.numa_node && !wide_[a.numa_node]) return nearness::same_numa_node;
    if (a.package == b.package && facts_.packages > 0) return nearness::same_package;
    return nearness::same_machine;
  }

  const topology& machine_;
  const topology::data& facts_;
  std::vector<std::int64_t> first_package_;
  std::vector<bool> wide_;  // by NUMA node: does it serve several packages?
};

std::vector<seat> seats_on(const topology::data& machine, std::size_t workers) {
  const std::vector<std::size_t> counts = detail::workers_by_core(machine, workers);
  std::vector<const core_info*> cores;
  for (const core_info& core : machine.core_list) cores.push_back(&core);
  // A domain's workers are neighbours, also where its cores are not.
  std::ranges::sort(cores, {}, [](const core_info* core) { return std::pair(core->domain, core->index); });
  std::vector<seat> seats;
  for (const core_info* core : cores) {
    for (std::size_t i = 0; i < counts[core->index]; ++i) {
      const bool head = seats.empty() || seats.back().domain != core->domain;
      seats.push_back({.cpu = core->pus[i % core->pus.size()],
                       .core = core->index,
                       .package = core->package,
                       .numa_node = core->numa_node,
                       .domain = core->domain,
                       .head = head});
    }
  }
  return seats;
}

}  // namespace

struct placement::data {
  std::vector<seat> seats;
  std::vector<worker_id> ids;               // 0, 1, 2 ...: a domain's workers are a piece of it
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

placement topology::place(std::size_t workers) const {
  if (workers == 0) throw bad_input("0 workers are too few; allowed are 1 or more, nearest is 1");
  placement::data found;
  found.seats = seats_on(*facts_, workers);
  found.domain_begin.assign(domains() + 1, 0);
  for (const seat& seat : found.seats) {
    found.ids.push_back(static_cast<worker_id>(found.ids.size()));
    ++found.domain_begin[seat.domain + 1];
  }
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

std::string placement::level_name(std::size_t level) const {
  constexpr std::array names = {"same core",      "same cache",   "same domain",
                                "same NUMA node", "same package", "same machine"};
  const step& found = facts_->levels[level];
  std::string name = names[static_cast<std::size_t>(found.near)];
  if (found.numa_distance > 0) name += ", NUMA distance " + std::to_string(found.numa_distance);
  return name;
}

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
