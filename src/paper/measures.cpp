#include "paper/measures.hpp"

#include <algorithm>
#include <initializer_list>
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

double cycles_of(const run_report& run, std::initializer_list<const char*> parts) {
  double sum = 0;
  for (const char* part : parts)
    if (const auto at = run.times.find(part); at != run.times.end()) sum += static_cast<double>(at->second);
  return sum;
}

/// Of the time that threads spend in or between the tasks of phases.
double part_of_phases(const run_report& run, std::initializer_list<const char*> parts) {
  return cycles_of(run, parts) / std::max(1.0, cycles_of(run, {"computing", "data", "queueing", "handling",
                                                               "waiting", "sharing", "spinning"}));
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
    {"queue_share", "part of the threads' time that operations on task queues take", false,
     [](const measured_runs& of) { return part_of_phases(of.run, {"queueing"}); }},
    {"starved_share", "part of the threads' time without tasks", false,
     [](const measured_runs& of) { return part_of_phases(of.run, {"waiting", "spinning"}); }},
    {"task_cycles", "cycles that all tasks take together", false,
     [](const measured_runs& of) { return cycles_of(of.run, {"computing", "data"}); }},
    {"handler_cycles", "cycles of all handlers together", false,
     [](const measured_runs& of) { return cycles_of(of.run, {"handling"}); }},
};

}  // namespace

std::span<const measure> measures() noexcept { return known; }

const measure* find_measure(std::string_view name) noexcept {
  const auto at = std::ranges::find(known, name, &measure::name);
  return at == std::end(known) ? nullptr : at;
}

}  // namespace skua::paper
