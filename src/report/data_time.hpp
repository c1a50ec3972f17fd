// How much of the workers' own time was spent waiting for data, as shares of it: because data were remote, or because
// memories and links were saturated. And by how much it became slower for a reason that the record does not show.
#pragma once

#include "observe/run_record.hpp"

namespace skua::reports {

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
