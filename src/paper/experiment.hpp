// Runs figures and keeps the outcome. A runner is one entry in a list of experiments:
//
//   {"cab fig8", [](const figure& of, const run_options& how) { return simulate(of, how); }}
//
// Pages and the terminal output depend on results only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/figure.hpp"
#include "paper/judgement.hpp"

namespace skua::paper {

struct run_options {
  enum size size = size::full;
  std::vector<std::uint64_t> seeds;  // empty: those of the figure
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

/// A constant of a model that was tuned to match something. Every tuned constant is listed.
struct tuned_constant {
  std::string name, value, why;
};

struct outcome {
  samples measured;                     // points that were not run are missing
  std::string machine, level, command;  // as shown to the reader; command: reproduces it
  double seconds = 0;                   // real time
  std::vector<std::string> assumptions;
  std::vector<tuned_constant> tuned;
  std::string not_run;  // why not everything was run
};

struct result {
  const figure* what;
  outcome came_out;
  figure_judgement found;
};

struct experiment {
  std::string name;  // "cab fig8"
  std::function<outcome(const figure&, const run_options&)> run;
};

/// Runs and judges a figure. Without an experiment the outcome is empty and says so.
result run(const figure&, const std::vector<experiment>&, const run_options&);

}  // namespace skua::paper
