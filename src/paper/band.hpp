// The minimum, median and maximum of several numbers, one for each seed.
#pragma once

#include <string>
#include <vector>

namespace skua::paper {

struct band {
  double min = 0, median = 0, max = 0;
};

/// The middle number, or the mean of the middle two. Of at least one number.
double median_of(std::vector<double> numbers);
/// Of at least one number.
band band_of(const std::vector<double>& numbers);
/// "0.82 [0.78, 0.85]"
std::string band_text(const band& of);

}  // namespace skua::paper
