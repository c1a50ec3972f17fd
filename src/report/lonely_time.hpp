// The parts of a run's timeline in which few workers work and the others have nothing to do.
#pragma once

#include <cstddef>

#include "observe/run_record.hpp"

namespace skua::reports {

struct lonely_time {
  double ns = 0;               // in which at most a quarter of the workers, or one, worked
  double workers = 0;          // that worked then, on average
  double longest_ns = 0;       // one stretch in which the same worker did
  std::uint32_t worker = 0;    // that one
  bool after_company = false;  // before that stretch most of the workers worked
};

lonely_time find_lonely_time(const observe::run_record& run);

}  // namespace skua::reports
