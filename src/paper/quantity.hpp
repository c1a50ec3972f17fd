// Published quantities of a figure (one point, the ratio of two, or the largest of many) and claims about them.
//
//   {"series": "cab", "x": "heat"}                                            a point
//   {"series": "cab", "x": "heat", "over": {"series": "random"}}              relative to random's
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

/// The position of a number in a figure. The panel of a figure with one panel is "".
struct point {
  std::string panel, series, x;
  auto operator<=>(const point&) const = default;
};

/// The measured numbers of each point, in the order of the seeds.
using samples = std::map<point, std::vector<double>>;

/// Some points. A coordinate without names is taken from the current point.
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

/// less: each side is smaller than the next. not_more: smaller or equal. about: all within `tolerance` of the first. min, max
/// (in files: least, most): the first is smaller, or larger, than each of the others.
enum class relation { less, not_more, about, min, max };

struct comparison {
  relation kind;
  std::vector<quantity> sides;
  selection at;  // points for the coordinates that the sides leave open; without names: all
  double tolerance = 0;
  std::string says, place;  // the paper's claim, and its source
};

/// A published number; from low to high if the paper gives a range or it was read from a picture.
struct published_value {
  enum class source { text, table, picture, formula };
  quantity what;
  double low, high;
  double reading_error = 0;  // of a picture; low and high include it
  source from;
  std::string says, place;
};

}  // namespace skua::paper
