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

/// Black or white, whichever is easier to read on it.
std::string ink_on(const colour& one) {
  return 299 * one.red + 587 * one.green + 114 * one.blue > 140'000 ? "#000000" : "#ffffff";
}

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

std::string svg_of(const heat_map& map) {
  constexpr int wide = 64, high = 24, head = 92;
  std::size_t longest = map.corner.size();
  for (const heat_map::row& row : map.rows) longest = std::max(longest, row.name.size());
  const int left = 16 + static_cast<int>(longest) * 7, rows = static_cast<int>(map.rows.size());
  const int width = std::max(left + wide * static_cast<int>(map.columns.size()) + 70, 640),
            height = head + high * rows + 30;
  const auto at = [](int place) { return std::to_string(place); };
  markup svg;
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"role", "img"},
                   {"aria-label", map.title},
                   {"viewBox", "0 0 " + at(width) + " " + at(height)},
                   {"width", at(width)},
                   {"height", at(height)},
                   {"font-family", "sans-serif"},
                   {"font-size", "12"}});
  svg.element("title", map.title);
  svg.element("style",
              "svg{background:#fff}.t{fill:#1b1b1b}@media(prefers-color-scheme:dark){svg{background:#1b1b1b}."
              "t{fill:#eee}}");
  svg.element("text", map.title, {{"class", "t"}, {"x", "8"}, {"y", "18"}, {"font-weight", "bold"}});
  for (std::size_t i = 0; i < map.columns.size(); ++i) {
    const std::string x = at(left + wide * static_cast<int>(i) + wide / 2), y = at(head - 6);
    svg.element("text", map.columns[i],
                {{"class", "t"}, {"x", x}, {"y", y}, {"transform", "rotate(-30 " + x + " " + y + ")"}});
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const int y = head + high * static_cast<int>(r);
    svg.line().element("text", map.rows[r].name,
                       {{"class", "t"}, {"x", at(left - 8)}, {"y", at(y + 16)}, {"text-anchor", "end"}});
    const std::vector<bool> best = best_of(map.rows[r]);
    for (std::size_t c = 0; c < map.rows[r].ratios.size(); ++c) {
      const auto& ratio = map.rows[r].ratios[c];
      const colour fill = ratio ? colour_of(*ratio) : colour{200, 200, 200};
      const int x = left + wide * static_cast<int>(c);
      svg.leaf("rect", {{"x", at(x + 1)},
                        {"y", at(y + 1)},
                        {"width", at(wide - 2)},
                        {"height", at(high - 2)},
                        {"fill", hex(fill)},
                        {"stroke", best[c] ? "#000000" : "none"},
                        {"stroke-width", "2"}});
      svg.element("text", cell(ratio, best[c]),
                  {{"x", at(x + wide / 2)},
                   {"y", at(y + 16)},
                   {"text-anchor", "middle"},
                   {"fill", ink_on(fill)},
                   {"font-weight", best[c] ? "bold" : "normal"}});
    }
  }
  svg.element("text", legend_of(map),
              {{"class", "t"}, {"x", "8"}, {"y", at(height - 10)}, {"font-size", "11"}})
      .close();
  return svg.done() + "\n";
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
      const colour fill = row.ratios[c] ? colour_of(*row.ratios[c]) : colour{200, 200, 200};
      table.element("td", cell(row.ratios[c], best[c]),
                    {{"class", best[c] ? "best" : "other"},
                     {"style", "background:" + hex(fill) + ";color:" + ink_on(fill)}});
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
