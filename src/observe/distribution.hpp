// A distribution of durations: counts by powers of two, and the exact sum, minimum and maximum.
//
//   distribution d;
//   d.add(740);                 // ns: in the class of 512 to 1023
//   d.quantile(0.5);            // about 740: between the bounds of its class
//
// Adding is O(1) and allocates nothing. Only one thread at a time may use a distribution; kept_distribution allows one
// writer and concurrent readers.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "observe/counting.hpp"

namespace skua::observe {

struct distribution {
  static constexpr std::size_t classes = 48;  // the last one also holds all longer values
  std::array<std::uint64_t, classes> counts{};
  std::uint64_t number = 0, sum = 0, min = 0, max = 0;

  static constexpr std::size_t class_of(std::uint64_t value) noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(value));
    return width < classes ? width : classes - 1;
  }
  /// Values of class c lie in [lowest(c), lowest(c + 1)).
  static constexpr std::uint64_t lowest(std::size_t c) noexcept {
    return c == 0 ? 0 : std::uint64_t{1} << (c - 1);
  }

  void add(std::uint64_t value, std::uint64_t times = 1) noexcept;
  distribution& operator+=(const distribution& other) noexcept;
  double mean() const noexcept { return number ? static_cast<double>(sum) / static_cast<double>(number) : 0; }
  /// The value below which `share` (0..1) of the values lie; 0 without values. Values are assumed to be spread evenly
  /// within a class.
  double quantile(double share) const noexcept;

  bool operator==(const distribution&) const = default;
};

/// A distribution with one writer at a time and readers at any time.
class kept_distribution {
 public:
  void add(std::uint64_t value) noexcept {
    counts_[distribution::class_of(value)].add();
    sum_.add(value);
    if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
    max_.at_least(value);
  }
  void clear() noexcept;
  /// The distribution in other units: each value times `scale`.
  distribution read(double scale = 1) const noexcept;

 private:
  std::array<count, distribution::classes> counts_{};
  count sum_;
  std::atomic<std::uint64_t> min_{std::numeric_limits<std::uint64_t>::max()};
  largest max_;
};

}  // namespace skua::observe
