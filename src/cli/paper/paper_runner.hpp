// Figures as outcomes: runs what their points ask for, each command once, whichever figures want it.
//
//   paper_runner runner(paper::size::quick);
//   runner.run(figures, seeds, progress);
//   paper::outcome came_out = runner.outcome_of(figure, seeds);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/kept_runs.hpp"
#include "paper/coverage.hpp"
#include "paper/experiment.hpp"

namespace skua::cli {

/// Of at least 5 seeds, 1 to so many; 0: those of the figure.
std::vector<std::uint64_t> seeds_for(const paper::figure&, std::size_t wanted);

class paper_runner {
 public:
  /// `keep`: a file of kept_runs, or none.
  paper_runner(paper::size how_much, std::size_t seeds, const std::string& keep)
      : size_(how_much), seeds_(seeds), kept_(keep) {}

  /// `progress` hears how many of how many runs have ended.
  void run(const std::vector<const paper::figure*>&,
           const std::function<void(std::size_t done, std::size_t all)>& progress);
  /// After run() with it.
  paper::outcome outcome_of(const paper::figure&) const;
  /// Of all that was run.
  bool failed() const;

 private:
  /// Whether it was run before, here or when its outcome was kept.
  bool recall(const arguments& command);
  /// `used`: the commands whose time the outcome has by now.
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
