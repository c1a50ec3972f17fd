// Conjugate gradients without a preconditioner: the leaf work on some rows, the synthetic matrix, and the known
// answers. No scheduling.
//
// A x = b for a symmetric and positive definite A; b = A (1, ..., 1), so that the answer is known.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "workloads/common/sparse.hpp"

namespace workloads {

/// The stiffness matrix of nx x ny x nz nodes. Each node moves in three directions. Its neighbours hold it, and the
/// ground holds the lowest layer.
inline sparse_matrix cg_synthetic(int nx, int ny, int nz) {
  constexpr double block[3][3] = {{4, 1, 1}, {1, 4, 1}, {1, 1, 4}};
  std::vector<sparse_entry> entries;
  const auto node = [&](int x, int y, int z) { return static_cast<std::uint32_t>((z * ny + y) * nx + x); };
  const auto couple = [&](std::uint32_t a, std::uint32_t b, double weight) {
    for (std::uint32_t i = 0; i < 3; ++i)
      for (std::uint32_t j = 0; j < 3; ++j) entries.push_back({3 * a + i, 3 * b + j, weight * block[i][j]});
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        double held = z == 0 ? 1 : 0;
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const int away = std::abs(dx) + std::abs(dy) + std::abs(dz);
              const bool inside =
                  x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0 && z + dz < nz;
              if (away == 0 || !inside) continue;
              held += 1.0 / away;
              couple(node(x, y, z), node(x + dx, y + dy, z + dz), -1.0 / away);
            }
        couple(node(x, y, z), node(x, y, z), held);
      }
  const auto nodes =
      static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  return sparse_from(3 * nodes, std::move(entries));
}

using cg_vector = std::vector<double>;

/// q = A p on rows [first, last). Four sums for each row, so that an addition need not wait for the previous one.
inline void cg_multiply(const sparse_matrix& a, const cg_vector& p, cg_vector& q, std::size_t first,
                        std::size_t last) {
  for (std::size_t row = first; row < last; ++row) {
    std::array<double, 4> sums = {};
    std::size_t k = a.start[row];
    const std::size_t end = a.start[row + 1];
    for (; k + 4 <= end; k += 4)
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a.values[k + lane] * p[a.columns[k + lane]];
    for (; k < end; ++k) sums[0] += a.values[k] * p[a.columns[k]];
    q[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

/// A sum over a vector is the sum of the sums of its blocks, from the first to the last. So the bits do not depend on
/// which worker sums a block.
inline constexpr std::size_t cg_block = 256;
inline double cg_dot_block(const cg_vector& x, const cg_vector& y, std::size_t first, std::size_t last) {
  std::array<double, 4> sums = {};
  std::size_t i = first;
  for (; i + 4 <= last; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  for (; i < last; ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
inline double cg_dot(const cg_vector& x, const cg_vector& y) {
  double sum = 0;
  for (std::size_t first = 0; first < x.size(); first += cg_block)
    sum += cg_dot_block(x, y, first, std::min(first + cg_block, x.size()));
  return sum;
}

/// y += factor x on rows [first, last).
inline void cg_add(double factor, const cg_vector& x, cg_vector& y, std::size_t first, std::size_t last) {
  const double* from = x.data();
  double* to = y.data();
  for (std::size_t i = first; i < last; ++i) to[i] += factor * from[i];
}
/// p = r + factor p.
inline void cg_turn(double factor, const cg_vector& r, cg_vector& p, std::size_t first, std::size_t last) {
  const double* from = r.data();
  double* to = p.data();
  for (std::size_t i = first; i < last; ++i) to[i] = from[i] + factor * to[i];
}

/// 0 if there is nothing left to improve.
inline double cg_ratio(double a, double b) { return b == 0 ? 0 : a / b; }

struct cg_state {
  cg_vector x, r, p, q;
  double rho = 0;  // r . r

  /// Sets x = 0.
  void start(const cg_vector& b) {
    x.assign(b.size(), 0.0);
    r = p = b;
    q.assign(b.size(), 0.0);
  }
};

inline void cg_sequential(const sparse_matrix& a, cg_state& s, int iterations) {
  s.rho = cg_dot(s.r, s.r);
  for (int i = 0; i < iterations; ++i) {
    cg_multiply(a, s.p, s.q, 0, a.n);
    const double alpha = cg_ratio(s.rho, cg_dot(s.p, s.q));
    cg_add(alpha, s.p, s.x, 0, a.n);
    cg_add(-alpha, s.q, s.r, 0, a.n);
    const double before = s.rho;
    s.rho = cg_dot(s.r, s.r);
    cg_turn(cg_ratio(s.rho, before), s.r, s.p, 0, a.n);
  }
}

inline cg_vector cg_right_side(const sparse_matrix& a) {
  const cg_vector ones(a.n, 1.0);
  cg_vector b(a.n);
  cg_multiply(a, ones, b, 0, a.n);
  return b;
}

inline double cg_norm(const cg_vector& x) { return std::sqrt(cg_dot(x, x)); }

/// |b - A x| / |b|.
inline double cg_residual(const sparse_matrix& a, const cg_vector& b, const cg_vector& x) {
  cg_vector rest(a.n);
  cg_multiply(a, x, rest, 0, a.n);
  for (std::size_t i = 0; i < a.n; ++i) rest[i] = b[i] - rest[i];
  return cg_norm(rest) / cg_norm(b);
}

/// The distance from the answer (1, ..., 1) in the norm that every iteration reduces: e . A e.
inline double cg_error(const sparse_matrix& a, const cg_vector& x) {
  cg_vector error(a.n), image(a.n);
  for (std::size_t i = 0; i < a.n; ++i) error[i] = 1 - x[i];
  cg_multiply(a, error, image, 0, a.n);
  return cg_dot(error, image);
}

/// A published residual |b - A x| / |b| with its tolerance, or a bound.
struct cg_known {
  double residual, tolerance;
};
/// Published for the synthetic matrices of 5 x 4 x 6 and 11 x 4 x 37 nodes, and for bcsstk16. For bcsstk16 the order of
/// a sum soon changes the residual: by 4% after 100 iterations, by a quarter after 300.
inline std::optional<cg_known> cg_published(const sparse_matrix& a, double norm, int iterations) {
  struct row {
    std::size_t n, entries;
    int iterations;
    cg_known known;
  };
  constexpr double norm16 = 10495799970.468956;
  constexpr row rows[] = {
      {360, 18720, 10, {0.0452132510589, 4.5e-8}},
      {360, 18720, 50, {0, 1e-14}},
      {4884, 304110, 10, {0.290770667791, 2.9e-7}},
      {4884, 304110, 50, {0.00283326329, 2.8e-9}},
      {4884, 304110, 100, {0, 1e-14}},
      {4884, 290378, 10, {0.170171710391, 1.7e-4}},
      {4884, 290378, 100, {0.0022544056, 1.1e-4}},
      {4884, 290378, 300, {2.1825e-08, 1e-8}},
      {4884, 290378, 600, {0, 1e-13}},
  };
  for (const row& r : rows)
    if (r.n == a.n && r.entries == a.entries() && r.iterations == iterations &&
        (r.entries != 290378 || std::abs(norm / norm16 - 1) < 1e-9))
      return r.known;
  return {};
}

}  // namespace workloads
