// Whether the best policy still takes the time that is expected of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/choosing/samples.hpp"

namespace skua::core {

/// If it does not, the program has changed.
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
