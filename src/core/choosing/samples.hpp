// Times that were measured under one policy, as mean and deviation, and whether those of two policies differ.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace skua::core {

class samples {
 public:
  void add(double value) noexcept {  // Welford: no sum of squares, which would lose its digits
    ++number_;
    const double from_mean = value - mean_;
    mean_ += from_mean / static_cast<double>(number_);
    squares_ += from_mean * (value - mean_);
  }

  std::uint32_t number() const noexcept { return number_; }
  double mean() const noexcept { return mean_; }
  /// The standard deviation; 0 for fewer than two values.
  double deviation() const noexcept { return std::sqrt(variance()); }

  /// Whether the mean behind these values lies below that behind the others, with 95% confidence (Welch's interval). Fewer
  /// degrees of freedom than Welch's formula gives, so the interval is rather too wide.
  bool are_below(const samples& others) const noexcept {
    const std::uint32_t fewest = std::min(number_, others.number_);
    if (fewest < 2) return false;
    const double error = std::sqrt(variance() / number_ + others.variance() / others.number_);
    return mean_ + quantile(fewest - 1) * error < others.mean_;
  }

 private:
  double variance() const noexcept { return number_ < 2 ? 0 : squares_ / (number_ - 1); }
  /// Of Student's distribution, two-sided 95%.
  static double quantile(std::uint32_t degrees) noexcept {
    constexpr double t[] = {12.7, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return degrees <= std::size(t) ? t[degrees - 1] : 2.2;
  }

  std::uint32_t number_ = 0;
  double mean_ = 0, squares_ = 0;
};

}  // namespace skua::core
