// The minimum, median and maximum of several numbers, one for each run, and which of the runs were disturbed.
#pragma once

#include <cstddef>
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

/// A run on a real machine: for which share of the workers' time their threads waited for CPUs that other threads had.
struct waited_run {
  double share = 0;
  bool is_crowded = false;  // it has more workers than there are CPUs

  /// Its time is then longer by about as much, and depends on chance.
  bool is_disturbed() const { return share > 0.1; }
};
std::size_t disturbed_runs(const std::vector<waited_run>& runs);
/// A line on the runs that were disturbed, and why; empty if none was.
std::string text_on_waits(const std::vector<waited_run>& runs);

}  // namespace skua::paper
