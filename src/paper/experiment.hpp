// What runs a figure, and what came of it. A runner is one entry in `experiments()`:
//
//   {"cab fig8", [](const figure& of, const run_options& how) { return simulate(of, how); }}
//
// Pages and the terminal are written from results alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/figure.hpp"
#include "paper/verdict.hpp"

namespace skua::paper {

struct run_options {
  enum size size = size::full;
  std::vector<std::uint64_t> seeds;  // empty: the figure's
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

/// A constant of a model that was tuned until something fitted. None is tuned without being listed here.
struct tuned_constant {
  std::string name, value, why;
};

struct outcome {
  samples measured;                     // a point that is not here was not run
  std::string machine, level, command;  // as shown to the reader; command: what reproduces it
  double seconds = 0;                   // of real time
  std::vector<std::string> assumptions;
  std::vector<tuned_constant> tuned;
  std::string not_run;  // why nothing, or not everything, was run
};

struct result {
  const figure* what;
  outcome came_out;
  figure_verdict found;
};

struct experiment {
  std::string name;  // "cab fig8"
  std::function<outcome(const figure&, const run_options&)> run;
};

/// Runs and judges; without an experiment the outcome is empty and says so.
result run(const figure&, const std::vector<experiment>&, const run_options&);

}  // namespace skua::paper
