// Pairs of Gaussian deviates as in the NAS benchmark EP: the leaf work and the known answers. No scheduling.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "workloads/common/random.hpp"

namespace workloads {

inline constexpr std::uint64_t ep_seed = 271828183;
inline constexpr std::int64_t ep_batch_pairs = 1 << 16;  // pairs of uniform numbers

/// The sums of both deviates, and the number of pairs whose larger deviate is in [l, l + 1).
struct ep_tally {
  double sx = 0, sy = 0;
  std::array<std::int64_t, 12> counts = {};  // 46-bit numbers cannot give a deviate of 12 or more

  std::int64_t pairs() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }
  ep_tally& operator+=(const ep_tally& other) {
    sx += other.sx;
    sy += other.sy;
    for (std::size_t l = 0; l < counts.size(); ++l) counts[l] += other.counts[l];
    return *this;
  }
  friend ep_tally operator+(ep_tally left, const ep_tally& right) { return left += right; }
};

/// Computes batch `batch` of all pairs. A pair of uniform numbers inside the unit circle becomes a pair of deviates
/// (Marsaglia's polar method).
inline ep_tally ep_batch(std::int64_t batch) {
  npb_random numbers(ep_seed);
  numbers.skip(2 * static_cast<std::uint64_t>(batch * ep_batch_pairs));
  ep_tally tally;
  for (std::int64_t pair = 0; pair < ep_batch_pairs; ++pair) {
    const double x = 2 * numbers.next() - 1;
    const double y = 2 * numbers.next() - 1;
    const double t = x * x + y * y;
    if (t > 1) continue;
    const double factor = std::sqrt(-2 * std::log(t) / t);
    const double gx = x * factor, gy = y * factor;
    ++tally.counts[static_cast<std::size_t>(std::max(std::abs(gx), std::abs(gy)))];
    tally.sx += gx;
    tally.sy += gy;
  }
  return tally;
}

inline ep_tally ep_sequential(std::int64_t batches) {
  ep_tally all;
  for (std::int64_t batch = 0; batch < batches; ++batch) all += ep_batch(batch);
  return all;
}

/// A class: 2^m pairs of uniform numbers, and the answer.
struct ep_class {
  char name;  // or ' '
  int m;
  ep_tally answer;  // counts are 0 if only the sums are known
};

inline std::span<const ep_class> ep_classes() {
  // clang-format off: a table
  static constexpr ep_class known[] = {
      {' ', 18, {1.873198969612174e+2, -3.797408336054116e+2, {96200, 91230, 16950, 1056, 22}}},
      {' ', 20, {6.741650709778492e+2, -1.508139842420412e+2, {384310, 366072, 68758, 4318, 103}}},
      {' ', 22, {2.955203522467221e+1, -1.959796076774197e+3, {1534596, 1465507, 275818, 17188, 423, 5}}},
      {'S', 24, {-3.247834652034740e+3, -6.958407078382297e+3, {6140517, 5865300, 1100361, 68546, 1648, 17}}},
      {'W', 25, {-2.863319731645753e+3, -6.320053679109499e+3, {12281576, 11729692, 2202726, 137368, 3371, 36}}},
      {'A', 28, {-4.295875165629892e+3, -1.580732573678431e+4, {98257395, 93827014, 17611549, 1110028, 26536, 245}}},
      {'B', 30, {4.033815542441498e+4, -2.660669192809235e+4,
                 {393058470, 375280898, 70460742, 4438852, 105691, 948, 5}}},
      {'C', 32, {4.764367927995374e+4, -8.084072988043731e+4, {}}},
      {'D', 36, {1.982481200946593e+5, -1.020596636361769e+5, {}}},
      {'E', 40, {-5.319717441530e+05, -3.688834557731e+05, {}}}};
  // clang-format on
  return known;
}

/// nullptr if there is none.
inline const ep_class* ep_published(int m) {
  const auto found = std::ranges::find(ep_classes(), m, &ep_class::m);
  return found == ep_classes().end() ? nullptr : &*found;
}

}  // namespace workloads
