// The rules of the verdict, one for each limit: the share of all workers' time that it cost, and the evidence for it.
// verdict.cpp reports the one with the largest share.
#pragma once

#include <string>
#include <vector>

#include "observe/run_record.hpp"
#include "report/account.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

/// The input of all rules.
struct facts {
  const observe::run_record& run;
  summary sum;
  account shares;
};

struct finding {
  limit what = limit::nothing;
  double lost = 0;            // share of all workers' time
  std::string sentence = {};  // empty if nothing is lost
  std::string advice = {};    // what may help, or empty
  std::vector<std::string> evidence = {};
};

finding find_nothing(const facts& f);
finding find_parallelism(const facts& f);
finding find_outside(const facts& f);  // also limit::parallelism
finding find_task_size(const facts& f);
finding find_remote_steals(const facts& f);
finding find_memory_bandwidth(const facts& f);
finding find_slower_work(const facts& f);
finding find_locks(const facts& f);
finding find_imbalance(const facts& f);
finding find_sleeping(const facts& f);
/// Whether threads of the program that are not workers used the CPUs more than other programs did.
bool own_threads_have_cpus(const observe::run_record& run);
finding find_waiting_for_cpus(const facts& f);  // limit::cpu_quota, few_cpus or other_programs

}  // namespace skua::reports
