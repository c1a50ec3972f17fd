#include "paper/band.hpp"

#include <algorithm>
#include <cstddef>

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

}  // namespace skua::paper
