#include "paper/scaling.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "base/wrapped_text.hpp"
#include "paper/band.hpp"
#include "paper/markup.hpp"

namespace skua::paper {

using base::short_number;

namespace {

double ratio(double part, double all) { return all > 0 ? part / all : 0; }

}  // namespace

scaled scaled_at(const scaling_curve& curve, const scaling_point& point) {
  const scaling_point& one = curve.points.front();
  const auto ns = [&](activity what) { return static_cast<double>(point.times.of(what)); };
  const double all = static_cast<double>(point.times.sum()),
               work = static_cast<double>(one.times.of(activity::user));
  scaled to;
  to.seconds = median_of(point.seconds);
  to.speedup = ratio(median_of(one.seconds), to.seconds);
  to.efficiency = to.speedup / static_cast<double>(point.workers);
  for (std::size_t i = 0; i < activity_count; ++i) {
    const auto spent = static_cast<double>(point.times.ns[i]);
    to.share[i] = ratio(spent, all);
    to.of_work[i] = ratio(spent, work);
  }
  to.inflation = work > 0 ? ns(activity::user) / work : 1;  // of a simulated program that declares nothing
  const double library = all - ns(activity::user) - ns(activity::asleep);
  const double stealing =
      ns(activity::looking) + ns(activity::claiming) + ns(activity::taking) + ns(activity::waiting);
  to.library = ratio(library, all);
  to.stealing = ratio(stealing, library);
  to.waiting = ratio(ns(activity::waiting), stealing);
  return to;
}

std::vector<waited_run> waits_of(const scaling& all) {
  std::vector<waited_run> runs;
  for (const scaling_curve& curve : all.curves)
    for (const scaling_point& point : curve.points)
      for (const double share : point.waiting_for_cpu)
        runs.push_back({.share = share, .is_crowded = all.cpus > 0 && point.workers > all.cpus});
  return runs;
}

namespace {

std::string share_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

table speed_of(const scaling& all, const scaling_curve& curve) {
  table speed{.caption = "Policy " + curve.policy,
              .columns = {"workers", "seconds", "speedup", "efficiency", "user", "library", "asleep",
                          "inflation", "stealing", "waiting"},
              .rows = {}};
  if (all.serial_seconds) speed.columns.insert(speed.columns.begin() + 3, "over serial");
  for (const scaling_point& point : curve.points) {
    const scaled at = scaled_at(curve, point);
    std::vector<std::string> row = {std::to_string(point.workers),
                                    fmt::format("{:.4g}", at.seconds),
                                    fmt::format("{:.2f}", at.speedup),
                                    share_text(at.efficiency),
                                    share_text(at.share_of(activity::user)),
                                    share_text(at.library),
                                    share_text(at.share_of(activity::asleep)),
                                    fmt::format("{:.3f}", at.inflation),
                                    share_text(at.stealing),
                                    share_text(at.waiting)};
    if (all.serial_seconds)
      row.insert(row.begin() + 3,
                 fmt::format("{:.2f}", at.seconds > 0 ? *all.serial_seconds / at.seconds : 0));
    speed.rows.push_back(std::move(row));
  }
  return speed;
}

/// A row for each number of workers, a column for each activity.
template <class Cell>
table by_activity(const scaling_curve& curve, std::string caption, Cell cell) {
  table all{.caption = std::move(caption), .columns = {"workers"}, .rows = {}};
  for (const std::string_view name : activity_names) all.columns.emplace_back(name);
  for (const scaling_point& point : curve.points) {
    const scaled at = scaled_at(curve, point);
    std::vector<std::string> row = {std::to_string(point.workers)};
    for (std::size_t i = 0; i < activity_count; ++i) row.push_back(cell(at, i));
    all.rows.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::vector<table> tables_of(const scaling& all, const scaling_curve& curve) {
  return {speed_of(all, curve),
          by_activity(curve, "Shares of the time of all workers (" + curve.policy + ")",
                      [](const scaled& at, std::size_t i) { return share_text(at.share[i]); }),
          by_activity(curve,
                      "Growth: the same times divided by the user time of one worker (" + curve.policy + ")",
                      [](const scaled& at, std::size_t i) { return short_number(at.of_work[i]); })};
}

std::string heading_of(const scaling& all) {
  const std::size_t runs = all.curves.front().points.front().seconds.size();
  std::string words = all.program + " on " + all.machine;
  if (runs > 1) words += fmt::format(", medians of {} runs", runs);
  if (all.serial_seconds) words += fmt::format("; {:.4g} s without skua", *all.serial_seconds);
  return words;
}

namespace {

std::vector<std::string> worker_counts_of(const scaling_curve& curve) {
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

/// A chart of lines over the number of workers.
chart lines_of(const scaling& all, std::string title) {
  return {.title = std::move(title),
          .x_title = "workers",
          .y_title = {},
          .xs = worker_counts_of(all.curves.front()),
          .lines = true,
          .series = {}};
}

chart speedup_of(const scaling& all) {
  chart speed = lines_of(all, "Speedup over one worker");
  for (const scaling_curve& curve : all.curves) {
    speed.series.push_back(series_of(curve.policy, curve, [](const scaled& at) { return at.speedup; }));
    // The band is the range of the speedups of the timed runs.
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const auto [min, max] = std::ranges::minmax(curve.points[i].seconds);
      band& drawn = *speed.series.back().ours[i];
      const double base = drawn.median * scaled_at(curve, curve.points[i]).seconds;
      drawn.min = base / max;
      drawn.max = base / min;
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
          .xs = worker_counts_of(curve),
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

/// Charts of the library's parts have the same colours.
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
  chart growth = stacked_of(curve, "Growth of the library", "divided by the user time of one worker");
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

namespace {

constexpr std::size_t bar_letters = 60;
constexpr std::string_view activity_letters = "#solct~/\\.";  // index: activity

/// A bar of letters, one letter per activity, each as long as its share.
std::string bar_of(const scaled& at) {
  std::string bar;
  double sum = 0;
  for (std::size_t i = 0; i < activity_count; ++i) {
    sum += at.share[i];
    bar.resize(std::max(bar.size(), static_cast<std::size_t>(std::lround(sum * bar_letters))),
               activity_letters[i]);
  }
  return bar;
}

std::string bars_of(const scaling_curve& curve) {
  std::string text = "  Time of all workers by activity (" + curve.policy + ")\n";
  for (const scaling_point& point : curve.points) {
    const std::string workers = std::to_string(point.workers);
    text += "  " + std::string(7 - std::min<std::size_t>(7, workers.size()), ' ') + workers + "  " +
            bar_of(scaled_at(curve, point)) + "\n";
  }
  text += "          ";
  for (std::size_t i = 0; i < activity_count; ++i)
    text += std::string(i == 0   ? ""
                        : i == 5 ? "\n          "
                                 : "  ") +
            activity_letters[i] + " " + std::string(activity_names[i]);
  return text + "\n";
}

std::string text_of(const table& of) {
  text_rows rows{of.columns};
  rows.insert(rows.end(), of.rows.begin(), of.rows.end());
  return "  " + of.caption + "\n" + columns_of(rows, {.texts = 0, .indent = 2});
}

constexpr const char* meanings =
    "  speedup: time of one worker / time; inflation: user time / user time of one worker;\n"
    "  efficiency: speedup / workers; user, library, asleep: shares of the time of all workers;\n"
    "  stealing: share of the library's time; waiting: share of the stealing time\n";

}  // namespace

std::string text_of(const scaling& all) {
  std::string text = heading_of(all) + "\n";
  for (const scaling_curve& curve : all.curves) {
    const std::vector<table> tables = tables_of(all, curve);
    text += "\n" + text_of(tables.front()) + meanings;
    for (std::size_t i = 1; i < tables.size(); ++i) text += "\n" + text_of(tables[i]);
    text += "\n" + bars_of(curve);
  }
  const std::string waits = text_on_waits(waits_of(all));
  return waits.empty() ? text : text + "\n" + base::wrapped(waits, 0);
}

std::string svg_of(const scaling& all) {
  std::vector<drawing> parts;
  for (const chart& one : charts_of(all)) parts.push_back(draw(one));
  return svg_file(heading_of(all), std::move(parts));
}

std::string html_of(const scaling& all) {
  markup page;
  begin_page(page, heading_of(all));
  if (const std::string waits = text_on_waits(waits_of(all)); !waits.empty()) page.element("p", waits).line();
  page.open("div", {{"class", "charts"}});
  for (const chart& one : charts_of(all)) page.raw(svg_of(draw(one))).line();
  page.close().line();
  for (const scaling_curve& curve : all.curves)
    for (const table& one : tables_of(all, curve)) write(page, one);
  page.close().close().close();
  return page.done() + "\n";
}

}  // namespace skua::paper
