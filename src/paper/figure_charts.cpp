#include "paper/figure_charts.hpp"

#include <algorithm>
#include <cmath>

#include "paper/reading.hpp"

namespace skua::paper {

namespace {

/// The quantity that the chart shows at a point.
quantity shown_at(const figure& of, const point& here) {
  quantity what{.constant = {}, .of = {{here.panel}, {here.series}, {here.x}}, .over = {}};
  if (of.shown_as_ratio) what.over = of.shown_over;
  return what;
}

std::optional<band> shown_band(const reading& ours) {
  const auto undefined = [](double one) { return std::isnan(one); };
  if (ours.by_seed.empty() || std::ranges::any_of(ours.by_seed, undefined)) return std::nullopt;
  return band_of(ours.by_seed);
}

/// The published number of exactly the quantity that the chart shows.
std::optional<published_mark> mark_at(const figure& of, const std::vector<point>& shown) {
  const point first{of.panels.front().name, of.series.front().name, of.xs.front().name};
  for (const published_value& value : of.values)
    if (value.what.picked == pick::only && read(value.what, first, of, {}, 0).points == shown)
      return published_mark{value.low, value.high};
  return std::nullopt;
}

bool shows_anything(const chart_series& one) {
  const auto there = [](const auto& number) { return number.has_value(); };
  return std::ranges::any_of(one.ours, there) || std::ranges::any_of(one.published, there);
}

chart_series series_of(const result& of, const entry& panel, const entry& series,
                       const std::vector<entry>& xs) {
  const figure& what = *of.what;
  chart_series drawn{.name = series.title, .ours = {}, .published = {}};
  for (const entry& x : xs) {
    const point here{panel.name, series.name, x.name};
    const reading ours = read(shown_at(what, here), here, what, of.came_out.measured, of.found.seeds);
    drawn.ours.push_back(shown_band(ours));
    drawn.published.push_back(ours.exists ? mark_at(what, ours.points) : std::nullopt);
  }
  return drawn;
}

/// The x positions at which the panel has a point.
std::vector<entry> places_in(const figure& of, const entry& panel) {
  std::vector<entry> places;
  for (const entry& x : of.xs)
    if (std::ranges::any_of(of.series,
                            [&](const entry& one) { return of.has({panel.name, one.name, x.name}); }))
      places.push_back(x);
  return places;
}

}  // namespace

std::vector<chart> charts_of(const result& of) {
  std::vector<chart> charts;
  for (const entry& panel : of.what->panels) {
    chart drawn{.title = panel.title.empty() ? of.what->title : panel.title,
                .x_title = of.what->x_title,
                .y_title = of.what->y_title,
                .xs = {},
                .lines = of.what->lines,
                .series = {}};
    const std::vector<entry> places = places_in(*of.what, panel);
    for (const entry& x : places) drawn.xs.push_back(x.title);
    for (const entry& series : of.what->series) {
      chart_series one = series_of(of, panel, series, places);
      if (shows_anything(one)) drawn.series.push_back(std::move(one));
    }
    if (!drawn.series.empty()) charts.push_back(std::move(drawn));
  }
  return charts;
}

forest published_beside_ours(const result& of) {
  forest drawn{.title = "Ours / published (shaded: within 10%)", .rows = {}};
  if (of.what->level == level::exact) return drawn;
  for (const value_judgement& value : of.found.values) {
    const double middle = (value.low + value.high) / 2;
    if (value.result == judgement::not_run || std::isnan(value.ours.median) || middle <= 0) continue;
    drawn.rows.push_back(
        {value.what, {value.ours.min / middle, value.ours.median / middle, value.ours.max / middle}});
  }
  return drawn;
}

}  // namespace skua::paper
