// Single precision matrix multiplication: the leaf, the input and the check. No scheduling.
//
// Matrices are row-major; `pitch` is the distance between rows in elements. The input is matmul's: whole numbers in -8
// .. 8, so C is exact for any order of the sums while 64 * n * repetitions < 2^24.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/vectorised.hpp"
#include "workloads/kernels/matmul.hpp"

namespace workloads {

inline std::vector<float> random_floats(std::uint64_t seed, std::size_t n) {
  std::vector<float> m(n * n);
  for (std::size_t k = 0; k < m.size(); ++k) m[k] = static_cast<float>(matrix_entry(seed, k));
  return m;
}

namespace detail {

inline constexpr std::size_t sgemm_lanes = 8, sgemm_tile_rows = 4, sgemm_tile_lanes = 2;
inline constexpr std::size_t sgemm_width = sgemm_lanes * sgemm_tile_lanes, sgemm_depth = 256;
using float_vector [[gnu::vector_size(sgemm_lanes * sizeof(float))]] = float;
using packed_panel = std::array<std::array<float_vector, sgemm_tile_lanes>, sgemm_depth>;

/// Computes `Rows` rows and 16 columns of C. The sums stay in registers over the whole depth.
template <std::size_t Rows>
[[gnu::always_inline]] inline void sgemm_tile(const float* a, const packed_panel& b, float* c,
                                              std::size_t columns, std::size_t depth, std::size_t pitch) {
  float_vector sum[Rows][sgemm_tile_lanes] = {};
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t y = 0; y < Rows; ++y)
      for (std::size_t x = 0; x < sgemm_tile_lanes; ++x) sum[y][x] += a[y * pitch + k] * b[k][x];
  if (columns == sgemm_width) {
    for (std::size_t y = 0; y < Rows; ++y) {
      std::array<float_vector, sgemm_tile_lanes> row;
      std::memcpy(row.data(), c + y * pitch, sizeof row);
      for (std::size_t x = 0; x < sgemm_tile_lanes; ++x) row[x] += sum[y][x];
      std::memcpy(c + y * pitch, row.data(), sizeof row);
    }
    return;
  }
  for (std::size_t y = 0; y < Rows; ++y)
    for (std::size_t x = 0; x < columns; ++x) c[y * pitch + x] += sum[y][x / sgemm_lanes][x % sgemm_lanes];
}

}  // namespace detail

/// C += A B for a block of C of rows x columns and `depth` products each, of any size.
WORKLOADS_VECTORISED inline void sgemm_block(const float* a, const float* b, float* c, std::size_t rows,
                                             std::size_t columns, std::size_t depth, std::size_t pitch) {
  using namespace detail;
  alignas(64) packed_panel panel;
  for (std::size_t k = 0; k < depth; k += sgemm_depth) {
    const std::size_t deep = std::min(sgemm_depth, depth - k);
    for (std::size_t j = 0; j < columns; j += sgemm_width) {
      const std::size_t wide = std::min(sgemm_width, columns - j);
      for (std::size_t d = 0; d < deep; ++d) {
        if (wide == sgemm_width) {
          std::memcpy(panel[d].data(), b + (k + d) * pitch + j, sgemm_width * sizeof(float));
        } else {
          panel[d] = {};
          std::memcpy(panel[d].data(), b + (k + d) * pitch + j, wide * sizeof(float));
        }
      }
      std::size_t i = 0;
      for (; i + sgemm_tile_rows <= rows; i += sgemm_tile_rows)
        sgemm_tile<sgemm_tile_rows>(a + i * pitch + k, panel, c + i * pitch + j, wide, deep, pitch);
      for (; i < rows; ++i) sgemm_tile<1>(a + i * pitch + k, panel, c + i * pitch + j, wide, deep, pitch);
    }
  }
}

inline constexpr std::size_t sgemm_leaf = 48;  // 768 / 16: three blocks of 48 x 48 floats fit an L1

/// C += A B for n x n matrices, block by block.
inline void sgemm_sequential(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; i += sgemm_leaf)
    for (std::size_t j = 0; j < n; j += sgemm_leaf)
      sgemm_block(a + i * n, b + j, c + i * n + j, std::min(sgemm_leaf, n - i), std::min(sgemm_leaf, n - j),
                  n, n);
}

/// What is wrong with C = repetitions * A B, or nullptr. `published` is the hash of C for one repetition, or 0.
inline const char* sgemm_wrong(const std::vector<float>& a, const std::vector<float>& b,
                               const std::vector<float>& c, std::size_t n, int repetitions,
                               std::uint64_t published) {
  std::vector<std::int64_t> once;
  for (const float x : c) {
    const double part = static_cast<double>(x) / repetitions;
    if (!(std::abs(part) < 0x1p24) || part != std::floor(part)) return "C is not the sum of equal products";
    once.push_back(static_cast<std::int64_t>(part));
  }
  const auto doubles = [](const auto& m) { return std::vector<double>(m.begin(), m.end()); };
  if (!is_product(doubles(a).data(), doubles(b).data(), doubles(once).data(), n)) return "C is not A B";
  if (published != 0 && hash_sequence(once) != published) return "C differs from the published answer";
  return nullptr;
}

}  // namespace workloads
