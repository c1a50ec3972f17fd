// Charts as SVG: our median and band, and the published number as a mark. No information is in colour alone, and each mark
// has a title with its number.
//
//   std::string element = svg_of(draw(chart));
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

}  // namespace skua::paper
