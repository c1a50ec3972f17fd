// Charts as SVG: our median and band, the published number as a mark. Nothing is told by colour alone, and each mark says
// its number when one points at it.
//
//   std::string file = svg_file("cab fig8", charts_of(result));
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/band.hpp"

namespace skua::paper {

struct published_mark {
  double low, high;
};

struct chart_series {
  std::string name;
  std::vector<std::optional<band>> ours;  // for each x; absent where nothing was run
  std::vector<std::optional<published_mark>> published;
};

struct chart {
  std::string title, x_title, y_title;
  std::vector<std::string> xs;
  bool lines = false;    // else bars
  bool stacked = false;  // bars, upon one another: parts of a whole, none below 0
  std::vector<chart_series> series;
};

/// Ours in proportion to what is published, row by row: 1 is equal.
struct forest {
  struct row {
    std::string label;
    band ratio;
  };
  std::string title;
  std::vector<row> rows;
};

/// An <svg> element with a viewBox, as wide as its place; for a page that has `plot_style`.
std::string svg_of(const chart&);
std::string svg_of(const forest&);

/// Colours for light and dark, shapes of lines.
const std::string& plot_style();

/// A file of its own: charts below one another.
std::string svg_file(const std::string& title, const std::vector<chart>&, const forest&);

}  // namespace skua::paper
