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

/// If the workers' threads wait for CPUs for a larger share of the workers' time, the run is disturbed: its time is longer by
/// about as much, and depends on chance. The share is chosen, not measured: smaller differences between times are seldom of
/// interest.
inline constexpr double disturbing_wait = 0.1;

/// A run on a real machine: for which share of the workers' time their threads waited for CPUs that other threads had.
struct waited_run {
  double share = 0;
  bool is_crowded = false;  // it has more workers than there are CPUs

  bool is_disturbed() const { return share > disturbing_wait; }
};
std::size_t disturbed_runs(const std::vector<waited_run>& runs);
/// A paragraph, in one line, on the runs that were disturbed, and why; empty if none was.
std::string text_on_waits(const std::vector<waited_run>& runs);

}  // namespace skua::paper
