#include "paper/experiment.hpp"

#include <algorithm>
#include <utility>

namespace skua::paper {

result run(const figure& what, const std::vector<experiment>& experiments, const run_options& how) {
  const auto found = std::ranges::find(experiments, what.name(), &experiment::name);
  outcome came_out;
  if (found != experiments.end())
    came_out = found->run(what, how);
  else if (what.level != level::inputs)
    came_out.not_run = "skua has no experiment for it yet";
  figure_judgement judged = judge(what, came_out.measured);
  return {&what, std::move(came_out), std::move(judged)};
}

}  // namespace skua::paper
