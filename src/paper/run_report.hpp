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
  double seconds = 0;  // of the simulated machine
  bool verified = false;
  std::uint64_t attempts = 0, steal_misses = 0, remote_attempts = 0;
  std::map<std::string, std::uint64_t> times;  // what the threads did, in cycles of all together
  std::map<unsigned, std::uint64_t>
      demand_misses;  // by level of cache, in lines, all caches of a level together
};

/// Throws std::runtime_error for what `skua run --json` does not print, and for an answer that was not right.
run_report read_report(const std::string& json);

}  // namespace skua::paper
