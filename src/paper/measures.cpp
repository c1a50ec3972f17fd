#include "paper/measures.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace skua::paper {

namespace {

double misses_of(const run_report& run, unsigned level) {
  const auto at = run.demand_misses.find(level);
  if (at == run.demand_misses.end())
    throw std::runtime_error("the machine has no cache of level " + std::to_string(level) +
                             ", or is modelled without caches");
  return static_cast<double>(at->second);
}

/// Of what never happened nothing is a part.
double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

constexpr measure known[] = {
    {"seconds", "time of the simulated machine", false,
     [](const measured_runs& of) { return of.run.seconds; }},
    {"speedup", "time with one worker in proportion to the time", true,
     [](const measured_runs& of) { return of.alone.seconds / of.run.seconds; }},
    {"l2_misses", "demand misses of all L2 together", false,
     [](const measured_runs& of) { return misses_of(of.run, 2); }},
    {"l3_misses", "demand misses of all L3 together", false,
     [](const measured_runs& of) { return misses_of(of.run, 3); }},
    {"steal_miss_ratio", "attempts to steal that brought nothing, of all attempts", false,
     [](const measured_runs& of) { return share(of.run.steal_misses, of.run.attempts); }},
    {"remote_ratio", "attempts on a victim in another domain, of all attempts", false,
     [](const measured_runs& of) { return share(of.run.remote_attempts, of.run.attempts); }},
};

}  // namespace

std::span<const measure> measures() noexcept { return known; }

const measure* find_measure(std::string_view name) noexcept {
  const auto at = std::ranges::find(known, name, &measure::name);
  return at == std::end(known) ? nullptr : at;
}

}  // namespace skua::paper
