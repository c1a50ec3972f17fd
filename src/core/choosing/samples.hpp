// Times that were measured under one policy, as mean and deviation, and whether those of two policies differ.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace skua::core {

class samples {
 public:
  samples() noexcept = default;
  /// Some that were measured before.
  samples(std::uint32_t number, double mean, double deviation) noexcept
      : number_(number), mean_(mean), squares_(number < 2 ? 0 : deviation * deviation * (number - 1)) {}
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

  /// Whether the mean behind these values lies below that behind the others, with 95% confidence (Welch's interval).
  bool are_below(const samples& others) const noexcept {
    if (std::min(number_, others.number_) < 2) return false;
    const double its = variance() / number_, theirs = others.variance() / others.number_;
    const double both = its + theirs;
    const double degrees =
        both == 0 ? 1e9 : both * both / (its * its / (number_ - 1) + theirs * theirs / (others.number_ - 1));
    return mean_ + quantile(degrees) * std::sqrt(both) < others.mean_;
  }

 private:
  double variance() const noexcept { return number_ < 2 ? 0 : squares_ / (number_ - 1); }
  /// Of Student's distribution, two-sided 95%.
  static double quantile(double degrees) noexcept {
    constexpr double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    return degrees < std::size(t) + 1 ? t[std::max<std::size_t>(static_cast<std::size_t>(degrees), 1) - 1]
                                      : 2.2;
  }

  std::uint32_t number_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Whether the best policy still takes the time that is expected of it. If not, the program has changed.
class steady_time {
 public:
  static constexpr std::uint32_t seen = 3;   // times in a row that must differ
  static constexpr double differs_by = 0.1;  // of the expected time

  void expect(const samples& of) noexcept {
    expected_ = of.mean();
    far_ = std::max(differs_by * expected_, 2 * of.deviation());
  }
  bool expects() const noexcept { return expected_ != 0; }
  void add(double value) noexcept { last_[number_++ % seen] = value; }
  bool has_seen_enough() const noexcept { return number_ >= seen; }
  /// Whether the last times are alike.
  bool is_steady() const noexcept {
    const auto [min, max] = std::ranges::minmax(last_);
    return has_seen_enough() && max <= min * (1 + differs_by);
  }
  /// Whether this time is longer than expected, by more than the samples scatter.
  bool is_slow(double value) const noexcept { return expects() && value > expected_ + far_; }
  /// The last times, if it has seen enough.
  samples last() const noexcept {
    samples all;
    for (const double value : last_) all.add(value);
    return all;
  }
  /// Whether the last times all lie on the same side of the expected one, farther than its samples scatter.
  bool has_changed() const noexcept {
    if (!expects() || !has_seen_enough()) return false;
    const auto [min, max] = std::ranges::minmax(last_);
    return min > expected_ + far_ || max < expected_ - far_;
  }
  void forget_last() noexcept { number_ = 0; }
  /// Another policy is the best one.
  void forget() noexcept {
    forget_last();
    expected_ = 0;
  }

 private:
  double expected_ = 0, far_ = 0;  // 0: nothing is expected yet
  std::array<double, seen> last_{};
  std::uint32_t number_ = 0;
};

}  // namespace skua::core
