// What `skua scale` is asked for, and the runs that it makes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/own_runs.hpp"
#include "cli/run/run_options.hpp"
#include "paper/scaling.hpp"

namespace skua::cli {

struct scale_options {
  run_options run;  // but for workers and policy
  std::string workers, policies, plot;
  bool serial = false;
  std::size_t jobs = 0;
};

/// Curves without times: those policies on those numbers of workers, one among them. Throws bad_input.
paper::scaling planned(const scale_options& options);
/// What follows `skua` for one run.
arguments command_of(const scale_options& options, const std::string& policy, std::size_t workers);
/// What such a run printed. Throws std::runtime_error for an answer that was wrong.
void take(const own_run& ran, paper::scaling_curve& curve, paper::scaling_point& point);

}  // namespace skua::cli
