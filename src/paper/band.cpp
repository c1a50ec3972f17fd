#include "paper/band.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"

namespace skua::paper {

double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

band band_of(const std::vector<double>& numbers) {
  return {std::ranges::min(numbers), median_of(numbers), std::ranges::max(numbers)};
}

std::string band_text(const band& of) {
  using base::short_number;
  return short_number(of.median) + " [" + short_number(of.min) + ", " + short_number(of.max) + "]";
}

std::size_t disturbed_runs(const std::vector<waited_run>& runs) {
  return static_cast<std::size_t>(std::ranges::count_if(runs, &waited_run::is_disturbed));
}

std::string text_on_waits(const std::vector<waited_run>& runs) {
  const std::size_t disturbed = disturbed_runs(runs);
  if (disturbed == 0) return "";
  const bool by_others =
      std::ranges::any_of(runs, [](const waited_run& run) { return run.is_disturbed() && !run.is_crowded; });
  return fmt::format(
      "Noise: in {} of {} the workers waited for CPUs for more than {} of their time (at most {}), because "
      "{}. These times are too long, and vary.\n",
      disturbed, base::counted(runs.size(), "run"), base::percent(disturbing_wait),
      base::percent(std::ranges::max(runs, {}, &waited_run::share).share),
      by_others ? "other programs ran or a CPU quota was used up" : "there are more workers than CPUs");
}

}  // namespace skua::paper
