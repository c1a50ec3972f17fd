#include "observe/distribution.hpp"

#include <algorithm>
#include <cmath>

namespace skua::observe {

void distribution::add(std::uint64_t value, std::uint64_t times) noexcept {
  if (times == 0) return;
  counts[class_of(value)] += times;
  min = number ? std::min(min, value) : value;
  max = std::max(max, value);
  number += times;
  sum += value * times;
}

distribution& distribution::operator+=(const distribution& other) noexcept {
  if (other.number == 0) return *this;
  for (std::size_t c = 0; c < classes; ++c) counts[c] += other.counts[c];
  min = number ? std::min(min, other.min) : other.min;
  max = std::max(max, other.max);
  number += other.number;
  sum += other.sum;
  return *this;
}

double distribution::quantile(double share) const noexcept {
  if (number == 0) return 0;
  double before = 0;
  const double wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(number);
  for (std::size_t c = 0; c < classes; ++c) {
    const auto here = static_cast<double>(counts[c]);
    if (here != 0 && before + here >= wanted) {
      const double low = std::max(static_cast<double>(lowest(c)), static_cast<double>(min));
      const double high = c + 1 < classes
                              ? std::min(static_cast<double>(lowest(c + 1)), static_cast<double>(max))
                              : static_cast<double>(max);
      // After a change of units a class may begin above the longest value, because both were converted separately.
      return std::min(low + (high - low) * (wanted - before) / here, static_cast<double>(max));
    }
    before += here;
  }
  return static_cast<double>(max);
}

void kept_distribution::clear() noexcept {
  for (count& c : counts_) c.clear();
  sum_.clear();
  min_.store(std::numeric_limits<std::uint64_t>::max(), std::memory_order_relaxed);
  max_.clear();
}

distribution kept_distribution::read(double scale) const noexcept {
  const auto scaled = [scale](std::uint64_t value) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * scale));
  };
  distribution all;
  for (std::size_t c = 0; c < distribution::classes; ++c) {
    const std::uint64_t here = counts_[c].read();
    // The middle of a class determines its class in the other unit.
    const std::uint64_t middle = distribution::lowest(c) + (distribution::lowest(c) >> 1);
    if (here)
      all.counts[distribution::class_of(scale == 1 ? distribution::lowest(c) : scaled(middle))] += here;
    all.number += here;
  }
  all.sum = scaled(sum_.read());
  if (all.number == 0) return all;
  all.min = scaled(min_.load(std::memory_order_relaxed));
  all.max = scaled(max_.read());
  return all;
}

}  // namespace skua::observe
