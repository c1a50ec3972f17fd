// Successive over-relaxation on a plate, red points first, then black ones: the leaf work, the input and its
// answer. No scheduling.
//
// Laplace's equation on an equidistant grid of n x n points of the unit square, or a part of it. The border is g(x, y)
// = x^2 - y^2, which solves the discrete equation exactly, so every inner point converges to g. The speed depends on
// omega.
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

struct sor_grid {
  std::size_t rows, columns;
  std::size_t points() const { return rows * columns; }
  /// The longer side has length 1.
  double distance_of(std::size_t k) const {
    return static_cast<double>(k) / static_cast<double>(std::max(rows, columns) - 1);
  }
  /// The limit of point (i, j).
  double limit(std::size_t i, std::size_t j) const {
    const double x = distance_of(i), y = distance_of(j);
    return x * x - y * y;
  }
};
inline sor_grid sor_square(std::size_t n) { return {n, n}; }

/// A plate with its constant border, and zeros inside.
inline std::vector<double> sor_plate(const sor_grid& grid) {
  std::vector<double> plate(grid.points(), 0.0);
  const auto set = [&](std::size_t i, std::size_t j) { plate[i * grid.columns + j] = grid.limit(i, j); };
  for (std::size_t j = 0; j < grid.columns; ++j) set(0, j), set(grid.rows - 1, j);
  for (std::size_t i = 0; i < grid.rows; ++i) set(i, 0), set(i, grid.columns - 1);
  return plate;
}

/// Relaxes the points of one colour, (i + j) % 2 == colour, of rows [first, last), 1 <= first <= last <= rows - 1. It
/// reads only points of the other colour, so the order of rows does not matter. The order of the operands does, since
/// results are compared bit by bit.
inline void sor_rows(double* plate, std::size_t columns, std::size_t first, std::size_t last,
                     std::size_t colour, double omega) {
  const double keep = 1 - omega, take = omega / 4;
  for (std::size_t i = first; i < last; ++i) {
    double* here = plate + i * columns;
    const double *up = here - columns, *down = here + columns;
    const std::size_t start = 1 + (i + 1 + colour) % 2;
    double left = here[start - 1];
    for (std::size_t j = start; j + 1 < columns; j += 2) {
      const double right = here[j + 1];
      here[j] = keep * here[j] + take * ((up[j] + down[j]) + (left + right));
      left = right;
    }
  }
}

inline void sor_sequential(std::vector<double>& plate, const sor_grid& grid, int iterations, double omega) {
  for (int iteration = 0; iteration < iterations; ++iteration)
    for (const std::size_t colour : {0u, 1u})
      sor_rows(plate.data(), grid.columns, 1, grid.rows - 1, colour, omega);
}

/// The omega with the fastest asymptotic convergence on a square (Young, 1950).
inline double sor_best_omega(std::size_t n) {
  return 2 / (1 + std::sin(std::numbers::pi / static_cast<double>(n - 1)));
}

/// The largest difference from the limit. NaN if there is a NaN.
inline double sor_error(std::span<const double> plate, const sor_grid& grid) {
  double worst = 0;
  for (std::size_t i = 0; i < grid.rows; ++i)
    for (std::size_t j = 0; j < grid.columns; ++j) {
      const double error = std::abs(plate[i * grid.columns + j] - grid.limit(i, j));
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

/// The published hash_sequence of the answer on a square for omega = 1.5, if any.
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
