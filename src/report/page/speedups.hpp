// Speedup by the number of workers: what the structure of a run promises, and what was measured.
#pragma once

#include <cstddef>
#include <vector>

#include "observe/run_record.hpp"
#include "report/prediction.hpp"

namespace skua::reports {

struct measured_speedup {
  std::size_t workers = 0;
  double speedup = 0;
};

struct speedups {
  std::vector<measured_speedup> measured;    // the fewest workers first
  std::vector<predicted_speedup> predicted;  // of 1, 2, ... workers; empty without a structure
};

speedups speedups_of(const observe::run_record& run);

}  // namespace skua::reports
