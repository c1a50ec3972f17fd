// The protocol of a measurement: input and checks untimed, one run to warm up, then so many timed ones, each
// verified.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <skua/report.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>

#include "cli/progress_line.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

struct measurement {
  std::vector<double> seconds;        // of the timed runs, in order; of the simulated machine if there is one
  skua::report counted;               // by the run with the median time
  skua::simulation_report simulated;  // so far; its times of the last run
  bool verified = true;               // all runs, the untimed one too
  std::string answer;                 // the last answer, or the first that was wrong
  std::string record;                 // the same run's, as a report reads it, where the scheduler keeps one
  std::map<std::string, double> numbers;  // that the program counted in the last run
  double median() const;
};

struct measurement_plan {
  std::int64_t repeat = 5;
  bool warm_up = true;       // one run that is verified and not timed
  bool keep_record = false;  // the scheduler keeps reports
  bool damage = false;       // change one element of every answer before it is verified
  progress_line& line;       // how far it is
  std::string what;          // it is called there
};

measurement measure(workloads::program& program, scheduler& pool, const measurement_plan& plan);

}  // namespace skua::cli
