// Where the time of all workers went, as shares that add up to 1: the books from which a verdict is read.
//
//   account a = draw_up(run);
//   a.lost()               // 1 - what was useful
//
// All time is workers x the record's seconds. Of the time outside of skua one worker's is useful: somebody computes there,
// and the others cannot.
#pragma once

#include <cstddef>

#include "observe/run_record.hpp"

namespace skua::reports {

struct account {
  double useful = 0;       // the program's own work, at the pace of one worker as far as that is known
  double outside = 0;      // all workers but one, while nobody was in the scheduler
  double library = 0;      // forking, own queues, claims that brought something, taking, suspending, resuming
  double few_parts = 0;    // nothing to do: the span left no more work than there was
  double small_parts = 0;  // nothing to do: the price of steals stretched the span
  double long_tasks = 0;   // nothing to do, while few tasks were long
  double remote_data = 0;  // user time for data that were far
  double memory = 0;       // user time for memories and links that were full
  double blocked = 0;      // tasks waited in the kernel
  double waiting_for_cpu = 0;  // threads waited for CPUs that others had
  double unattributed = 0;     // what the times of workers do not add up to

  double lost() const noexcept;  // all but the useful and the unattributed
  double idle() const noexcept { return few_parts + small_parts + long_tasks; }
};

account draw_up(const observe::run_record& run);

}  // namespace skua::reports
