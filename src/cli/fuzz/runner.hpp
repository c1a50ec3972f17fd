// What one step of `skua fuzz` runs: a scheduler on a simulated machine, a hostile schedule, and the size of a program. And the steps, in
// other processes, so that a crash is a finding as well.
//
//   fuzz_runner runner(fixed, progress);
//   runner.run({.first = 0, .count = 1000}, seconds);
//   for (const finding& one : runner.findings()) ...
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <skua/scheduler.hpp>

#include "cli/program_runs.hpp"

namespace skua::cli::fuzz {

/// The values that the user has fixed. The others are drawn.
struct wishes {
  std::uint64_t seed = 1;
  std::string policy;                   // empty: any
  std::optional<std::int64_t> workers;  // empty: 1 to max_workers
};

inline constexpr std::int64_t max_workers = 256;

struct plan {
  scheduler_options scheduler;
  std::uint64_t schedule = 1;  // seed of the hostile schedule
  std::uint64_t program = 1;   // seed of the program
  std::uint32_t tasks = 1;
};

/// The same wishes and step give the same plan on every machine.
plan plan_of(const wishes& fixed, std::uint64_t step);
/// "bitier(boundary=2) on package:2 core:4 pu:1 with 8 workers".
std::string text_of(const plan& of);

/// A random policy with random options. `workers` limits options that are numbers of workers.
class dice;
std::string random_policy(dice& by, std::int64_t workers);

struct steps {
  std::uint64_t first = 0, count = 1;
};

struct finding {
  std::uint64_t step;
  std::string what, wrong;  // what ran, and the error
  std::string replay;       // a command
};

struct summary {
  std::uint64_t steps = 0, tasks = 0, events = 0;
  std::int64_t fewest_workers = max_workers, max_workers_run = 0;
  std::map<std::string, std::uint64_t> policies;  // number of steps with each policy
};

class fuzz_runner {
 public:
  /// Calls `progress` with the number of ended steps.
  fuzz_runner(const wishes& fixed, std::function<void(std::uint64_t)> progress);
  /// Ends at the first finding, or after so many seconds.
  void run(const steps& which, std::optional<double> seconds);
  const std::vector<finding>& findings() const { return findings_; }
  const summary& sum() const { return sum_; }

 private:
  arguments command(const steps& which, std::optional<double> seconds) const;
  void read(const own_run& ran);
  void read_end(const std::string& line);
  void find(std::uint64_t step, const std::string& wrong);

  const wishes fixed_;
  const std::function<void(std::uint64_t)> progress_;
  std::vector<finding> findings_;
  summary sum_;
};

void print_json(const summary& sum, const std::vector<finding>& findings);

/// Runs one step in this process, several steps in copies of it. Writes a line of JSON when a step begins and one when it
/// has ended. Stops after a step with an error.
void run_steps_here(const wishes& fixed, const steps& which, std::optional<double> seconds);

}  // namespace skua::cli::fuzz
