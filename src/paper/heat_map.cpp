#include "paper/heat_map.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "paper/markup.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

namespace {

struct colour {
  int red, green, blue;
};

/// Blue and orange differ for every kind of colour-blindness; white is between them.
colour colour_of(double ratio) {
  constexpr colour best{33, 113, 181}, even{247, 247, 247}, worst{217, 95, 14};
  const double far = std::clamp(std::log2(std::max(ratio, 1e-9)), -1.0, 1.0);
  const colour& end = far < 0 ? best : worst;
  const auto mix = [&](int from, int to) {
    return static_cast<int>(std::lround(from + (to - from) * std::abs(far)));
  };
  return {mix(even.red, end.red), mix(even.green, end.green), mix(even.blue, end.blue)};
}

std::string hex(const colour& one) {
  return fmt::format("#{:02x}{:02x}{:02x}", one.red, one.green, one.blue);
}

/// Grey for a ratio that is absent.
colour fill_of(const std::optional<double>& ratio) {
  return ratio ? colour_of(*ratio) : colour{200, 200, 200};
}

/// Whether black is easier to read on it than white.
bool is_light(const colour& one) { return 299 * one.red + 587 * one.green + 114 * one.blue > 140'000; }

std::string number(double ratio) { return fmt::format("{:.2f}", ratio); }
std::string cell(const std::optional<double>& ratio, bool best) {
  return ratio ? number(*ratio) + (best ? "*" : "") : "-";
}

std::string legend_of(const heat_map& map) {
  return "1 is the time of random; blue, below 1: faster; orange, above 1: slower; *: " + map.mark;
}

}  // namespace

std::vector<bool> best_of(const heat_map::row& of) {
  if (!of.best.empty()) return of.best;
  std::string min;
  for (const auto& ratio : of.ratios)
    if (ratio && (min.empty() || *ratio < std::stod(min))) min = number(*ratio);
  std::vector<bool> best;
  for (const auto& ratio : of.ratios) best.push_back(ratio && number(*ratio) == min);
  return best;
}

drawing draw(const heat_map& map) {
  constexpr double wide = 64, high = 24, head = 92;
  std::size_t longest = map.corner.size();
  for (const heat_map::row& row : map.rows) longest = std::max(longest, row.name.size());
  const double left = 16 + static_cast<double>(longest) * 7;
  const double width = std::max(left + wide * static_cast<double>(map.columns.size()) + 70, 640.0);
  markup to;
  to.element("text", map.title, {{"class", "heading"}, {"x", "8"}, {"y", "18"}});
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    draw_rising_text(to, map.columns[c], left + wide * (static_cast<double>(c) + 0.5), head - 6);
  double y = head;
  for (const heat_map::row& row : map.rows) {
    draw_text(to.line(), row.name, left - 8, y + 16, "end");
    const std::vector<bool> best = best_of(row);
    for (std::size_t c = 0; c < row.ratios.size(); ++c) {
      const colour fill = fill_of(row.ratios[c]);
      draw_cell(to, {hex(fill), is_light(fill)}, cell(row.ratios[c], best[c]),
                left + wide * static_cast<double>(c), y, wide, high, best[c]);
    }
    y += high;
  }
  draw_text(to, legend_of(map), 8, y + 20, "start");
  return {map.title, to.done(), y + 30, width};
}

std::string html_of(const heat_map& map) {
  markup table;
  table.open("div", {{"class", "wide"}}).open("table", {{"class", "heat"}});
  table.element("caption", map.title + ": " + legend_of(map)).line().open("thead").open("tr");
  table.element("th", map.corner, {{"scope", "col"}});
  for (const std::string& column : map.columns) table.element("th", column, {{"scope", "col"}});
  table.close().close().open("tbody");
  for (const heat_map::row& row : map.rows) {
    table.line().open("tr").element("th", row.name, {{"scope", "row"}});
    const std::vector<bool> best = best_of(row);
    for (std::size_t c = 0; c < row.ratios.size(); ++c) {
      const colour fill = fill_of(row.ratios[c]);
      table.element(
          "td", cell(row.ratios[c], best[c]),
          {{"class", best[c] ? "best" : "other"},
           {"style", "background:" + hex(fill) + ";color:" + (is_light(fill) ? "#000000" : "#ffffff")}});
    }
    table.close();
  }
  table.close().close().close();
  return table.done();
}

std::string markdown_of(const heat_map& map) {
  text_rows rows{{markdown_cell(map.corner)}};
  for (const std::string& column : map.columns) rows[0].push_back(markdown_cell(column));
  for (const heat_map::row& row : map.rows) {
    std::vector<std::string>& line = rows.emplace_back();
    line.push_back(markdown_cell(row.name));
    const std::vector<bool> best = best_of(row);
    for (std::size_t c = 0; c < row.ratios.size(); ++c) {
      const std::string bold = best[c] ? "**" : "";
      line.push_back(bold + cell(row.ratios[c], false) + bold);
    }
  }
  return markdown_table(rows, 1);
}

std::string text_of(const heat_map& map) {
  text_rows rows{{map.corner}};
  rows[0].insert(rows[0].end(), map.columns.begin(), map.columns.end());
  for (const heat_map::row& row : map.rows) {
    std::vector<std::string>& line = rows.emplace_back();
    line.push_back(row.name);
    const std::vector<bool> best = best_of(row);
    for (std::size_t c = 0; c < row.ratios.size(); ++c) line.push_back(cell(row.ratios[c], best[c]));
  }
  return columns_of(rows, {.first_max = std::string::npos, .number_min = 7}) + "*: " + map.mark +
         "; 1 is the time of random\n";
}

std::string_view heat_map_style() noexcept {
  return ".heat td{text-align:right;font-variant-numeric:tabular-nums}.heat "
         ".best{font-weight:bold;outline:2px solid #000;outline-offset:-2px}\n";
}

}  // namespace skua::paper
