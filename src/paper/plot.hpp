// Charts and heat maps as SVG. A chart has our median and band, and the published number as a mark. A heat map is a matrix of ratios,
// 1 is equal: policies beside `random` on machines and workloads. Smaller is better. No information is in colour alone, and each mark has a
// title with its number.
//
//   std::string element = svg_of(draw(chart));
//   heat_map map{.title = "time relative to random", .columns = {"nearest", "bitier"},
//                .rows = {{"heat on opteron-8380-4s", {0.91, 0.85}}}};
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/band.hpp"
#include "paper/drawing.hpp"

namespace skua::paper {

struct published_mark {
  double low, high;
};

struct chart_series {
  std::string name;
  std::vector<std::optional<band>> ours;  // for each x; absent if nothing was run
  std::vector<std::optional<published_mark>> published;
};

struct chart {
  std::string title, x_title, y_title;
  std::vector<std::string> xs;
  bool lines = false;    // else bars
  bool stacked = false;  // stacked bars: parts of a whole, none below 0
  std::vector<chart_series> series;
};

/// Our numbers divided by the published ones, row by row.
struct forest {
  struct row {
    std::string label;
    band ratio;
  };
  std::string title;
  std::vector<row> rows;
};

drawing draw(const chart&);
drawing draw(const forest&);

struct heat_map {
  struct row {
    std::string name;
    std::vector<std::optional<double>> ratios;  // for each column; absent if nothing was run
    std::vector<bool> best = {};                // for each column, by another rule; see best_of
  };
  std::string title, corner;  // corner: heading of the rows
  std::vector<std::string> columns = {};
  std::vector<row> rows = {};
  std::string mark = "is the best of its row";  // the meaning of a star
};

/// `best` of the row; if it is empty, the columns with the smallest ratio, compared at two decimals.
std::vector<bool> best_of(const heat_map::row&);

/// Blue below 1, orange above, white at 1, with the full colour at 0.5 and 2. A star marks the best of a row.
drawing draw(const heat_map&);
std::string html_of(const heat_map&);      // a <table>, for a page that has `heat_map_style`
std::string markdown_of(const heat_map&);  // the best in bold
std::string text_of(const heat_map&);      // for a terminal
std::string_view heat_map_style() noexcept;

}  // namespace skua::paper
