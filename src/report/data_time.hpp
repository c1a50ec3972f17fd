// What of the workers' own time went into waiting for data, as shares of it: because they were far, or because memories
// and links were full.
#pragma once

#include "observe/run_record.hpp"

namespace skua::reports {

struct data_time {
  double far = 0, full = 0;
  double remote_reads =
      0;  // of the lines read from memories and other caches, those from another domain or package
  double fullest =
      0;  // of the bytes that the busiest memory could have brought, those that it did; 0: not known
  double one_memory =
      0;  // of the bytes from memories, those of the busiest; 0: there is one memory, or nothing known
  /// What is far came mostly from memories that pages are dealt out to in turn: far for most, whoever steals.
  bool dealt_out = false;
};

/// `inflation`: as in summary; 0 where it is not known.
data_time split_data_time(const observe::run_record& run, double inflation);

}  // namespace skua::reports
