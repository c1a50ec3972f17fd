// The protocol of a measurement: one run to warm up, then the timed runs. Every run is verified. Making the input and
// checking the answer are not timed. And its result, printed as text or JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <skua/best_workers.hpp>
#include <skua/report.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>

#include "cli/progress_line.hpp"
#include "cli/run/run_options.hpp"
#include "observe/run_record.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

struct measurement {
  std::vector<double> seconds;          // of the timed runs, in order; virtual ones on a simulated machine
  skua::report counted;                 // of the median run
  skua::simulation_report simulated;    // of all runs so far; its times are those of the last run
  std::vector<double> waiting_for_cpu;  // of the timed runs on a real machine: share of the workers' time
  bool verified = true;                 // all runs, with the warm-up run
  std::string answer;                   // the last answer, or the first wrong one
  std::string record;                   // of the median run, where the scheduler keeps records
  std::vector<observe::choice_record> choices;  // of all runs, if the policy chooses among others
  std::map<std::string, double> numbers;        // counted by the program in the last run
  double median() const;
};

struct measurement_plan {
  std::int64_t repeat = 5;
  bool warm_up = true;          // begin with a run that is verified but not timed
  bool keep_record = false;     // the scheduler keeps records
  bool corrupt_result = false;  // change one element of each answer before it is verified
  progress_line& line;          // shows the progress
  std::string what;             // the name of the measurement in that line
};

measurement measure(workloads::program& program, scheduler& pool, const measurement_plan& plan);

/// Measures the same program with the scheduler of `chosen`, but on one worker.
observe::baseline_record measure_baseline(workloads::program& program, scheduler_options chosen,
                                          const measurement& measured, measurement_plan plan);

struct run_result {
  const run_options& options;
  const scheduler& pool;
  const measurement& measured;
  const std::vector<workers_trial>& trials;  // of --workers measure
};

void print_text(const run_result& result);
void print_json(const run_result& result);

}  // namespace skua::cli
