// Runs the commands of the points of figures, each command once even if several figures need it.
//
//   paper_runner runner(paper::size::quick, 5, "");
//   runner.run(figures, progress);
//   paper::outcome outcome = runner.outcome_of(figure);
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/program_runs.hpp"
#include "paper/experiment.hpp"
#include "paper/plan.hpp"

namespace skua::cli {

/// A file with the output of runs of this tool, so that they need not be run again: one line per run, appended when it ends. A
/// long series may be stopped and continued. The lines do not name the version of the tool: remove the file when the
/// model changes.
class kept_runs {
 public:
  /// An empty path: nothing is kept. Throws bad_input for a file that cannot be written or has other contents.
  explicit kept_runs(const std::string& path);

  /// Null if the file does not contain the run.
  const own_run* find(const arguments& command) const;
  /// Does nothing for a run that failed.
  void add(const arguments& command, const own_run& ran);

 private:
  void read(const std::string& path);
  void take(const std::string& line, const std::string& path, std::size_t number);

  std::map<arguments, own_run> before_;
  std::ofstream file_;
};

/// The seeds 1 to `wanted`, which is at least 5; 0: the seeds of the figure.
std::vector<std::uint64_t> seeds_for(const paper::figure&, std::size_t wanted);

class paper_runner {
 public:
  /// `keep`: the file of kept_runs; empty: none.
  paper_runner(paper::size how_much, std::size_t seeds, const std::string& keep)
      : size_(how_much), seeds_(seeds), kept_(keep) {}

  /// Calls `progress` with the number of ended runs and of all runs.
  void run(const std::vector<const paper::figure*>&,
           const std::function<void(std::size_t done, std::size_t all)>& progress);
  /// Call it after run() with this figure.
  paper::outcome outcome_of(const paper::figure&) const;
  /// Whether any run failed.
  bool failed() const;

 private:
  /// Whether the command was run before, by this object or in the file.
  bool recall(const arguments& command);
  /// `used`: the commands whose time the outcome already contains.
  bool measure_point(const paper::figure&, const paper::point&, const paper::plan&, paper::outcome&,
                     std::set<arguments>& used) const;
  std::string machines_of(const paper::figure&, const paper::outcome&) const;
  std::vector<paper::tuned_constant> tuned_for(const paper::figure&, const paper::outcome&) const;
  std::string command_for(const paper::figure&) const;

  const paper::size size_;
  const std::size_t seeds_;
  kept_runs kept_;
  std::map<arguments, own_run> ran_;
};

}  // namespace skua::cli
