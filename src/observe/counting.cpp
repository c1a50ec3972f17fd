#include "observe/counting.hpp"

#include <algorithm>
#include <numeric>

namespace skua {

std::uint64_t worker_times::sum() const noexcept {
  return std::accumulate(ns.begin(), ns.end(), std::uint64_t{0});
}

worker_times& worker_times::operator+=(const worker_times& other) noexcept {
  for (std::size_t i = 0; i < ns.size(); ++i) ns[i] += other.ns[i];
  return *this;
}

counters& counters::operator+=(const counters& other) {
  forks += other.forks;
  group_tasks += other.group_tasks;
  own_tasks += other.own_tasks;
  attempts += other.attempts;
  steals += other.steals;
  steal_misses += other.steal_misses;
  remote_attempts += other.remote_attempts;
  remote_steals += other.remote_steals;
  suspensions += other.suspensions;
  stacks = std::max(stacks, other.stacks);  // each is a maximum of the whole scheduler
  sleeps += other.sleeps;
  asleep_ns += other.asleep_ns;
  steals_by_distance.resize(std::max(steals_by_distance.size(), other.steals_by_distance.size()));
  for (std::size_t level = 0; level < other.steals_by_distance.size(); ++level)
    steals_by_distance[level] += other.steals_by_distance[level];
  return *this;
}

namespace observe {

void counting::start(std::size_t distance_levels) {
  levels = distance_levels;
  by_distance = std::make_unique<count[]>(distance_levels);
}

void counting::clear() noexcept {
  for (count* c : {&forks, &group_tasks, &own_tasks, &attempts, &steals, &remote_attempts, &remote_steals,
                   &suspensions, &sleeps, &asleep_ns})
    c->clear();
  stacks.clear();
  for (std::size_t level = 0; level < levels; ++level) by_distance[level].clear();
}

counters counting::read() const {
  counters r;
  r.forks = forks.read();
  r.group_tasks = group_tasks.read();
  r.own_tasks = own_tasks.read();
  r.attempts = attempts.read();
  r.steals = steals.read();
  r.steal_misses =
      r.attempts > r.steals ? r.attempts - r.steals : 0;  // they may have been cleared in between
  r.remote_attempts = remote_attempts.read();
  r.remote_steals = remote_steals.read();
  r.suspensions = suspensions.read();
  r.stacks = stacks.read();
  r.sleeps = sleeps.read();
  r.asleep_ns = asleep_ns.read();
  for (std::size_t level = 0; level < levels; ++level)
    r.steals_by_distance.push_back(by_distance[level].read());
  return r;
}

}  // namespace observe
}  // namespace skua
