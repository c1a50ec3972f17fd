// What runs of this tool printed, in a file: what is there need not be run again.
//
//   kept_runs kept("runs.jsonl");
//   if (const own_run* before = kept.find(command)) use(*before);
//   else kept.add(command, run(command));
//
// A line a run, appended as it ends, so that a long series may be stopped and go on. Nothing says by which version of the
// tool a line was written: a file is for as long as the model does not change.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "cli/own_runs.hpp"

namespace skua::cli {

class kept_runs {
 public:
  /// Of no path: keeps nothing. Throws bad_input for a file that cannot be written, or has other things in it.
  explicit kept_runs(const std::string& path);

  /// Null if it was not run.
  const own_run* find(const arguments& command) const;
  /// Those that failed are not kept.
  void add(const arguments& command, const own_run& ran);

 private:
  void read(const std::string& path);
  void take(const std::string& line, const std::string& path, std::size_t number);

  std::map<arguments, own_run> before_;
  std::ofstream file_;
};

}  // namespace skua::cli
