// How the time of all workers divides into useful and lost time, as shares that add up to 1. The verdict is based on it.
//
//   account a = account_of(run);
//   a.lost()               // 1 - useful - unattributed
//
// All time is workers x the record's seconds. Of the time outside of skua, one worker's share is useful: one thread
// computes there, and the other workers cannot.
#pragma once

#include <cstddef>

#include "observe/run_record.hpp"

namespace skua::reports {

struct account {
  double useful = 0;       // the program's own work, at the pace of one worker as far as that is known
  double outside = 0;      // all workers but one, while no call was in the scheduler
  double library = 0;      // forking, own queues, successful claims, taking, suspending, resuming
  double few_parts = 0;    // nothing to do: the span left too little parallel work
  double small_parts = 0;  // nothing to do: the cost of steals made the span longer
  double long_tasks = 0;   // nothing to do, while few tasks were long
  double remote_data = 0;  // user time spent on remote data
  double memory = 0;       // user time spent on saturated memories and links
  double slower = 0;       // user time by which the work became slower, for an unknown reason
  double locks = 0;    // tasks looked at a locked skua::mutex, or workers had nothing else to do meanwhile
  double blocked = 0;  // tasks blocked in the kernel
  double waiting_for_cpu = 0;  // threads waited for CPUs that other threads had
  double unattributed = 0;     // the part that the times of workers do not cover

  double lost() const noexcept;  // everything but useful and unattributed
  double idle() const noexcept { return few_parts + small_parts + long_tasks; }
};

account account_of(const observe::run_record& run);

}  // namespace skua::reports
