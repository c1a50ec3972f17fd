#include "paper/axis.hpp"

#include <algorithm>
#include <cmath>

namespace skua::paper {

namespace {

/// 1, 2 or 5 times a power of ten, so that about five of them fill the range.
double step_for(double range) {
  const double raw = range / 5, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

}  // namespace

axis::axis(double min, double greatest, bool whole) {
  by_powers_ = min > 0 && greatest / min > 50;
  if (by_powers_) {
    begin_ = std::pow(10, std::floor(std::log10(min)));
    end_ = std::pow(10, std::ceil(std::log10(greatest)));
    for (double tick = begin_; tick <= end_ * 1.0001; tick *= 10) ticks_.push_back(tick);
    return;
  }
  if (whole || min > 0) min = whole || min < greatest / 2 ? std::min(min, 0.0) : min;
  if (whole) greatest = std::max(greatest, 0.0);
  if (!(greatest > min)) greatest = min + 1;
  const double step = step_for(greatest - min);
  begin_ = std::floor(min / step + 1e-9) * step;
  end_ = std::ceil(greatest / step - 1e-9) * step;
  const int steps = static_cast<int>(std::lround((end_ - begin_) / step));
  for (int i = 0; i <= steps; ++i) ticks_.push_back(begin_ + i * step);
}

double axis::scaled(double number) const noexcept { return by_powers_ ? std::log10(number) : number; }

double axis::at(double number) const noexcept {
  if (by_powers_ && number <= 0) return 0;
  const double begin = scaled(begin_), end = scaled(end_);
  return std::clamp((scaled(number) - begin) / (end - begin), 0.0, 1.0);
}

}  // namespace skua::paper
