// Successive over-relaxation on a square, red points first, then black ones: the leaf work, the input and its
// answer. No scheduling.
//
// Laplace's equation on n x n points of the unit square with the border g(x, y) = x^2 - y^2, which solves the
// discrete equation exactly: every inner point tends to g. How fast depends on omega.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

namespace workloads {

/// The limit of point (i, j).
inline double sor_limit(std::size_t n, std::size_t i, std::size_t j) {
  const double x = static_cast<double>(i) / static_cast<double>(n - 1);
  const double y = static_cast<double>(j) / static_cast<double>(n - 1);
  return x * x - y * y;
}

/// The border as it stays, zeros inside.
inline std::vector<double> sor_plate(std::size_t n) {
  std::vector<double> plate(n * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    plate[k] = sor_limit(n, 0, k);
    plate[(n - 1) * n + k] = sor_limit(n, n - 1, k);
    plate[k * n] = sor_limit(n, k, 0);
    plate[k * n + n - 1] = sor_limit(n, k, n - 1);
  }
  return plate;
}

/// Relaxes the points of one colour, (i + j) % 2 == colour, of rows [first, last), 1 <= first <= last <= n - 1. Reads
/// points of the other colour only, so the order of rows does not matter. That of the operands does: results are
/// compared bit by bit.
inline void sor_rows(double* plate, std::size_t n, std::size_t first, std::size_t last, std::size_t colour,
                     double omega) {
  const double keep = 1 - omega, take = omega / 4;
  for (std::size_t i = first; i < last; ++i) {
    double* here = plate + i * n;
    const double *up = here - n, *down = here + n;
    const std::size_t start = 1 + (i + 1 + colour) % 2;
    double left = here[start - 1];
    for (std::size_t j = start; j + 1 < n; j += 2) {
      const double right = here[j + 1];
      here[j] = keep * here[j] + take * ((up[j] + down[j]) + (left + right));
      left = right;
    }
  }
}

inline void sor_sequential(std::vector<double>& plate, std::size_t n, int iterations, double omega) {
  for (int iteration = 0; iteration < iterations; ++iteration)
    for (const std::size_t colour : {0u, 1u}) sor_rows(plate.data(), n, 1, n - 1, colour, omega);
}

/// The omega with which the error shrinks fastest in the long run (Young, 1950).
inline double sor_best_omega(std::size_t n) {
  return 2 / (1 + std::sin(std::numbers::pi / static_cast<double>(n - 1)));
}

/// The largest distance from the limit. NaN where one occurs.
inline double sor_error(std::span<const double> plate, std::size_t n) {
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double error = std::abs(plate[i * n + j] - sor_limit(n, i, j));
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

/// The hash_sequence of the answer for omega = 1.5, where it was published.
inline std::optional<std::uint64_t> sor_published(std::size_t n, int iterations) {
  static constexpr struct {
    std::size_t n;
    int iterations;
    std::uint64_t hash;
  } known[] = {{65, 20, 0x9688d35e8c7bb65f},
               {129, 100, 0xe8d7afc6a92d88ae},
               {512, 100, 0xe59338282173c87a},
               {1024, 50, 0x4296767086f96d3d},
               {2048, 200, 0x4fbf109af3274f90}};
  for (const auto& k : known)
    if (k.n == n && k.iterations == iterations) return k.hash;
  return std::nullopt;
}

}  // namespace workloads
