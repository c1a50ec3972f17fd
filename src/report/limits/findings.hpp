// One rule a limit: how much of all workers' time it cost, and what shows it. The largest decides (verdict.cpp).
#pragma once

#include <string>
#include <vector>

#include "observe/run_record.hpp"
#include "report/account.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

/// What all rules look at.
struct facts {
  const observe::run_record& run;
  summary sum;
  account books;
};

struct finding {
  limit what = limit::nothing;
  double lost = 0;            // share of all workers' time
  std::string sentence = {};  // empty where nothing is lost
  std::string advice = {};    // what to do about it, or empty
  std::vector<std::string> evidence = {};
};

finding find_nothing(const facts& f);
finding find_parallelism(const facts& f);
finding find_outside(const facts& f);  // limit::parallelism, too
finding find_task_size(const facts& f);
finding find_remote_steals(const facts& f);
finding find_memory_bandwidth(const facts& f);
finding find_imbalance(const facts& f);
finding find_sleeping(const facts& f);
finding find_other_programs(const facts& f);

}  // namespace skua::reports
