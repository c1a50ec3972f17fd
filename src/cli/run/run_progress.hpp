// How far the runs of `skua run` are, drawn anew every half second: "40%, 3 min left: heat paper: run 2 of 5".
//
//   run_progress shown(program, pool, line, "heat paper", {.runs = 5, .warm_up = true});
//   shown.about_to_run(0);
//   ...                        // the run
//   shown.about_to_check();
//   ...                        // the answer; and so on with run 1 to 5
//
// The share is of all runs. Of the one under way the program says how much is done; where it does not know, as most do
// that recurse, the runs before it say how long one takes. Before them only the time goes by; of a simulated run what it
// has done so far is said too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>

#include "cli/progress_line.hpp"
#include "workloads/common/workload.hpp"

namespace skua::cli {

/// Runs 1 to `runs`, and run 0 before them to warm up.
struct runs_to_come {
  std::int64_t runs;
  bool warm_up;
};

class run_progress {
 public:
  /// All of them outlive it. `what`: "heat paper".
  run_progress(workloads::program& program, const scheduler& pool, progress_line& line, std::string what,
               runs_to_come runs);
  ~run_progress();
  run_progress(const run_progress&) = delete;
  run_progress& operator=(const run_progress&) = delete;

  void about_to_run(std::int64_t i);
  void about_to_check();

 private:
  using clock = std::chrono::steady_clock;

  void keep_showing();
  void show();
  std::optional<double> share() const;
  std::string words() const;
  std::string simulated_so_far() const;
  double since_begin() const;

  workloads::program& program_;
  const scheduler& pool_;
  progress_line& line_;
  const std::string what_;
  const std::int64_t repeat_, first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, checks_ = false;
  std::int64_t at_;
  clock::time_point begin_ = clock::now();
  simulation_progress before_;  // the run under way
  double took_ = 0;             // seconds of the last run, with its check
  std::thread shows_;
};

}  // namespace skua::cli
