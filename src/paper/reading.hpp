// What a quantity comes to in samples: one number a seed.
#pragma once

#include <string>
#include <vector>

#include "paper/figure.hpp"

namespace skua::paper {

struct reading {
  std::vector<double> by_seed;  // NaN where it is not defined: a ratio to 0. Empty when a point was not run.
  std::vector<point> points;    // that it is made of
  bool exists = true;           // no: some of its points are absent from the figure
};

/// For the coordinates that the quantity leaves open: those of `here`. `seeds` is how many a constant has.
reading read(const quantity&, const point& here, const figure&, const samples&, std::size_t seeds);

/// Every place that a comparison speaks of: the coordinates that its sides leave open vary over `at`, the others are
/// those of the figure's first entries and mean nothing.
std::vector<point> places_of(const comparison&, const figure&);

/// "CAB / Cilk at heat"; `here` as above.
std::string words_for(const quantity&, const point& here, const figure&);

/// The middle one, or the mean of the middle two. Not of nothing.
double median_of(std::vector<double>);

}  // namespace skua::paper
