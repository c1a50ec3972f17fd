// Reads a quantity from samples: one number per seed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "paper/figure.hpp"

namespace skua::paper {

struct reading {
  std::vector<double> by_seed;  // NaN if not defined (a ratio to 0); empty if a point was not run
  std::vector<point> points;    // of the quantity
  bool exists = true;           // false: some of its points are absent from the figure
};

/// `here` gives the coordinates that the quantity leaves open. `seeds` is the number of values of a constant.
reading read(const quantity&, const point& here, const figure&, const samples&, std::size_t seeds);

/// All points of a comparison: the coordinates that its sides leave open vary over `at`; the others are those of the figure's
/// first entries and have no meaning.
std::vector<point> places_of(const comparison&, const figure&);

/// "CAB / Cilk at heat"; `here` as above.
std::string words_for(const quantity&, const point& here, const figure&);

}  // namespace skua::paper
