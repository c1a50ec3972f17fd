#include "paper/relation_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/nearest_name.hpp"

namespace skua::paper {

using base::json_part;

namespace {

constexpr double any = 1e30;

std::vector<std::string_view> names_of(const std::vector<entry>& entries) {
  std::vector<std::string_view> names;
  for (const entry& one : entries) names.push_back(one.name);
  return names;
}

/// A name, a list of names, or "*".
std::vector<std::string> coordinate_of(const json_part& part, const std::vector<entry>& entries) {
  const std::vector<std::string_view> names = names_of(entries);
  if (part.is_text() && part.text() == "*") return {names.begin(), names.end()};
  std::vector<std::string> chosen;
  for (const json_part& one : part.is_list() ? part.list() : std::vector{part})
    chosen.emplace_back(names[one_of(one, names)]);
  return chosen;
}

/// The coordinates among a quantity's or a selection's members.
selection coordinates_of(const json_part& part, const figure& found) {
  const auto read = [&](std::string_view key, const std::vector<entry>& entries) {
    const auto given = part.find(key);
    return given ? coordinate_of(*given, entries) : std::vector<std::string>();
  };
  return {read("panel", found.panels), read("series", found.series), read("x", found.xs)};
}

bool has_many(const selection& some) {
  return some.panel.size() > 1 || some.series.size() > 1 || some.x.size() > 1;
}

pick pick_of(const json_part& part, const selection& of) {
  static constexpr std::string_view names[] = {"largest", "smallest", "mean", "median"};
  const auto given = part.find("pick");
  if (given && !has_many(of)) given->refuse("'" + given->text() + "'", "more than one point to pick from");
  if (!given && has_many(of))
    part.refuse("several points", "a \"pick\" of them: " + skua::base::list_of_names(names));
  return given ? static_cast<pick>(1 + one_of(*given, names)) : pick::only;
}

quantity quantity_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"panel", "series", "x", "over", "pick"};
  if (part.is_number()) return {.constant = part.number(-any, any), .of = {}, .over = {}};
  if (part.is_text()) return {.constant = {}, .of = {{}, coordinate_of(part, found.series), {}}, .over = {}};
  part.allow_only(keys);
  quantity what{.constant = {}, .of = coordinates_of(part, found), .over = {}};
  if (const auto over = part.find("over")) {
    what.over = selection_of(*over, found);
    if (has_many(*what.over)) over->refuse("several points", "one");
  }
  what.picked = pick_of(part, what.of);
  return what;
}

/// 1.7, or from 1.01 to 1.02.
std::pair<double, double> range_of(const json_part& part) {
  if (!part.is_list()) return {part.number(-any, any), part.number(-any, any)};
  const std::vector<json_part> ends = part.list();
  if (ends.size() != 2)
    part.refuse("of " + std::to_string(ends.size()), "a number, or a minimum and a maximum");
  const double low = ends[0].number(-any, any);
  return {low, ends[1].number(low, any)};
}

/// The sides. "least" and "most" give the first side, and the coordinate over which the others vary.
void read_sides(const json_part& part, const json_part& sides, const figure& found, comparison& to) {
  if (to.kind != relation::min && to.kind != relation::max) {
    for (const json_part& side : sides.list()) to.sides.push_back(quantity_of(side, found));
    if (to.sides.size() < 2) sides.refuse("one", "two or more to compare");
    return;
  }
  static constexpr std::string_view coordinates[] = {"panel", "series", "x"};
  const std::size_t among = one_of(part.member("among"), coordinates);
  const quantity first = quantity_of(sides, found);
  const auto coordinate = [&](selection& of) -> std::vector<std::string>& {
    return among == 0 ? of.panel : among == 1 ? of.series : of.x;
  };
  to.sides.push_back(first);
  for (const entry& other : among == 0 ? found.panels : among == 1 ? found.series : found.xs) {
    quantity side = first;
    if (coordinate(side.of) == std::vector{other.name}) continue;
    coordinate(side.of) = {other.name};
    to.sides.push_back(side);
  }
  if (coordinate(to.sides[0].of).empty())
    sides.refuse("without " + std::string(coordinates[among]), "one with it");
}

}  // namespace

std::size_t one_of(const json_part& part, std::span<const std::string_view> names) {
  const std::string given = part.text();
  const auto at = std::ranges::find(names, given);
  if (at == names.end())
    part.refuse("'" + given + "'", skua::base::list_of_names(names) + skua::base::or_nearest(given, names));
  return static_cast<std::size_t>(at - names.begin());
}

selection selection_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"panel", "series", "x"};
  part.allow_only(keys);
  return coordinates_of(part, found);
}

published_value value_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"of",   "published", "against", "reading_error",
                                              "from", "says",      "place"};
  static constexpr std::string_view sources[] = {"text", "table", "picture", "formula"};
  part.allow_only(keys);
  const auto [low, high] = range_of(part.member("published"));
  const auto against = part.find("against");
  const double unit = against ? against->number(1e-30, any) : 1;
  published_value value{.what = quantity_of(part.member("of"), found),
                        .low = low / unit,
                        .high = high / unit,
                        .from = static_cast<published_value::source>(one_of(part.member("from"), sources)),
                        .says = part.find("says") ? part.member("says").text() : "",
                        .place = part.member("place").text()};
  if (value.what.constant) part.member("of").refuse("a number", "points of the figure");
  if (against && !value.what.over) against->refuse(against->word(), "for the ratio of two points only");
  const auto error = part.find("reading_error");
  if (error.has_value() != (value.from == published_value::source::picture))
    part.refuse(error ? "a value that is not from a picture" : "a value of a picture",
                "a reading_error for values that were read from a picture, and for no others");
  if (error) value.reading_error = error->number(0, any) / unit;
  value.low -= value.reading_error;
  value.high += value.reading_error;
  return value;
}

comparison comparison_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"less",  "not_more", "about",     "least", "most",
                                              "among", "at",       "tolerance", "says",  "place"};
  static constexpr std::string_view kinds[] = {"less", "not_more", "about", "least", "most"};
  part.allow_only(keys);
  std::vector<std::size_t> said;
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (part.find(kinds[i])) said.push_back(i);
  if (said.size() != 1)
    part.refuse("of " + std::to_string(said.size()) + " kinds", "one of " + skua::base::list_of_names(kinds));
  comparison claim{.kind = static_cast<relation>(said[0]),
                   .sides = {},
                   .at = {},
                   .says = part.member("says").text(),
                   .place = part.member("place").text()};
  read_sides(part, part.member(kinds[said[0]]), found, claim);
  if (const auto at = part.find("at")) claim.at = selection_of(*at, found);
  if (claim.kind == relation::about) claim.tolerance = part.member("tolerance").number(1e-9, 1e9);
  return claim;
}

}  // namespace skua::paper
