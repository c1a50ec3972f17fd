// How a point of a figure is run: the arguments of a command, or what skua lacks for it; and which points of a figure can be
// run.
//
//   const plan how = plan_for(figure, where, size::quick);
//   if (how.needs.empty()) execute(how.command(seed));   // skua run heat n=512 ... --simulate ... --seed 1 --json
//
// A point is run by a command that the user could type, in its own process, so it does not depend on earlier runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/figure.hpp"

namespace skua::paper {

struct measure;

struct plan {
  std::vector<std::string> words;        // without workers and seed
  std::vector<std::string> words_alone;  // of the run with one worker
  unsigned workers = 0;                  // 0: as many as the machine has cores
  const measure* looked_at = nullptr;
  std::vector<std::string> assumptions;  // what stands in for parts that the figure needs
  std::string needs;                     // what skua lacks; then nothing is run

  /// `alone`: with one worker.
  std::vector<std::string> command(std::uint64_t seed, bool alone = false) const;
};

/// For a simulated figure.
plan plan_for(const figure&, const point&, size);

/// For figures of level `exact`: the value of a point, or none.
using exact_values = std::function<std::optional<double>(const figure&, const point&)>;

struct coverage {
  std::vector<std::pair<point, plan>> runs;
  std::vector<std::pair<point, double>> exact;
  std::vector<std::string> needs;  // what skua lacks, each once, in the order of the points
  std::size_t points = 0;          // of the figure at this size

  bool complete() const { return runs.size() + exact.size() == points; }
  bool nothing() const { return runs.empty() && exact.empty(); }
  /// "needs the substrate carbon, the measure handler_cycles"; empty if nothing is missing.
  std::string needs_words() const;
};

/// Without runs if the points that can be run do not suffice for any claim of the paper.
coverage coverage_of(const figure&, size, const exact_values&);

}  // namespace skua::paper
