#include "paper/scaling_charts.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace skua::paper {
namespace {

std::vector<std::string> places_of(const scaling_curve& curve) {
  std::vector<std::string> xs;
  for (const scaling_point& point : curve.points) xs.push_back(std::to_string(point.workers));
  return xs;
}

template <class Value>
chart_series series_of(std::string name, const scaling_curve& curve, Value value) {
  chart_series one{.name = std::move(name), .ours = {}, .published = {}};
  for (const scaling_point& point : curve.points) {
    const double number = value(scaled_at(curve, point));
    one.ours.push_back(band{number, number, number});
  }
  return one;
}

/// As lines over the numbers of workers.
chart lines_of(const scaling& all, std::string title) {
  return {.title = std::move(title),
          .x_title = "workers",
          .y_title = {},
          .xs = places_of(all.curves.front()),
          .lines = true,
          .series = {}};
}

chart speedup_of(const scaling& all) {
  chart speed = lines_of(all, "Speedup over one worker");
  for (const scaling_curve& curve : all.curves) {
    speed.series.push_back(series_of(curve.policy, curve, [](const scaled& at) { return at.speedup; }));
    // Each timed run as a speedup: the band says how much they differ.
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const auto [min, max] = std::ranges::minmax(curve.points[i].seconds);
      band& drawn = *speed.series.back().ours[i];
      const double base = drawn.median * scaled_at(curve, curve.points[i]).seconds;
      drawn.min = base / max;
      drawn.greatest = base / min;
    }
  }
  chart_series linear{.name = "linear", .ours = {}, .published = {}};
  for (const scaling_point& point : all.curves.front().points) {
    const auto workers = static_cast<double>(point.workers);
    linear.ours.push_back(band{workers, workers, workers});
  }
  speed.series.push_back(std::move(linear));
  return speed;
}

chart inflation_of(const scaling& all) {
  chart work = lines_of(all, "Work inflation: user time over one worker's");
  for (const scaling_curve& curve : all.curves)
    work.series.push_back(series_of(curve.policy, curve, [](const scaled& at) { return at.inflation; }));
  return work;
}

chart stacked_of(const scaling_curve& curve, std::string title, std::string of) {
  return {.title = std::move(title) + ", " + curve.policy,
          .x_title = "workers",
          .y_title = std::move(of),
          .xs = places_of(curve),
          .stacked = true,
          .series = {}};
}

chart user_and_library_of(const scaling_curve& curve) {
  chart parts = stacked_of(curve, "User and library", "share of all workers' time");
  parts.series.push_back(
      series_of("user", curve, [](const scaled& at) { return at.share_of(activity::user); }));
  parts.series.push_back(series_of("library", curve, [](const scaled& at) { return at.library; }));
  parts.series.push_back(
      series_of("asleep", curve, [](const scaled& at) { return at.share_of(activity::asleep); }));
  return parts;
}

bool of_library(std::size_t i) {
  return i != static_cast<std::size_t>(activity::user) && i != static_cast<std::size_t>(activity::asleep);
}

/// The same colour for the same thing in both.
chart library_of(const scaling_curve& curve) {
  chart parts = stacked_of(curve, "Library", "share of the library's time");
  for (std::size_t i = 0; i < activity_count; ++i)
    if (of_library(i))
      parts.series.push_back(series_of(std::string(activity_names[i]), curve, [i](const scaled& at) {
        return at.library > 0 ? at.share[i] / at.library : 0;
      }));
  return parts;
}

chart growth_of(const scaling_curve& curve) {
  chart growth = stacked_of(curve, "Growth of the library", "over the user time of one worker");
  growth.stacked = false;
  growth.lines = true;
  for (std::size_t i = 0; i < activity_count; ++i)
    if (of_library(i))
      growth.series.push_back(
          series_of(std::string(activity_names[i]), curve, [i](const scaled& at) { return at.of_work[i]; }));
  return growth;
}

}  // namespace

std::vector<chart> charts_of(const scaling& all) {
  std::vector<chart> charts = {speedup_of(all), inflation_of(all)};
  for (const scaling_curve& curve : all.curves) {
    charts.push_back(user_and_library_of(curve));
    charts.push_back(library_of(curve));
    charts.push_back(growth_of(curve));
  }
  return charts;
}

}  // namespace skua::paper
