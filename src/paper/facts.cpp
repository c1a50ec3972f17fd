#include "paper/facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number_text.hpp"
#include "paper/band.hpp"

namespace skua::paper {

using base::short_number;

namespace {

std::string level_words(const result& of) {
  if (!of.came_out.level.empty()) return of.came_out.level;
  switch (of.what->level) {
    case level::exact:
      return "computed exactly";
    case level::host:
      return "measured on a real machine";
    case level::inputs:
      return "inputs of a model";
    default:
      return std::string(name_of(of.what->level));
  }
}

/// From the outcome, or else from the setups.
std::string machine_words(const result& of) {
  if (!of.came_out.machine.empty()) return of.came_out.machine;
  std::set<std::string> machines;
  for (const point& here : of.what->points())
    if (const std::string one = of.what->setup_at(here, size::full).machine; !one.empty())
      machines.insert(one);
  std::string words;
  for (const std::string& one : machines) words += (words.empty() ? "" : ", ") + one;
  return words;
}

table numbers_of(const result& of) {
  table numbers{.caption = "Published numbers",
                .columns = {"what", "published", "ours: median [min, max]", "verdict", "source"},
                .rows = {}};
  for (const value_judgement& one : of.found.values) {
    const bool run = one.result != judgement::not_run;
    numbers.rows.push_back({one.what, one.published,
                            !run                          ? "-"
                            : std::isnan(one.ours.median) ? "not defined"
                                                          : band_text(one.ours),
                            marked(one.result), one.place});
  }
  return numbers;
}

table comparisons_of(const result& of) {
  table claims{.caption = "Comparisons",
               .columns = {"what the paper says", "holds in", "places", "verdict", "source"},
               .rows = {}};
  for (const comparison_judgement& one : of.found.comparisons)
    claims.rows.push_back({one.says, one.run ? fmt::format("{} of {} seeds", one.held, one.seeds) : "-",
                           std::to_string(one.places),
                           !one.run    ? marked(judgement::not_run)
                           : one.holds ? "= holds"
                                       : "x fails",
                           one.place});
  return claims;
}

table inputs_of(const result& of) {
  table inputs{
      .caption = "Inputs of the model (not results)", .columns = {"what", "value", "source"}, .rows = {}};
  for (const input_value& one : of.what->inputs)
    inputs.rows.push_back(
        {one.name, short_number(one.value) + (one.unit.empty() ? "" : " " + one.unit), one.place});
  return inputs;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> facts_of(const result& of) {
  std::vector<std::pair<std::string, std::string>> facts{{"source", of.what->place},
                                                         {"the paper's claim", of.what->claim}};
  const auto add = [&](const char* name, const std::string& words) {
    if (!words.empty()) facts.emplace_back(name, words);
  };
  add("machine", machine_words(of));
  add("model", level_words(of));
  if (of.found.seeds) add("seeds", std::to_string(of.found.seeds));
  add("command", of.came_out.command);
  if (of.came_out.seconds > 0)
    add("time of the runs", fmt::format("{} s in total; runs that figures share count for each of them",
                                        short_number(of.came_out.seconds)));
  add("not run", of.came_out.not_run);
  return facts;
}

std::vector<list_of_sentences> lists_of(const result& of) {
  std::vector<list_of_sentences> lists;
  const auto add = [&](const char* title, const std::vector<std::string>& sentences) {
    if (!sentences.empty()) lists.push_back({title, sentences});
  };
  if (of.found.result == judgement::different || of.found.result == judgement::not_run)
    add("Why our result differs, and what was tried", of.what->differs);
  add("Remarks", of.what->remarks);
  add("What the model needs", of.what->needs);
  add("Assumptions", of.came_out.assumptions);
  std::vector<std::string> tuned;
  for (const tuned_constant& one : of.came_out.tuned)
    tuned.push_back(one.name + " = " + one.value + ": " + one.why);
  if (tuned.empty() && !of.came_out.measured.empty()) tuned.emplace_back("none");
  add("Tuned constants", tuned);
  return lists;
}

std::vector<table> tables_of(const result& of) {
  std::vector<table> tables;
  for (table& one : std::vector<table>{numbers_of(of), comparisons_of(of), inputs_of(of)})
    if (!one.rows.empty()) tables.push_back(std::move(one));
  return tables;
}

table contents_of(const std::vector<result>& results) {
  table contents{.caption = "Contents", .columns = {"figure", "verdict", "model", "what"}, .rows = {}};
  for (const result& one : results)
    contents.rows.push_back({one.what->name(), marked(one.found.result), level_words(one), one.what->title});
  return contents;
}

std::string tally_of(const std::vector<result>& results) {
  std::string words;
  for (const judgement which : {judgement::reproduced, judgement::same_sign_and_order, judgement::different,
                                judgement::inputs, judgement::not_run}) {
    const auto count =
        std::ranges::count_if(results, [&](const result& one) { return one.found.result == which; });
    if (count) words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count, name_of(which));
  }
  return words;
}

std::string marked(judgement which) {
  static constexpr const char* shapes[] = {"+", "=", "x", "i", "-"};
  return fmt::format("{} {}", shapes[static_cast<int>(which)], name_of(which));
}

std::string anchor_of(const figure& of) { return slug(of.name()); }

}  // namespace skua::paper
