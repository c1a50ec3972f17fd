// Numbers of a figure that a paper speaks of: one point, the ratio of two, or the largest of many; and what it says of
// them.
//
//   {"series": "cab", "x": "heat"}                                            a point
//   {"series": "cab", "x": "heat", "over": {"series": "random"}}              how much of random's
//   {"series": "adm", "x": "*", "over": {"series": "carbon"}, "pick": "largest"}
//
//   {"less": ["cab", "random"], "at": {"x": ["heat", "sor"]}}                 for each x by itself
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace skua::paper {

/// Where a number stands in a figure. A figure with one panel calls it "".
struct point {
  std::string panel, series, x;
  auto operator<=>(const point&) const = default;
};

/// What was measured at each point, a number for each seed, in the order of the seeds.
using samples = std::map<point, std::vector<double>>;

/// Some points. A coordinate without names is that of the place at which one looks.
struct selection {
  std::vector<std::string> panel, series, x;
};

enum class pick { only, largest, smallest, mean, median };

struct quantity {
  std::optional<double> constant;  // a bare number
  selection of;
  std::optional<selection> over;  // coordinates without names are those of `of`
  pick picked = pick::only;
};

/// less: each side is smaller than the next. not_more: or equal. about: all within `tolerance` of the first. least, most:
/// the first is smaller, or larger, than each of the others.
enum class relation { less, not_more, about, min, max };

struct comparison {
  relation kind;
  std::vector<quantity> sides;
  selection at;  // where, for the coordinates that the sides leave open; without names: everywhere
  double tolerance = 0;
  std::string says, place;  // the paper's claim, and where it stands
};

/// A number that stands in the paper, from low to high where it says no more or was read from a picture.
struct published_value {
  enum class source { text, table, picture, formula };
  quantity what;
  double low, high;
  double reading_error = 0;  // of a picture, contained in low and high
  source from;
  std::string says, place;
};

}  // namespace skua::paper
