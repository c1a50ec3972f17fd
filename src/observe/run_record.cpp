#include "observe/run_record.hpp"

namespace skua::observe {

worker_times run_record::total_times() const {
  worker_times all;
  for (const worker_record& w : workers) all += w.times;
  return all;
}

counters run_record::total_counts() const {
  counters all;
  for (const worker_record& w : workers) all += w.counts;
  return all;
}

}  // namespace skua::observe
