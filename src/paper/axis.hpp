// Where numbers lie on an axis, and which get a tick.
#pragma once

#include <vector>

namespace skua::paper {

/// From 0 or near the least to the greatest; by powers where all are positive and they differ fifty-fold.
class axis {
 public:
  /// `whole`: 0 must be on it, as under bars.
  axis(double min, double greatest, bool whole);

  /// 0 at the beginning, 1 at the end; numbers outside are put at the nearer end.
  double at(double number) const noexcept;
  const std::vector<double>& ticks() const noexcept { return ticks_; }
  bool by_powers() const noexcept { return by_powers_; }

 private:
  double scaled(double number) const noexcept;

  bool by_powers_ = false;
  double begin_ = 0, end_ = 1;
  std::vector<double> ticks_;
};

}  // namespace skua::paper
