// The values that a page's charts draw and that a record does not contain as such: speedup by the number of workers
// (allowed by work and span, and measured), and a timeline with no more intervals than a screen shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "observe/run_record.hpp"
#include "report/summary.hpp"

namespace skua::reports {

struct measured_speedup {
  std::size_t workers = 0;
  double speedup = 0;
};

struct speedups {
  std::vector<measured_speedup> measured;    // in ascending order of workers
  std::vector<predicted_speedup> predicted;  // of 1, 2, ... workers; empty if work and span are not known
};

speedups speedups_of(const observe::run_record& run);

struct timeline_shares {
  std::uint64_t interval_ns = 0;
  /// For each worker its intervals in order, `activity_count` thousandths of each.
  std::vector<std::vector<std::uint16_t>> workers = {};
};

/// Adds up neighbouring intervals until there are at most `max`.
timeline_shares shares_of(const observe::timeline_record& timeline, std::size_t max = 200);

}  // namespace skua::reports
