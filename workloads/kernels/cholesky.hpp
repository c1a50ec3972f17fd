// Cholesky factorisation: the leaf work on blocks of at most 64 x 64, the inputs and the known answers. No scheduling.
//
// Matrices are row-major. `pitch` is the distance between the rows of a block in elements. A is given by its lower
// triangle, which L replaces.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"
#include "workloads/kernels/matmul.hpp"

namespace workloads {

inline constexpr std::size_t cholesky_leaf = matmul_leaf;

namespace detail {
using cholesky_block = std::array<std::array<double, cholesky_leaf>, cholesky_leaf>;
}

// The leaves work on copies, since rows in place, a power of two apart, would share a few sets of the cache.

/// Factors a diagonal block of n x n, L L^T = A. Sets the elements above the diagonal to zero.
WORKLOADS_VECTORISED inline void cholesky_factor(double* a, std::size_t n, std::size_t pitch) {
  alignas(64) detail::cholesky_block l = {};
  for (std::size_t i = 0; i < n; ++i) std::copy_n(a + i * pitch, i + 1, l[i].data());
  std::array<double, cholesky_leaf> column;
  for (std::size_t k = 0; k < n; ++k) {
    l[k][k] = std::sqrt(l[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) column[i] = l[i][k] /= l[k][k];
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j <= i; ++j) l[i][j] -= column[i] * column[j];
  }
  for (std::size_t i = 0; i < n; ++i) std::copy_n(l[i].data(), n, a + i * pitch);
}

/// Solves X L^T = B for a block of rows x columns below the diagonal block l. X replaces B.
WORKLOADS_VECTORISED inline void cholesky_solve(const double* l, double* b, std::size_t rows,
                                                std::size_t columns, std::size_t pitch) {
  alignas(64) detail::cholesky_block x;  // transposed, so that all rows are solved together
  for (std::size_t j = 0; j < columns; ++j) {
    std::array<double, cholesky_leaf> sum = {};
    for (std::size_t i = 0; i < rows; ++i) sum[i] = b[i * pitch + j];
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = 0; i < cholesky_leaf; ++i) sum[i] -= x[k][i] * l[j * pitch + k];
    for (std::size_t i = 0; i < cholesky_leaf; ++i) x[j][i] = sum[i] / l[j * pitch + j];
  }
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) b[i * pitch + j] = x[j][i];
}

/// C -= A B^T for a block of C of rows x columns, and `depth` columns of A and B.
WORKLOADS_VECTORISED inline void cholesky_update(const double* a, const double* b, double* c,
                                                 std::size_t rows, std::size_t columns, std::size_t depth,
                                                 std::size_t pitch) {
  using namespace detail;
  constexpr std::size_t width = lanes * tile_lanes;
  alignas(64) packed_block packed;  // -B^T
  if (columns < matmul_leaf) packed = {};
  for (std::size_t j = 0; j < columns; j += lanes) {
    const std::size_t wide = std::min(lanes, columns - j);
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t lane = 0; lane < wide; ++lane) packed[k][j / lanes][lane] = -b[(j + lane) * pitch + k];
  }
  for (std::size_t j = 0; j < columns; j += width) {
    const std::size_t wide = std::min(width, columns - j);
    std::size_t i = 0;
    for (; i + tile_rows <= rows; i += tile_rows)
      matmul_tile<tile_rows>(a + i * pitch, packed, j, c + i * pitch + j, wide, depth, {pitch, pitch, pitch});
    for (; i < rows; ++i)
      matmul_tile<1>(a + i * pitch, packed, j, c + i * pitch + j, wide, depth, {pitch, pitch, pitch});
  }
}

/// Factors by tiles of 4 x 4 blocks, which fit into a second-level cache. Each tile is updated by everything to its
/// left and then finished block by block. Every block sees the same operations in the same order as with quadrants, so
/// the bits are the same.
inline void cholesky_sequential(double* a, std::size_t n) {
  constexpr std::size_t leaf = cholesky_leaf, tile = 4 * leaf;
  const auto edge = [&](std::size_t i) { return std::min(leaf, n - i); };
  const auto end = [&](std::size_t first) { return std::min(n, first + tile); };
  const auto update = [&](std::size_t i, std::size_t j, std::size_t k) {
    cholesky_update(a + i * n + k, a + j * n + k, a + i * n + j, edge(i), edge(j), leaf, n);
  };
  for (std::size_t top = 0; top < n; top += tile)
    for (std::size_t left = 0; left <= top; left += tile) {
      for (std::size_t k = 0; k < left; k += leaf)
        for (std::size_t i = top; i < end(top); i += leaf)
          for (std::size_t j = left; j < end(left) && j <= i; j += leaf) update(i, j, k);
      for (std::size_t j = left; j < end(left); j += leaf)
        for (std::size_t i = std::max(top, j); i < end(top); i += leaf) {
          for (std::size_t k = left; k < j; k += leaf) update(i, j, k);
          if (i == j)
            cholesky_factor(a + i * n + j, edge(i), n);
          else
            cholesky_solve(a + j * n + j, a + i * n + j, edge(i), edge(j), n);
        }
    }
}

// The inputs.

/// A_ij = min(i, j) + 1. Its factor has L_ij = 1 exactly.
inline std::vector<double> cholesky_exact_input(std::size_t n) {
  std::vector<double> a(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) a[i * n + j] = static_cast<double>(j + 1);
  return a;
}

/// The factor of the random input.
inline double cholesky_entry(std::uint64_t seed, std::size_t n, std::size_t i, std::size_t j) {
  const double u = uniform_at(seed, i * n + j);
  return i == j ? 1 + u : j < i ? (u - 0.5) / std::sqrt(static_cast<double>(n)) : 0.0;
}
/// Computes the product of the factor and its transpose, row by row.
inline std::vector<double> cholesky_random_input(std::uint64_t seed, std::size_t n) {
  std::vector<double> a(n * n, 0.0), transposed(n * n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) transposed[k * n + j] = cholesky_entry(seed, n, j, k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double factor = transposed[k * n + i];
      for (std::size_t j = k; j <= i; ++j) a[i * n + j] += factor * transposed[k * n + j];
    }
  return a;
}

/// The published sum of the logarithms of the diagonal of L, for the random input of seed 42; 0 if there is none.
inline double cholesky_log_sum(std::size_t n) {
  switch (n) {
    case 256:
      return 101.105545536385;
    case 512:
      return 201.36666070168;
    case 1024:
      return 389.263753739738;
  }
  return 0;
}
inline double cholesky_log_sum(std::span<const double> l, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log(l[i * n + i]);
  return sum;
}

/// The largest difference between L and `entry`, above the diagonal too. NaN if there is a NaN.
template <class Entry>
double cholesky_error(std::span<const double> l, std::size_t n, Entry entry) {
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double error = std::abs(l[i * n + j] - entry(i, j));
      if (std::isnan(error)) return error;
      worst = std::max(worst, error);
    }
  return worst;
}

}  // namespace workloads
