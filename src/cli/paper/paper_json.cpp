// The figures, and the results of those that were run, as JSON and as a list.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/output.hpp"
#include "cli/paper/paper.hpp"
#include "cli/paper/paper_runner.hpp"

namespace skua::cli {

using json = nlohmann::ordered_json;

namespace {

json head_of(const paper::figure& of) {
  return {{"paper", of.paper}, {"id", of.id}, {"title", of.title}, {"level", paper::name_of(of.level)}};
}

json values_of(const paper::figure_judgement& found) {
  json all = json::array();
  for (const paper::value_judgement& one : found.values) {
    json value = {{"what", one.what},
                  {"published", {one.low, one.high}},
                  {"verdict", paper::name_of(one.result)},
                  {"reason", one.reason},
                  {"place", one.place}};
    if (one.result != paper::judgement::not_run)
      value["ours"] = {{"min", one.ours.min}, {"median", one.ours.median}, {"max", one.ours.max}};
    all.push_back(std::move(value));
  }
  return all;
}

json comparisons_of(const paper::figure_judgement& found) {
  json all = json::array();
  for (const paper::comparison_judgement& one : found.comparisons)
    all.push_back({{"says", one.says},
                   {"verdict", !one.run    ? "not run"
                               : one.holds ? "holds"
                                           : "fails"},
                   {"held", one.held},
                   {"seeds", one.seeds},
                   {"places", one.places},
                   {"reason", one.reason},
                   {"place", one.place}});
  return all;
}

json points_of(const paper::samples& measured) {
  json all = json::array();
  for (const auto& [where, samples] : measured)
    all.push_back({{"panel", where.panel}, {"series", where.series}, {"x", where.x}, {"samples", samples}});
  return all;
}

json figure_json(const paper::figure& of, const paper::coverage& can) {
  json one = head_of(of);
  one["runs"] = runs_word(of, can);
  one["needs"] = can.needs;
  return one;
}

json result_json(const paper::result& of, paper::size how_much, const std::vector<std::uint64_t>& seeds) {
  json one = head_of(*of.what);
  one["size"] = how_much == paper::size::quick ? "quick" : "full";
  one["seeds"] = seeds;
  one["verdict"] = paper::name_of(of.found.result);
  one["reason"] = of.found.reason;
  one["not_run"] = of.came_out.not_run;
  one["assumptions"] = of.came_out.assumptions;
  one["values"] = values_of(of.found);
  one["comparisons"] = comparisons_of(of.found);
  one["points"] = points_of(of.came_out.measured);
  return one;
}

}  // namespace

std::string_view runs_word(const paper::figure& of, const paper::coverage& can) {
  if (of.level == paper::level::inputs) return "inputs";
  if (can.nothing()) return "not yet";
  return can.complete() ? "all" : "some points";
}

std::string list_of(const std::vector<const paper::figure*>& figures, paper::size how_much) {
  std::size_t widest = 0;
  for (const paper::figure* of : figures) widest = std::max(widest, of->name().size());
  std::string text = fmt::format("{:<{}}  {:<6}  {:<11}  {}\n", "figure", widest, "level", "runs", "what");
  for (const paper::figure* of : figures) {
    const paper::coverage can = paper::coverage_of(*of, how_much, exact_value);
    text += fmt::format("{:<{}}  {:<6}  {:<11}  {}\n", of->name(), widest, paper::name_of(of->level),
                        runs_word(*of, can), of->title);
    if (!can.needs.empty()) text += fmt::format("{:<{}}  {:<6}  {}\n", "", widest, "", can.needs_words());
  }
  return text;
}

void print_list_json(const std::vector<const paper::figure*>& figures, paper::size how_much) {
  json list = json::array();
  for (const paper::figure* of : figures)
    list.push_back(figure_json(*of, paper::coverage_of(*of, how_much, exact_value)));
  print_json_text(list);
}

void print_results_json(const std::vector<paper::result>& results, paper::size how_much, std::size_t seeds,
                        bool as_array) {
  json all = json::array();
  for (const paper::result& one : results)
    all.push_back(result_json(one, how_much, seeds_for(*one.what, seeds)));
  print_json_text(as_array ? all : all.front());
}

}  // namespace skua::cli
