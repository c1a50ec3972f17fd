// Matrix multiplication: the leaf, the input and the check. No scheduling.
//
// Matrices are row-major; `pitch` is the distance between rows in elements. The input is whole numbers in -8 .. 8, so C
// is exact for any order of the sums.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"

namespace workloads {

inline constexpr std::size_t matmul_leaf =
    64;  // three blocks of 64 x 64 doubles fit a 128 KB L2, two of them an L1

inline double matrix_entry(std::uint64_t seed, std::size_t k) {
  return static_cast<double>(below_at(seed, k, 17)) - 8.0;
}
inline std::vector<double> random_matrix(std::uint64_t seed, std::size_t n) {
  std::vector<double> m(n * n);
  for (std::size_t k = 0; k < m.size(); ++k) m[k] = matrix_entry(seed, k);
  return m;
}

/// The distances between rows of A, B and C.
struct matmul_pitches {
  std::size_t a, b, c;
};

namespace detail {

// Four lanes, since gcc 12 compiles eight lanes badly without AVX-512 (30 times slower on AVX2).
inline constexpr std::size_t lanes = 4, tile_rows = 4, tile_lanes = 2;
using vector [[gnu::vector_size(lanes * sizeof(double))]] = double;
using packed_block = std::array<std::array<vector, matmul_leaf / lanes>, matmul_leaf>;

/// Computes `Rows` rows and 16 columns of C. The sums stay in registers over the whole depth.
template <std::size_t Rows>
[[gnu::always_inline]] inline void matmul_tile(const double* a, const packed_block& b, std::size_t j,
                                               double* c, std::size_t columns, std::size_t depth,
                                               const matmul_pitches& pitch) {
  vector sum[Rows][tile_lanes] = {};
  for (std::size_t k = 0; k < depth; ++k)
    for (std::size_t y = 0; y < Rows; ++y)
      for (std::size_t x = 0; x < tile_lanes; ++x) sum[y][x] += a[y * pitch.a + k] * b[k][j / lanes + x];
  for (std::size_t y = 0; y < Rows; ++y)
    for (std::size_t x = 0; x < columns; ++x) c[y * pitch.c + x] += sum[y][x / lanes][x % lanes];
}

}  // namespace detail

/// C += A B for a block of C of rows x columns and `depth` products each; all three at most matmul_leaf.
WORKLOADS_VECTORISED inline void matmul_block(const double* a, const double* b, double* c, std::size_t rows,
                                              std::size_t columns, std::size_t depth,
                                              const matmul_pitches& pitch) {
  using namespace detail;
  constexpr std::size_t width = lanes * tile_lanes;
  // Packed, since rows of B in place, a power of two apart, would share a few sets of the cache.
  alignas(64) packed_block packed;
  for (std::size_t k = 0; k < depth; ++k) {
    if (columns < matmul_leaf) packed[k] = {};
    std::memcpy(packed[k].data(), b + k * pitch.b, columns * sizeof(double));
  }
  for (std::size_t j = 0; j < columns; j += width) {
    const std::size_t wide = std::min(width, columns - j);
    std::size_t i = 0;
    for (; i + tile_rows <= rows; i += tile_rows)
      matmul_tile<tile_rows>(a + i * pitch.a, packed, j, c + i * pitch.c + j, wide, depth, pitch);
    for (; i < rows; ++i) matmul_tile<1>(a + i * pitch.a, packed, j, c + i * pitch.c + j, wide, depth, pitch);
  }
}

/// Computes one block of C, rows [i, i_end) and columns [j, j_end), both at most matmul_leaf, over the whole depth n.
inline void matmul_block_of_c(const double* a, const double* b, double* c, std::size_t n, std::size_t i,
                              std::size_t i_end, std::size_t j, std::size_t j_end) {
  for (std::size_t k = 0; k < n; k += matmul_leaf)
    matmul_block(a + i * n + k, b + k * n + j, c + i * n + j, i_end - i, j_end - j,
                 std::min(matmul_leaf, n - k), {n, n, n});
}

inline void matmul_sequential(const double* a, const double* b, double* c, std::size_t n) {
  for (std::size_t i = 0; i < n; i += matmul_leaf)
    for (std::size_t j = 0; j < n; j += matmul_leaf)
      matmul_block_of_c(a, b, c, n, i, std::min(n, i + matmul_leaf), j, std::min(n, j + matmul_leaf));
}

/// Freivalds' test (1977): is C x = A (B x) for random vectors x of +1 and -1? A wrong C passes one vector with a
/// probability of at most 1/2, hence twenty vectors. The test is exact for whole numbers.
inline bool is_product(const double* a, const double* b, const double* c, std::size_t n) {
  std::vector<double> x(n), bx(n);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (std::size_t i = 0; i < n; ++i) x[i] = random_at(seed, i) >> 63 ? 1.0 : -1.0;
    for (std::size_t i = 0; i < n; ++i) {
      bx[i] = 0;
      for (std::size_t j = 0; j < n; ++j) bx[i] += b[i * n + j] * x[j];
    }
    for (std::size_t i = 0; i < n; ++i) {
      double abx = 0, cx = 0;
      for (std::size_t j = 0; j < n; ++j) {
        abx += a[i * n + j] * bx[j];
        cx += c[i * n + j] * x[j];
      }
      if (abx != cx) return false;
    }
  }
  return true;
}

/// The published hash_sequence of C as whole numbers, for A of seed 42 and B of seed 43; 0 if there is none.
inline std::uint64_t product_hash(std::size_t n) {
  switch (n) {
    case 64:
      return 0x9c1b9420d6db1992;
    case 96:
      return 0xacea06f445ab2fed;
    case 128:
      return 0x41b4cfb4a1595bd2;
    case 192:
      return 0xe861749af33a03aa;
    case 256:
      return 0xabf84f0f0a59e3c1;
    case 512:
      return 0x0728859485847936;
    case 768:
      return 0x44d6c8da7f449bf6;
    case 1024:
      return 0xf022dc6fd11cd1ac;
    case 1500:
      return 0x14263a76fc96c87d;
  }
  return 0;
}

}  // namespace workloads
