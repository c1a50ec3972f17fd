#include "cli/paper/paper_json.hpp"

#include <nlohmann/json.hpp>

#include "cli/paper/paper_words.hpp"

namespace skua::cli {

using json = nlohmann::ordered_json;

namespace {

json head_of(const paper::figure& of) {
  return {{"paper", of.paper}, {"id", of.id}, {"title", of.title}, {"level", paper::name_of(of.level)}};
}

json values_of(const paper::figure_verdict& found) {
  json all = json::array();
  for (const paper::value_verdict& one : found.values) {
    json value = {{"what", one.what},
                  {"published", {one.low, one.high}},
                  {"verdict", paper::words_for(one.result)},
                  {"reason", one.reason},
                  {"place", one.place}};
    if (one.result != paper::verdict::not_run)
      value["ours"] = {{"least", one.min}, {"median", one.median}, {"greatest", one.greatest}};
    all.push_back(std::move(value));
  }
  return all;
}

json comparisons_of(const paper::figure_verdict& found) {
  json all = json::array();
  for (const paper::comparison_verdict& one : found.comparisons)
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

}  // namespace

json json_of(const paper::figure& of, const paper::coverage& can) {
  json one = head_of(of);
  one["runs"] = runs_word(of, can);
  one["needs"] = can.needs;
  return one;
}

json json_of(const paper::result& of, paper::size how_much, const std::vector<std::uint64_t>& seeds) {
  json one = head_of(*of.what);
  one["size"] = how_much == paper::size::quick ? "quick" : "full";
  one["seeds"] = seeds;
  one["verdict"] = paper::words_for(of.found.result);
  one["reason"] = of.found.reason;
  one["not_run"] = of.came_out.not_run;
  one["assumptions"] = of.came_out.assumptions;
  one["values"] = values_of(of.found);
  one["comparisons"] = comparisons_of(of.found);
  one["points"] = points_of(of.came_out.measured);
  return one;
}

}  // namespace skua::cli
