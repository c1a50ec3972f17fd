// Heat on a square plate: the leaf work, the input and its exact answer. No scheduling.
//
// u_t = u_xx + u_yy on n x n points of [0, pi]^2, explicit Jacobi steps with r = dt / h^2 = 0.2. Starting
// from u = sin x sin y with a cold border, every step multiplies the plate by the same factor, so that the
// answer of the discrete scheme is known exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace workloads {

inline constexpr double heat_ratio = 0.2;

/// sin at the n points of one axis; exactly 0 on the border.
inline std::vector<double> heat_sines(std::size_t n) {
  std::vector<double> sines(n, 0.0);
  const double h = std::numbers::pi / static_cast<double>(n - 1);
  for (std::size_t i = 1; i + 1 < n; ++i) sines[i] = std::sin(h * static_cast<double>(i));
  return sines;
}

/// Writes rows [first, last) of the plate at time 0.
inline void heat_fill(double* plate, std::size_t n, const std::vector<double>& sines, std::size_t first,
                      std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t j = 0; j < n; ++j) plate[i * n + j] = sines[i] * sines[j];
}

inline std::vector<double> heat_plate(std::size_t n) {
  std::vector<double> plate(n * n);
  heat_fill(plate.data(), n, heat_sines(n), 0, n);
  return plate;
}

/// One step for rows [first, last) of the inner part, 1 <= first <= last <= n - 1. The order of the operands
/// is part of the definition: results are compared bit by bit.
inline void heat_rows(const double* from, double* to, std::size_t n, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    const double* here = from + i * n;
    const double* up = here - n;
    const double* down = here + n;
    double* __restrict out = to + i * n;
    for (std::size_t j = 1; j + 1 < n; ++j)
      out[j] = here[j] + heat_ratio * (((up[j] + down[j]) + (here[j - 1] + here[j + 1])) - 4 * here[j]);
  }
}

/// `steps` steps, one row after another. The answer is in `plate`; `other` has the same size and border.
inline void heat_sequential(std::vector<double>& plate, std::vector<double>& other, std::size_t n,
                            int steps) {
  for (int step = 0; step < steps; ++step) {
    heat_rows(plate.data(), other.data(), n, 1, n - 1);
    std::swap(plate, other);
  }
}

/// What one step multiplies the plate by.
inline double heat_factor(std::size_t n) {
  const double half = std::sin(std::numbers::pi / static_cast<double>(n - 1) / 2);
  return 1 - 8 * heat_ratio * half * half;
}

/// The largest distance from the exact answer; must be below 1e-13 a step. NaN where one occurs.
inline double heat_error(std::span<const double> plate, std::size_t n, int steps) {
  const std::vector<double> sines = heat_sines(n);
  const double factor = std::pow(heat_factor(n), steps);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double error = std::abs(plate[i * n + j] - factor * sines[i] * sines[j]);
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

}  // namespace workloads
