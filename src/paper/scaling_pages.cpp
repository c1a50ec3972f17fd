#include "paper/scaling_pages.hpp"

#include <algorithm>
#include <cmath>

#include "paper/html_parts.hpp"
#include "paper/scaling_charts.hpp"
#include "paper/scaling_tables.hpp"

namespace skua::paper {
namespace {

constexpr std::size_t bar_letters = 60;
constexpr std::string_view letters = "#solct~/\\.";  // index: doing

/// Of ten kinds of time a bar of letters, each kind as long as its share.
std::string bar_of(const scaled& at) {
  std::string bar;
  double sum = 0;
  for (std::size_t i = 0; i < activity_count; ++i) {
    sum += at.share[i];
    bar.resize(std::max(bar.size(), static_cast<std::size_t>(std::lround(sum * bar_letters))), letters[i]);
  }
  return bar;
}

std::string bars_of(const scaling_curve& curve) {
  std::string text = "  Where the time of all workers went (" + curve.policy + ")\n";
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
            letters[i] + " " + std::string(activity_names[i]);
  return text + "\n";
}

std::string text_of(const table& of) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < of.columns.size(); ++c) {
    widths.push_back(of.columns[c].size());
    for (const auto& row : of.rows) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text = "  " + of.caption + "\n";
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += "  " + std::string(widths[c] - row[c].size(), ' ') + row[c];
    text += "\n";
  };
  add(of.columns);
  for (const auto& row : of.rows) add(row);
  return text;
}

constexpr const char* meanings =
    "  speedup, inflation: over one worker, of the time and of the user time; efficiency: speedup / workers\n"
    "  user, library, asleep: shares of the time of all workers; stealing: of the library's time; waiting: "
    "of "
    "stealing\n";

}  // namespace

std::string text_of(const scaling& all) {
  std::string text = heading_of(all) + "\n";
  for (const scaling_curve& curve : all.curves) {
    const std::vector<table> tables = tables_of(all, curve);
    text += "\n" + text_of(tables.front()) + meanings;
    for (std::size_t i = 1; i < tables.size(); ++i) text += "\n" + text_of(tables[i]);
    text += "\n" + bars_of(curve);
  }
  return text;
}

std::string svg_of(const scaling& all) { return svg_file(heading_of(all), charts_of(all), {}); }

std::string html_of(const scaling& all) {
  markup page;
  begin_page(page, heading_of(all));
  page.open("div", {{"class", "charts"}});
  for (const chart& one : charts_of(all)) page.raw(svg_of(one)).line();
  page.close().line();
  for (const scaling_curve& curve : all.curves)
    for (const table& one : tables_of(all, curve)) write(page, one);
  page.close().close().close();
  return page.done() + "\n";
}

}  // namespace skua::paper
