// The record that `skua scale --report` writes: that of the run on the most workers, with the times of all others by the
// same policy beside it.
//
//   scale_report report(path);                 // tried before anything runs
//   command.insert(..., report.words());       // of the one run that leaves its record
//   report.write(curve);                       // when all have ended
#pragma once

#include <string>

#include "cli/own_runs.hpp"
#include "paper/scaling.hpp"

namespace skua::cli {

class scale_report {
 public:
  /// Of no path nothing is written. Throws bad_input for a file that cannot be.
  explicit scale_report(const std::string& path);
  ~scale_report();
  scale_report(const scale_report&) = delete;
  scale_report& operator=(const scale_report&) = delete;

  /// What a run's command line has more; nothing where nothing is written.
  arguments words() const;
  void write(const paper::scaling_curve& curve) const;

 private:
  std::string path_;
  int memory_ =
      -1;  // where the run's process leaves its record: a file that no folder has, so that none is left over
};

}  // namespace skua::cli
