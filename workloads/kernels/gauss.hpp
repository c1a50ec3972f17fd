// Gaussian elimination without pivoting: the leaf work, the input and the checks. No scheduling.
//
// A x = b is one row-major array of n rows and n + 1 columns; the last column is b. A is diagonally dominant and b has
// its row sums, so x is all ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"

namespace workloads {

inline std::vector<double> gauss_system(std::uint64_t seed, std::size_t n) {
  std::vector<double> a(n * (n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    double* row = a.data() + i * (n + 1);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      row[j] = uniform_at(seed, i * n + j) - 0.5;
      if (i == j) row[j] += static_cast<double>(n);
      sum += row[j];
    }
    row[n] = sum;
  }
  return a;
}

/// Step k for rows [first, last), all below row k: subtracts the multiple of row k and stores the factor where the zero
/// would be.
WORKLOADS_VECTORISED inline void gauss_rows(double* a, std::size_t n, std::size_t k, std::size_t first,
                                            std::size_t last) {
  const double* pivot = a + k * (n + 1);
  for (std::size_t i = first; i < last; ++i) {
    double* __restrict row = a + i * (n + 1);
    const double factor = row[k] / pivot[k];
    row[k] = factor;
    for (std::size_t j = k + 1; j <= n; ++j) row[j] -= factor * pivot[j];
  }
}

inline void gauss_sequential(double* a, std::size_t n) {
  for (std::size_t k = 0; k + 1 < n; ++k) gauss_rows(a, n, k, k + 1, n);
}

/// The solution x of the eliminated system.
inline std::vector<double> gauss_solution(const std::vector<double>& a, std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    const double* row = a.data() + i * (n + 1);
    double rest = row[n];
    for (std::size_t j = i + 1; j < n; ++j) rest -= row[j] * x[j];
    x[i] = rest / row[i];
  }
  return x;
}

/// The logarithm of A's determinant, from the pivots.
inline double gauss_log_determinant(const std::vector<double>& a, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += std::log(std::abs(a[k * (n + 1) + k]));
  return sum;
}

/// The largest difference of an unknown from 1. NaN if there is a NaN.
inline double gauss_error(const std::vector<double>& x) {
  double worst = 0;
  for (const double unknown : x) {
    const double error = std::abs(unknown - 1);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

struct gauss_answer {
  double log_determinant;
  std::uint64_t hash;  // hash_sequence of the array after elimination, factors included
};
/// The published answers for seed 42.
inline std::optional<gauss_answer> gauss_published(std::size_t n) {
  switch (n) {
    case 128:
      return gauss_answer{620.987768721244, 0x384b48b23fad10bf};
    case 512:
      return gauss_answer{3194.03092274031, 0x85ea2a9c51631cc6};
    case 1024:
      return gauss_answer{7097.81688208845, 0xecd481d6837d7748};
    case 1536:
      return gauss_answer{11269.5327472908, 0x95da0dce245f171a};
    case 2048:
      return gauss_answer{15615.2239488351, 0xa40bd214868a3925};
  }
  return std::nullopt;
}

}  // namespace workloads
