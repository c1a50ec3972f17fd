// Which points of a figure can be run, and what the others want.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "paper/plan.hpp"

namespace skua::paper {

/// For figures of level `exact`: the value of a point, none where nobody computes it.
using exact_values = std::function<std::optional<double>(const figure&, const point&)>;

struct coverage {
  std::vector<std::pair<point, plan>> runs;
  std::vector<std::pair<point, double>> exact;
  std::vector<std::string> needs;  // each once, in the order of the points
  std::size_t points = 0;          // that the figure has at this size

  bool complete() const { return runs.size() + exact.size() == points; }
  bool nothing() const { return runs.empty() && exact.empty(); }
  /// "needs the substrate carbon, the measure handler_cycles"; empty where nothing is wanted.
  std::string needs_words() const;
};

/// Empty of runs where what could be run would say nothing that the paper says something of.
coverage coverage_of(const figure&, size, const exact_values&);

}  // namespace skua::paper
