// Heat on a plate: the leaf work, two inputs and their exact answers. No scheduling.
//
// u_t = u_xx + u_yy, explicit Jacobi steps with r = dt / h^2. Both inputs start from u = sin x sin y and keep this
// shape: after k steps every point is factor(k) times its initial value.
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

/// eigenmode: [0, pi]^2 with a cold border and r = 0.2. The answer of the discrete scheme is known exactly, for any
/// number of rows and columns. cilk: Cilk's input, [0, pi/2]^2 and t from 0 to 1e-7. Its border follows the exact
/// answer of the differential equation, and there are as many rows as columns.
enum class heat_input { eigenmode, cilk };

struct heat_problem {
  std::size_t rows, columns;
  int steps;
  heat_input input = heat_input::eigenmode;

  bool cold_border() const { return input == heat_input::eigenmode; }
  double distance(std::size_t points) const {
    return (cold_border() ? std::numbers::pi : std::numbers::pi / 2) / static_cast<double>(points - 1);
  }
  /// The time between two steps; only for cilk.
  double time_step() const { return 1e-7 / steps; }
  double ratio() const {
    const double h = distance(rows);
    return cold_border() ? heat_ratio : time_step() / (h * h);
  }
  /// The factor by which one step of eigenmode multiplies the plate.
  double step_factor() const {
    const double a = std::sin(distance(rows) / 2), b = std::sin(distance(columns) / 2);
    return 1 - 4 * heat_ratio * (a * a + b * b);
  }
  double factor(int after) const {
    return cold_border() ? std::pow(step_factor(), after) : std::exp(-2 * time_step() * after);
  }
  /// The allowed error of a correct run. For cilk it includes twice the error of the fourth derivatives: t h^2 / 6.
  double tolerance() const {
    const double h = distance(rows);
    return cold_border() ? 1e-13 * steps : std::max(1e-12, 1e-7 * h * h / 3);
  }

  /// The sines at the points of one axis; exactly 0 on a cold border.
  std::vector<double> sines(std::size_t points) const {
    std::vector<double> at(points, 0.0);
    for (std::size_t i = 1; i + cold_border() < points; ++i)
      at[i] = std::sin(distance(points) * static_cast<double>(i));
    return at;
  }
};

/// The square plate of the eigenmode.
inline heat_problem heat_square(std::size_t n, int steps) { return {n, n, steps}; }

struct heat_sines {
  explicit heat_sines(const heat_problem& of) : down(of.sines(of.rows)), across(of.sines(of.columns)) {}
  std::vector<double> down, across;
};

/// Writes rows [first, last) of the plate at time 0.
inline void heat_fill(double* plate, const heat_sines& sines, std::size_t first, std::size_t last) {
  const std::size_t columns = sines.across.size();
  for (std::size_t i = first; i < last; ++i)
    for (std::size_t j = 0; j < columns; ++j) plate[i * columns + j] = sines.down[i] * sines.across[j];
}

inline std::vector<double> heat_plate(const heat_problem& of) {
  std::vector<double> plate(of.rows * of.columns);
  heat_fill(plate.data(), heat_sines(of), 0, of.rows);
  return plate;
}

/// One step for rows [first, last) of the inner part, 1 <= first <= last <= rows - 1. The order of the operands
/// is part of the definition: results are compared bit by bit.
inline void heat_rows(const double* from, double* to, std::size_t columns, std::size_t first,
                      std::size_t last, double ratio = heat_ratio) {
  for (std::size_t i = first; i < last; ++i) {
    const double* here = from + i * columns;
    const double* up = here - columns;
    const double* down = here + columns;
    double* __restrict out = to + i * columns;
    for (std::size_t j = 1; j + 1 < columns; ++j)
      out[j] = here[j] + ratio * (((up[j] + down[j]) + (here[j - 1] + here[j + 1])) - 4 * here[j]);
  }
}

/// Sets the border of those rows, and the border row beside them if any, to its values after `after` steps. A cold
/// border stays.
inline void heat_border(double* plate, const heat_problem& of, const heat_sines& sines, std::size_t first,
                        std::size_t last, int after) {
  if (of.cold_border()) return;
  const double factor = of.factor(after);
  const std::size_t columns = of.columns, right = columns - 1, below = of.rows - 1;
  for (std::size_t i = first; i < last; ++i)
    plate[i * columns + right] = factor * sines.down[i] * sines.across[right];
  if (last != below) return;
  for (std::size_t j = 0; j < columns; ++j)
    plate[below * columns + j] = factor * sines.down[below] * sines.across[j];
}

/// Does all steps, one row after another. The answer is in `plate`; `other` has the same size and border.
inline void heat_sequential(std::vector<double>& plate, std::vector<double>& other, const heat_problem& of) {
  const heat_sines sines(of);
  const double ratio = of.ratio();
  for (int step = 0; step < of.steps; ++step) {
    heat_rows(plate.data(), other.data(), of.columns, 1, of.rows - 1, ratio);
    heat_border(other.data(), of, sines, 1, of.rows - 1, step + 1);
    std::swap(plate, other);
  }
}

/// The largest difference from the exact answer; must be below tolerance(). NaN if there is a NaN.
inline double heat_error(std::span<const double> plate, const heat_problem& of) {
  const heat_sines sines(of);
  const double factor = of.factor(of.steps);
  double worst = 0;
  for (std::size_t i = 0; i < of.rows; ++i)
    for (std::size_t j = 0; j < of.columns; ++j) {
      const double error = std::abs(plate[i * of.columns + j] - factor * sines.down[i] * sines.across[j]);
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

}  // namespace workloads
