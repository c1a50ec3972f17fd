// The options of `skua scale`, the runs that they ask for, and what these print; and the runs of any program that uses skua, by its
// variables and its report.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/program_runs.hpp"
#include "cli/run/run_options.hpp"
#include "paper/scaling.hpp"

namespace skua::cli {

struct scale_options {
  run_options run;  // without workers and policy
  std::string workers, policies, plot;
  bool serial = false;
  std::size_t jobs = 0;
};

/// A curve without times for each policy, with a point for each number of workers, 1 always among them. Throws bad_input.
paper::scaling planned(const scale_options& options);
/// The command line of one run, without `skua`.
arguments command_of(const scale_options& options, const std::string& policy, std::size_t workers);
/// Reads what this run printed into the point. Throws std::runtime_error for a run that failed or a wrong answer.
void take(const own_run& ran, paper::scaling_curve& curve, paper::scaling_point& point);
void print_json(const paper::scaling& all);

/// Throws bad_input for a file that cannot be run, and for options that only workloads have.
void check_program(const command& of, const scale_options& options);

/// Runs the program for each point of the curves and fills them in. Returns the record of the first curve's last point.
/// Throws std::runtime_error for a run that failed or left no report.
std::string measure_program(const scale_options& options, paper::scaling& all,
                            const std::function<void(std::size_t done, std::size_t of)>& progress);

}  // namespace skua::cli
