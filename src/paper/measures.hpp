// The measures of figures, as numbers of a run. A new measure is one entry in measures.cpp.
//
//   if (const measure* one = find_measure("l3_misses")) one->read({.run = report});
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace skua::paper {

/// The part of the output of `skua run --json` that figures use.
struct run_report {
  /// The number of operations, and their total time.
  struct operation {
    std::uint64_t times = 0, cycles = 0;
  };

  double seconds = 0;  // of the simulated machine
  bool verified = false;
  std::uint64_t attempts = 0, steal_misses = 0, remote_attempts = 0, remote_steals = 0;
  std::map<unsigned, std::uint64_t>
      demand_misses;                           // by level of cache, in lines, all caches of a level together
  std::map<std::string, std::uint64_t> times;  // cycles of all workers by activity (simulated_times)
  std::map<std::string, std::uint64_t>
      kept_times;                               // ns of all workers, by skua::activity_names; with --times
  std::map<std::string, operation> operations;  // of substrates (simulated_operations)
  std::uint64_t tasks = 0, stolen_tasks = 0;    // of phases, if the substrate counts them
  std::uint64_t above_boundary = 0;             // of the cycles
  std::map<std::string, double> numbers;        // counted by the program
};

/// Throws std::runtime_error for text that is not the output of `skua run --json`, and for a wrong answer.
run_report read_report(const std::string& json);

struct measured_runs {
  run_report run;
  run_report alone;  // the same with one worker, only for measures that need it
};

struct measure {
  std::string_view name, what;
  bool wants_alone;
  double (*read)(const measured_runs&);  // throws std::runtime_error if the machine does not have it
  std::string_view assumption = {};      // what stands in for the paper's measure
  bool wants_times = false;              // needs skua run --times
};

std::span<const measure> measures() noexcept;
/// nullptr if there is no such measure.
const measure* find_measure(std::string_view name) noexcept;

}  // namespace skua::paper
