#include "paper/reading.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <utility>

#include "base/number_text.hpp"
#include "paper/band.hpp"

namespace skua::paper {

using base::short_number;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

using name_list = std::vector<std::string>;

name_list or_else(const name_list& given, const std::string& default_value) {
  return given.empty() ? name_list{default_value} : given;
}

std::vector<point> points_of(const selection& some, const point& here) {
  std::vector<point> points;
  for (const std::string& panel : or_else(some.panel, here.panel))
    for (const std::string& series : or_else(some.series, here.series))
      for (const std::string& x : or_else(some.x, here.x)) points.push_back({panel, series, x});
  return points;
}

double picked(std::vector<double> from, pick how) {
  if (std::ranges::any_of(from, [](double one) { return std::isnan(one); })) return not_a_number;
  switch (how) {
    case pick::largest:
      return std::ranges::max(from);
    case pick::smallest:
      return std::ranges::min(from);
    case pick::median:
      return median_of(std::move(from));
    case pick::mean: {
      double sum = 0;
      for (const double one : from) sum += one;
      return sum / static_cast<double>(from.size());
    }
    case pick::only:
      break;
  }
  return from.front();
}

/// A point, and the point that it is divided by.
struct fraction {
  point top;
  std::optional<point> bottom;
};

/// The fractions that the figure has. If there are several, no point is divided by itself.
std::vector<fraction> fractions_of(const quantity& what, const point& here, const figure& of) {
  std::vector<fraction> found;
  for (const point& numerator : points_of(what.of, here)) {
    fraction one{numerator, std::nullopt};
    if (what.over) one.bottom = points_of(*what.over, numerator).front();
    if (!of.has(numerator) || (one.bottom && !of.has(*one.bottom))) continue;
    if (what.picked != pick::only && one.bottom == numerator) continue;
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

reading read(const quantity& what, const point& here, const figure& of, const samples& measured,
             std::size_t seeds) {
  if (what.constant) return {.by_seed = std::vector<double>(seeds, *what.constant), .points = {}};
  const std::vector<fraction> parts = fractions_of(what, here, of);
  reading found;
  found.exists = !parts.empty();
  bool all_run = found.exists;
  for (const fraction& part : parts) {
    found.points.push_back(part.top);
    if (part.bottom) found.points.push_back(*part.bottom);
  }
  for (const point& one : found.points) all_run = all_run && measured.contains(one);
  if (!all_run) return found;
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    std::vector<double> values;
    for (const fraction& part : parts) {
      const double upper = measured.at(part.top).at(seed);
      const double bottom = part.bottom ? measured.at(*part.bottom).at(seed) : 1;
      values.push_back(bottom == 0 ? not_a_number : upper / bottom);
    }
    found.by_seed.push_back(picked(std::move(values), what.picked));
  }
  return found;
}

std::vector<point> places_of(const comparison& claim, const figure& of) {
  const auto vary = [&](name_list selection::* coordinate, const std::vector<entry>& entries) {
    const bool open = std::ranges::any_of(
        claim.sides, [&](const quantity& side) { return !side.constant && (side.of.*coordinate).empty(); });
    if (!open) return name_list{entries.front().name};
    if (!(claim.at.*coordinate).empty()) return claim.at.*coordinate;
    name_list all;
    for (const entry& one : entries) all.push_back(one.name);
    return all;
  };
  selection everywhere;
  everywhere.panel = vary(&selection::panel, of.panels);
  everywhere.series = vary(&selection::series, of.series);
  everywhere.x = vary(&selection::x, of.xs);
  return points_of(everywhere, {});
}

std::string words_for(const quantity& what, const point& here, const figure& of) {
  if (what.constant) return short_number(*what.constant);
  const auto titled = [](const name_list& given, const std::vector<entry>& entries,
                         const std::string& default_value) {
    if (given.size() > 1 && given.size() == entries.size()) return std::string();
    std::string words;
    for (const std::string& name : or_else(given, default_value)) {
      const auto one = std::ranges::find(entries, name, &entry::name);
      words += (words.empty() ? "" : ", ") + (one == entries.end() ? name : one->title);
    }
    return words;
  };
  const std::string panel = titled(what.of.panel, of.panels, here.panel);
  const std::string series = titled(what.of.series, of.series, here.series);
  const std::string x = titled(what.of.x, of.xs, here.x);
  std::string words = series;
  if (what.over) {
    const point upper = points_of(what.of, here).front(), bottom = points_of(*what.over, upper).front();
    std::string under;
    const auto add = [&](const std::string& mine, const std::string& theirs,
                         const std::vector<entry>& entries) {
      if (mine != theirs) under += (under.empty() ? "" : " at ") + titled({theirs}, entries, "");
    };
    add(upper.series, bottom.series, of.series);
    add(upper.x, bottom.x, of.xs);
    add(upper.panel, bottom.panel, of.panels);
    words += (words.empty() ? "ratio to " : " / ") + under;
  }
  if (!x.empty()) words += (words.empty() ? "" : " at ") + x;
  if (!panel.empty()) words = panel + (words.empty() ? "" : ": " + words);
  static constexpr const char* picks[] = {"", "the largest of ", "the smallest of ", "the mean of ",
                                          "the median of "};
  return picks[static_cast<int>(what.picked)] + words;
}

}  // namespace skua::paper
