
#include <algorithm>
#include <cstdio>
#include <functional>

#include "topology/measured_distances.hpp"

namespace skua::detail {
namespace {

constexpr std::size_t max_named = 5;  // pairs in one sentence

struct pair_of_cores {
  std::uint32_t a, b;
  double latency;
};

struct level {
  std::string name;
  std::vector<pair_of_cores> pairs;  // the slowest first
  double middle() const {
    const std::size_t n = pairs.size();
    return (pairs[(n - 1) / 2].latency + pairs[n / 2].latency) / 2;
  }
};

// The pairs of cores by their distance in the tree, nearest first. With one worker per core, workers are cores.
std::vector<level> levels_of(const topology& machine, const measured_distances& measured) {
  const placement seats = machine.place(machine.core_list().size());
  std::vector<level> levels;
  for (std::size_t i = 0; i < seats.levels(); ++i) levels.push_back({seats.level_name(i), {}});
  for (worker_id a = 0; a < seats.workers(); ++a) {
    for (worker_id b = a + 1; b < seats.workers(); ++b) {
      const auto [first, second] = std::minmax(seats[a].core, seats[b].core);
      levels[seats.distance(a, b)].pairs.push_back({first, second, measured.between(first, second)});
    }
  }
  for (level& each : levels) std::ranges::sort(each.pairs, std::greater{}, &pair_of_cores::latency);
  return levels;
}

std::string in_ns(double latency) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ns", latency);
  return text;
}

std::string named(const std::vector<pair_of_cores>& pairs) {
  std::string text;
  for (std::size_t i = 0; i < pairs.size() && i < max_named; ++i) {
    const pair_of_cores& pair = pairs[i];
    text += (i == 0 ? "" : ", ") + std::to_string(pair.a) + " and " + std::to_string(pair.b) + " (" +
            in_ns(pair.latency) + ")";
  }
  if (pairs.size() > max_named) text += " and " + std::to_string(pairs.size() - max_named) + " other pairs";
  return text;
}

// Compares with the fastest of the farther levels, where the contradiction is the clearest.
std::string slower_than_farther(const std::vector<level>& levels, std::size_t near) {
  const auto farther = levels.begin() + static_cast<std::ptrdiff_t>(near) + 1;
  if (farther == levels.end()) return {};
  const level& fastest = *std::min_element(
      farther, levels.end(), [](const level& a, const level& b) { return a.middle() < b.middle(); });
  std::vector<pair_of_cores> slow = levels[near].pairs;
  std::erase_if(slow,
                [&](const pair_of_cores& p) { return p.latency <= fastest.middle() * (1 + latency_slack); });
  if (slow.empty()) return {};
  return "hwloc puts pairs of the level '" + levels[near].name + "' nearer than those of '" + fastest.name +
         "', but a line takes longer between cores " + named(slow) + " than the median there (" +
         in_ns(fastest.middle()) + ")";
}

std::string unequal(const level& same) {
  std::vector<double> latencies;
  for (const pair_of_cores& pair : same.pairs) latencies.push_back(pair.latency);
  const std::vector<latency_group> groups = latency_groups(std::move(latencies));
  if (groups.size() < 2) return {};
  const pair_of_cores &slowest = same.pairs.front(), &fastest = same.pairs.back();
  return "hwloc puts all pairs of the level '" + same.name + "' equally far, but a line takes " +
         in_ns(fastest.latency) + " between cores " + std::to_string(fastest.a) + " and " +
         std::to_string(fastest.b) + ", and " + in_ns(slowest.latency) + " between cores " +
         std::to_string(slowest.a) + " and " + std::to_string(slowest.b) + ": " +
         std::to_string(groups.size()) + " groups";
}

}  // namespace

std::vector<std::string> disagreements(const topology& machine, const measured_distances& measured) {
  const std::vector<level> levels = levels_of(machine, measured);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    for (const std::string& sentence : {slower_than_farther(levels, i), unequal(levels[i])}) {
      if (!sentence.empty()) sentences.push_back(sentence);
    }
  }
  return sentences;
}

}  // namespace skua::detail
