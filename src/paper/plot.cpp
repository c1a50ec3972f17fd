#include "paper/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/number_text.hpp"
#include "paper/markup.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

using base::short_number;

namespace {

constexpr double width = drawing_width, plot_height = 200, left = 58, right = 12, top = 34, letter = 6.2,
                 row_height = 18;

/// Characters: the further bytes of UTF-8 do not count.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string mark_text(const published_mark& one) {
  return "published " + short_number(one.low) + (one.low == one.high ? "" : " to " + short_number(one.high));
}

struct layout {
  const chart& of;
  axis y;
  double bottom;  // of the plot, where the x axis is

  double slot() const {
    return (width - left - right) / static_cast<double>(std::max<std::size_t>(1, of.xs.size()));
  }
  double x_at(std::size_t i) const { return left + slot() * (static_cast<double>(i) + 0.5); }
  /// The bars of one x stand side by side; the points of lines have the same x.
  double x_at(std::size_t i, std::size_t series) const {
    if (of.lines || of.stacked) return x_at(i);
    const double bar = bar_width();
    return x_at(i) + (static_cast<double>(series) - (static_cast<double>(of.series.size()) - 1) / 2) * bar;
  }
  double bar_width() const {
    return slot() * 0.8 / static_cast<double>(of.stacked ? 1 : std::max<std::size_t>(1, of.series.size()));
  }
  double y_at(double number) const { return bottom - y.at(number) * plot_height; }
};

/// The beginning of a stacked bar: the sum of the series before it.
double height_below(const chart& of, std::size_t i, std::size_t series) {
  double sum = 0;
  for (std::size_t s = 0; s < series; ++s)
    if (const auto& ours = of.series[s].ours[i]) sum += ours->median;
  return sum;
}

axis stacked_axis_of(const chart& of) {
  double max = 0;
  for (std::size_t i = 0; i < of.xs.size(); ++i) max = std::max(max, height_below(of, i, of.series.size()));
  return axis(0, max, true);
}

axis y_axis_of(const chart& of) {
  if (of.stacked) return stacked_axis_of(of);
  double min = std::numeric_limits<double>::infinity(), max = -min;
  const auto see = [&](double number) {
    if (!std::isfinite(number)) return;
    min = std::min(min, number);
    max = std::max(max, number);
  };
  for (const chart_series& one : of.series) {
    for (const auto& ours : one.ours)
      if (ours) see(ours->min), see(ours->max);
    for (const auto& mark : one.published)
      if (mark) see(mark->low), see(mark->high);
  }
  return std::isfinite(min) ? axis(min, max, !of.lines) : axis(0, 1, true);
}

void draw_axes(markup& to, const layout& at, bool slanted) {
  for (const double tick : at.y.ticks()) {
    draw_line(to, "grid", left, width - right, at.y_at(tick), at.y_at(tick));
    draw_text(to, short_number(tick), left - 6, at.y_at(tick) + 4, "end");
  }
  draw_line(to, "axis", left, width - right, at.bottom, at.bottom);
  for (std::size_t i = 0; i < at.of.xs.size(); ++i) {
    if (!slanted) {
      draw_text(to, at.of.xs[i], at.x_at(i), at.bottom + 14, "middle");
      continue;
    }
    const std::string x = px(at.x_at(i)), y = px(at.bottom + 14);
    to.element(
        "text", at.of.xs[i],
        {{"x", x}, {"y", y}, {"text-anchor", "end"}, {"transform", "rotate(-35 " + x + " " + y + ")"}});
  }
}

void draw_curve(markup& to, const layout& at, std::size_t series) {
  const chart_series& one = at.of.series[series];
  std::string upper, lower, middle;
  for (std::size_t i = 0; i < one.ours.size(); ++i) {
    if (!one.ours[i]) continue;
    const std::string x = px(at.x_at(i));
    upper += (upper.empty() ? "M" : "L") + x + " " + px(at.y_at(one.ours[i]->max));
    lower = "L" + x + " " + px(at.y_at(one.ours[i]->min)) + lower;
    middle += (middle.empty() ? "M" : "L") + x + " " + px(at.y_at(one.ours[i]->median));
  }
  if (upper.empty()) return;
  to.leaf("path", {{"class", "band " + style_of(series)}, {"d", upper + lower + "Z"}});
  to.leaf("path", {{"class", "line " + style_of(series)}, {"d", middle}});
}

void draw_ours(markup& to, const layout& at, std::size_t series) {
  const chart_series& one = at.of.series[series];
  const bool bars = !at.of.lines && !at.y.logarithmic();
  const bool line =
      at.of.lines && std::ranges::count_if(one.ours, [](const auto& it) { return it.has_value(); }) > 1;
  if (line) draw_curve(to, at, series);
  for (std::size_t i = 0; i < one.ours.size(); ++i) {
    if (!one.ours[i]) continue;
    const band& ours = *one.ours[i];
    const double x = at.x_at(i, series);
    const std::string title = one.name + " at " + at.of.xs[i] + ": " + band_text(ours);
    if (bars) {
      const double y = at.y_at(std::max(ours.median, 0.0)), end = at.y_at(std::min(ours.median, 0.0));
      draw_bar(to, series, x - at.bar_width() / 2, y, at.bar_width() * 0.94, std::max(end - y, 0.5), title);
    }
    if (!line) draw_line(to, "whisker", x, x, at.y_at(ours.min), at.y_at(ours.max));  // a line has a band
    if (!bars) draw_point(to, x, at.y_at(ours.median), series, title);
  }
}

/// A cross, or a whisker with ends from low to high.
void draw_published(markup& to, const layout& at, std::size_t series) {
  const chart_series& one = at.of.series[series];
  for (std::size_t i = 0; i < one.published.size(); ++i) {
    if (!one.published[i]) continue;
    const published_mark& mark = *one.published[i];
    const double x = at.x_at(i, series), low = at.y_at(mark.low), high = at.y_at(mark.high);
    const std::string from = px(x - 5), to_x = px(x + 5);
    const std::string shape = mark.low == mark.high
                                  ? "M" + from + " " + px(low - 5) + "L" + to_x + " " + px(low + 5) + "M" +
                                        from + " " + px(low + 5) + "L" + to_x + " " + px(low - 5)
                                  : "M" + from + " " + px(low) + "H" + to_x + "M" + px(x) + " " + px(low) +
                                        "V" + px(high) + "M" + from + " " + px(high) + "H" + to_x;
    to.open("path", {{"class", "published"}, {"d", shape}});
    to.element("title", one.name + " at " + at.of.xs[i] + ": " + mark_text(mark)).close();
  }
}

void draw_stacked(markup& to, const layout& at, std::size_t series) {
  const chart_series& one = at.of.series[series];
  for (std::size_t i = 0; i < one.ours.size(); ++i) {
    if (!one.ours[i] || one.ours[i]->median <= 0) continue;
    const double below = height_below(at.of, i, series);
    const double y = at.y_at(below + one.ours[i]->median);
    draw_bar(to, series, at.x_at(i) - at.bar_width() / 2, y, at.bar_width(), at.y_at(below) - y,
             one.name + " at " + at.of.xs[i] + ": " + band_text(*one.ours[i]));
  }
}

/// Returns its height.
double draw_legend(markup& to, const chart& of, double y) {
  double x = left, row = 0;
  const auto position = [&](std::string_view name) {
    const double wanted = 32 + static_cast<double>(letters(name)) * letter;
    if (x + wanted > width && x > left) x = left, row += row_height;
    const double here = x;
    x += wanted;
    return here;
  };
  const bool bars = !of.lines && !y_axis_of(of).logarithmic();
  for (std::size_t i = 0; i < of.series.size(); ++i) {
    if (of.series[i].name.empty()) continue;
    const double here = position(of.series[i].name);
    if (bars)
      to.leaf("rect", {{"class", "bar " + style_of(i)},
                       {"x", px(here)},
                       {"y", px(y + row - 9)},
                       {"width", "10"},
                       {"height", "10"}});
    else
      draw_point(to, here + 5, y + row - 4, i, of.series[i].name);
    to.element("text", of.series[i].name, {{"x", px(here + 15)}, {"y", px(y + row)}});
  }
  const bool any_mark = std::ranges::any_of(of.series, [](const chart_series& one) {
    return std::ranges::any_of(one.published, [](const auto& mark) { return mark.has_value(); });
  });
  if (any_mark) {
    const double here = position("published");
    to.leaf("path",
            {{"class", "published"}, {"d", "M" + px(here) + " " + px(y + row - 9) + "l10 10m0 -10l-10 10"}});
    to.element("text", "published", {{"x", px(here + 15)}, {"y", px(y + row)}});
  }
  return row + row_height;
}

}  // namespace

drawing draw(const chart& of) {
  std::size_t longest = 0;
  for (const std::string& x : of.xs) longest = std::max(longest, letters(x));
  const layout at{of, y_axis_of(of), top + plot_height};
  const bool slanted = static_cast<double>(longest) * letter > at.slot();
  const double labels = slanted ? 20 + std::min(90.0, static_cast<double>(longest) * letter * 0.6) : 20;
  markup to;
  to.element("text", of.title, {{"class", "heading"}, {"x", px(left)}, {"y", "14"}});
  to.element("text", of.y_title, {{"x", px(left)}, {"y", px(top - 6)}});
  draw_axes(to, at, slanted);
  for (std::size_t i = 0; i < of.series.size(); ++i) (of.stacked ? draw_stacked : draw_ours)(to, at, i);
  for (std::size_t i = 0; i < of.series.size(); ++i) draw_published(to, at, i);
  double y = at.bottom + labels;
  if (!of.x_title.empty()) draw_text(to, of.x_title, (left + width - right) / 2, y += 12, "middle");
  y += row_height;
  y += draw_legend(to, of, y);
  return {of.title, to.done(), y};
}

drawing draw(const forest& of) {
  double min = 0.9, max = 1.1;
  for (const forest::row& row : of.rows) {
    min = std::min(min, row.ratio.min);
    max = std::max(max, row.ratio.max);
  }
  const axis x(min, max, false);
  const auto at = [&](double ratio) { return 12 + x.at(ratio) * (drawing_width - 24); };
  constexpr double first = 34, row = 34;
  const double end = first + row * static_cast<double>(of.rows.size());
  markup to;
  to.element("text", of.title, {{"class", "heading"}, {"x", "12"}, {"y", "14"}});
  to.leaf("rect", {{"class", "near"},
                   {"x", px(at(0.9))},
                   {"y", px(first - 8)},
                   {"width", px(at(1.1) - at(0.9))},
                   {"height", px(end - first + 8)}});
  for (const double tick : x.ticks()) {
    draw_line(to, "grid", at(tick), at(tick), first - 8, end);
    draw_text(to, short_number(tick), at(tick), end + 14, "middle");
  }
  draw_line(to, "axis", at(1), at(1), first - 8, end);
  for (std::size_t i = 0; i < of.rows.size(); ++i) {
    const forest::row& one = of.rows[i];
    const double y = first + row * static_cast<double>(i);
    to.element("text", one.label, {{"x", "12"}, {"y", px(y + 10)}});
    draw_line(to, "whisker", at(one.ratio.min), at(one.ratio.max), y + 20, y + 20);
    draw_point(to, at(one.ratio.median), y + 20, 0, one.label + ": " + band_text(one.ratio));
  }
  return {of.title, to.done(), end + 22};
}

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
  const double names_end = 16 + static_cast<double>(longest) * 7;
  const double map_width = std::max(names_end + wide * static_cast<double>(map.columns.size()) + 70, 640.0);
  markup to;
  to.element("text", map.title, {{"class", "heading"}, {"x", "8"}, {"y", "18"}});
  for (std::size_t c = 0; c < map.columns.size(); ++c)
    draw_rising_text(to, map.columns[c], names_end + wide * (static_cast<double>(c) + 0.5), head - 6);
  double y = head;
  for (const heat_map::row& row : map.rows) {
    draw_text(to.line(), row.name, names_end - 8, y + 16, "end");
    const std::vector<bool> best = best_of(row);
    for (std::size_t c = 0; c < row.ratios.size(); ++c) {
      const colour fill = fill_of(row.ratios[c]);
      draw_cell(to, {hex(fill), is_light(fill)}, cell(row.ratios[c], best[c]),
                names_end + wide * static_cast<double>(c), y, wide, high, best[c]);
    }
    y += high;
  }
  draw_text(to, legend_of(map), 8, y + 20, "start");
  return {map.title, to.done(), y + 30, map_width};
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
