// What one run said of itself: the part of `skua run --json` that figures are made of.
//
//   const run_report report = read_report(text);
//   report.seconds / report.demand_misses.at(3);
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace skua::paper {

struct run_report {
  /// How often something was done, and for how long in all.
  struct operation {
    std::uint64_t times = 0, cycles = 0;
  };

  double seconds = 0;  // of the simulated machine
  bool verified = false;
  std::uint64_t attempts = 0, steal_misses = 0, remote_attempts = 0, remote_steals = 0;
  std::map<unsigned, std::uint64_t>
      demand_misses;                           // by level of cache, in lines, all caches of a level together
  std::map<std::string, std::uint64_t> times;  // cycles of all workers, by what they did (simulated_times)
  std::map<std::string, std::uint64_t>
      kept_times;                               // ns of all workers, by skua::activity_names; with --times
  std::map<std::string, operation> operations;  // of substrates (simulated_operations)
  std::uint64_t tasks = 0, stolen_tasks = 0;    // of phases, where the substrate counts them
  std::uint64_t above_boundary = 0;             // of the cycles
  std::map<std::string, double> numbers;        // that the program counts itself
};

/// Throws std::runtime_error for what `skua run --json` does not print, and for an answer that was not right.
run_report read_report(const std::string& json);

}  // namespace skua::paper
