#include "paper/coverage.hpp"

#include <algorithm>

#include "paper/verdict.hpp"

namespace skua::paper {

namespace {

void want(coverage& of, const std::string& need) {
  if (std::ranges::find(of.needs, need) == of.needs.end()) of.needs.push_back(need);
}

void look_at(const figure& of, const point& where, size how_much, const exact_values& exact, coverage& all) {
  if (of.level == level::exact) {
    if (const std::optional<double> value = exact(of, where))
      all.exact.emplace_back(where, *value);
    else
      want(all, "the measure " + of.setup_at(where, how_much).measure);
    return;
  }
  plan how = plan_for(of, where, how_much);
  if (!how.needs.empty()) return want(all, how.needs);
  all.runs.emplace_back(where, std::move(how));
}

/// Is there a number or a comparison of the paper's whose points can all be run?
bool says_something(const figure& of, const coverage& all) {
  samples any;
  for (const auto& [where, how] : all.runs) any[where].assign(min_seeds, 1);
  for (const auto& [where, value] : all.exact) any[where].assign(min_seeds, 1);
  return judge(of, any).result != verdict::not_run;
}

}  // namespace

std::string coverage::needs_words() const {
  std::string words;
  for (const std::string& need : needs) words += (words.empty() ? "needs " : ", ") + need;
  return words;
}

coverage coverage_of(const figure& of, size how_much, const exact_values& exact) {
  coverage all;
  if (of.level == level::inputs) return all;
  for (const point& where : of.points(how_much)) {
    ++all.points;
    look_at(of, where, how_much, exact, all);
  }
  if (!says_something(of, all)) {
    all.runs.clear();
    all.exact.clear();
  }
  return all;
}

}  // namespace skua::paper
