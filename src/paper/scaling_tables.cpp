#include "paper/scaling_tables.hpp"

#include <fmt/core.h>

#include "paper/words.hpp"

namespace skua::paper {
namespace {

std::string percent(double share) { return fmt::format("{:.1f}%", 100 * share); }

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
                                    percent(at.efficiency),
                                    percent(at.share_of(activity::user)),
                                    percent(at.library),
                                    percent(at.share_of(activity::asleep)),
                                    fmt::format("{:.3f}", at.inflation),
                                    percent(at.stealing),
                                    percent(at.waiting)};
    if (all.serial_seconds)
      row.insert(row.begin() + 3,
                 fmt::format("{:.2f}", at.seconds > 0 ? *all.serial_seconds / at.seconds : 0));
    speed.rows.push_back(std::move(row));
  }
  return speed;
}

/// A row for each number of workers, a column for each thing that workers do.
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
                      [](const scaled& at, std::size_t i) { return percent(at.share[i]); }),
          by_activity(curve, "Growth: the same times over the user time of one worker (" + curve.policy + ")",
                      [](const scaled& at, std::size_t i) { return short_number(at.of_work[i]); })};
}

std::string heading_of(const scaling& all) {
  const std::size_t runs = all.curves.front().points.front().seconds.size();
  std::string words = all.program + " on " + all.machine;
  if (runs > 1) words += fmt::format(", medians of {} runs", runs);
  if (all.serial_seconds) words += fmt::format("; {:.4g} s without skua", *all.serial_seconds);
  return words;
}

}  // namespace skua::paper
