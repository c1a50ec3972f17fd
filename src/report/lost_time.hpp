// Why the workers' time was lost. They had nothing to do: too few parts, parts too small to be worth a steal, or few long tasks,
// which the timeline shows as times in which few workers are busy. Or their own time went to waits for data: these were remote,
// or memories and links were saturated, or the work became slower for a reason that the record does not show.
#pragma once

#include <cstddef>
#include <cstdint>

#include "observe/run_record.hpp"

namespace skua::reports {

/// Shares of the idle time; they add up to 1.
struct idle_reasons {
  double few_parts = 0, small_parts = 0, long_tasks = 0;
};

/// `idle_ns`: of all workers together, while a call was in the scheduler.
idle_reasons explain_idle_time(const observe::run_record& run, double idle_ns);

/// If one task is long while tasks like it are short, and the run waits for it: its length in ns. Otherwise 0.
double one_long_task_ns(const observe::run_record& run);

/// Loops whose work is about as long as a steal.
struct small_loops {
  std::uint64_t number = 0;  // 0: there are none, or larger ones hold the work
  double work_ns = 0;        // of one
};

small_loops find_small_loops(const observe::run_record& run);

/// One task makes most of the others, and these are so small that the others have run them when the next ones are made.
bool made_as_slowly_as_run(const observe::run_record& run);

/// The parts of the timeline in which few workers are busy and the others have nothing to do.
struct few_busy_time {
  double ns = 0;                 // time in which at most a quarter of the workers, or one, is busy
  double workers = 0;            // that are busy then, on average
  double longest_ns = 0;         // the longest stretch in which the same worker is
  std::uint32_t worker = 0;      // that worker
  bool after_many_busy = false;  // before that stretch, more than half of the workers were busy
};

few_busy_time find_few_busy_time(const observe::run_record& run);

struct data_time {
  double remote = 0, saturated = 0, slower = 0;
  double remote_reads =
      0;  // of the lines from memories and other caches, the share from other domains or packages
  double fullest = 0;     // the utilisation of the busiest memory; 0: not known
  double one_memory = 0;  // of the bytes from memories, the share of the busiest; 0: one memory, or not known
  bool interleaved = false;  // most remote data come from interleaved pages: remote whichever worker steals
};

/// Bytes that each worker moved from and to memory in a second of its own time, as counters of misses or declarations show;
/// 0 if neither is known. Of a real machine.
double bytes_a_second(const observe::run_record& run);

/// `inflation`: as in summary; 0 if it is not known.
data_time split_data_time(const observe::run_record& run, double inflation);

}  // namespace skua::reports
