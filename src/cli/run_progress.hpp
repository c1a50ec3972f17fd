// How far the runs of `skua run` are. Of a simulated one nobody knows how much there is, so its line says what it has done
// so far, every half second; the share is of runs.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include <skua/scheduler.hpp>

#include "cli/progress_line.hpp"

namespace skua::cli {

class run_progress {
 public:
  /// `what`: "heat paper". Runs 1 to `repeat`, and run 0 before them to warm up.
  run_progress(const scheduler& pool, progress_line& line, std::string what, std::int64_t repeat,
               bool warm_up);
  ~run_progress() { end(); }
  run_progress(const run_progress&) = delete;
  run_progress& operator=(const run_progress&) = delete;

  void about_to_run(std::int64_t i);
  /// The line may be another's.
  void end();

 private:
  void show_simulated();
  void show(const std::string& words);

  const scheduler& pool_;
  progress_line& line_;
  const std::string what_;
  const std::int64_t repeat_, first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::int64_t runs_;
  std::thread shows_;
};

}  // namespace skua::cli
