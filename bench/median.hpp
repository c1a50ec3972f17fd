#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bench {

/// The median of a non-empty list.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace bench
