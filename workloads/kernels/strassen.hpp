// Strassen's multiplication in Winograd's form, 7 products and 15 additions: one step of the recursion, and its leaf.
// No scheduling. Inputs and checks are those of matmul.hpp.
//
//   s1 = a21 + a22   t1 = b12 - b11   p1 = a11 b11   p5 = s1 t1   u2 = p1 + p6    c11 = p1 + p2
//   s2 = s1 - a11    t2 = b22 - t1    p2 = a12 b21   p6 = s2 t2   u3 = u2 + p7    c12 = u2 + p5 + p3
//   s3 = a11 - a21   t3 = b22 - b12   p3 = s4 b22    p7 = s3 t3                   c21 = u3 - p4
//   s4 = a12 - s2    t4 = t2 - b21    p4 = a22 t4                                 c22 = u3 + p5
//
// With whole numbers as small as those of matmul, every intermediate is exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "workloads/common/vectorised.hpp"
#include "workloads/kernels/matmul.hpp"

namespace workloads {

inline constexpr std::size_t strassen_leaf = matmul_leaf;

/// A square part of a matrix.
template <class T>
struct square {
  T* at;
  std::size_t pitch;

  operator square<const T>() const { return {at, pitch}; }
  std::array<square, 4> quadrants(std::size_t half) const {
    return {{{at, pitch}, {at + half, pitch}, {at + half * pitch, pitch}, {at + half * pitch + half, pitch}}};
  }
};

struct strassen_product {
  square<const double> a, b;
  square<double> c;
};

/// Computes the sums of the quadrants of A and of B, for rows [first, last). All in one pass, since memory traffic
/// costs more than the additions.
WORKLOADS_VECTORISED inline void strassen_sums_of_a(const std::array<square<const double>, 4>& a,
                                                    const std::array<square<double>, 4>& s, std::size_t first,
                                                    std::size_t last, std::size_t columns) {
  for (std::size_t i = first; i < last; ++i) {
    const double *a11 = a[0].at + i * a[0].pitch, *a12 = a[1].at + i * a[1].pitch;
    const double *a21 = a[2].at + i * a[2].pitch, *a22 = a[3].at + i * a[3].pitch;
    double* __restrict s1 = s[0].at + i * s[0].pitch, * __restrict s2 = s[1].at + i * s[1].pitch;
    double* __restrict s3 = s[2].at + i * s[2].pitch, * __restrict s4 = s[3].at + i * s[3].pitch;
    for (std::size_t j = 0; j < columns; ++j) {
      const double sum = a21[j] + a22[j], rest = sum - a11[j];
      s1[j] = sum;
      s2[j] = rest;
      s3[j] = a11[j] - a21[j];
      s4[j] = a12[j] - rest;
    }
  }
}
WORKLOADS_VECTORISED inline void strassen_sums_of_b(const std::array<square<const double>, 4>& b,
                                                    const std::array<square<double>, 4>& t, std::size_t first,
                                                    std::size_t last, std::size_t columns) {
  for (std::size_t i = first; i < last; ++i) {
    const double *b11 = b[0].at + i * b[0].pitch, *b12 = b[1].at + i * b[1].pitch;
    const double *b21 = b[2].at + i * b[2].pitch, *b22 = b[3].at + i * b[3].pitch;
    double* __restrict t1 = t[0].at + i * t[0].pitch, * __restrict t2 = t[1].at + i * t[1].pitch;
    double* __restrict t3 = t[2].at + i * t[2].pitch, * __restrict t4 = t[3].at + i * t[3].pitch;
    for (std::size_t j = 0; j < columns; ++j) {
      const double difference = b12[j] - b11[j], rest = b22[j] - difference;
      t1[j] = difference;
      t2[j] = rest;
      t3[j] = b22[j] - b12[j];
      t4[j] = rest - b21[j];
    }
  }
}
/// Before, c11, c12, c21 and c22 hold p1, p3, p4 and p2.
WORKLOADS_VECTORISED inline void strassen_combine(const std::array<square<double>, 4>& c,
                                                  const std::array<square<double>, 3>& p, std::size_t first,
                                                  std::size_t last, std::size_t columns) {
  for (std::size_t i = first; i < last; ++i) {
    double* __restrict c11 = c[0].at + i * c[0].pitch, * __restrict c12 = c[1].at + i * c[1].pitch;
    double* __restrict c21 = c[2].at + i * c[2].pitch, * __restrict c22 = c[3].at + i * c[3].pitch;
    const double* __restrict p5 = p[0].at + i * p[0].pitch, * __restrict p6 = p[1].at + i * p[1].pitch;
    const double* __restrict p7 = p[2].at + i * p[2].pitch;
    for (std::size_t j = 0; j < columns; ++j) {
      const double u2 = c11[j] + p6[j], u3 = u2 + p7[j];
      c11[j] += c22[j];
      c12[j] += u2 + p5[j];
      c21[j] = u3 - c21[j];
      c22[j] = u3 + p5[j];
    }
  }
}

/// One step of C = A B for n x n matrices, n even: sums, seven products, and their combination. It has memory for the
/// sums and for three of the products; the other four are made in C.
class strassen_step {
 public:
  strassen_step(const strassen_product& whole, std::size_t n)
      : half(n / 2),
        a(whole.a.quadrants(half)),
        b(whole.b.quadrants(half)),
        c(whole.c.quadrants(half)),
        room_(std::make_unique_for_overwrite<double[]>(11 * half * half)) {
    double* at = room_.get();
    for (auto* part : {s.data(), s.data() + 1, s.data() + 2, s.data() + 3, t.data(), t.data() + 1,
                       t.data() + 2, t.data() + 3, p.data(), p.data() + 1, p.data() + 2}) {
      *part = {at, half};
      at += half * half;
    }
  }

  std::array<strassen_product, 7> products() const {
    return {{{a[0], b[0], c[0]},
             {a[1], b[2], c[3]},
             {s[3], b[3], c[1]},
             {a[3], t[3], c[2]},
             {s[0], t[0], p[0]},
             {s[1], t[1], p[1]},
             {s[2], t[2], p[2]}}};
  }
  void sums_of_a(std::size_t first, std::size_t last) const { strassen_sums_of_a(a, s, first, last, half); }
  void sums_of_b(std::size_t first, std::size_t last) const { strassen_sums_of_b(b, t, first, last, half); }
  void combine(std::size_t first, std::size_t last) const { strassen_combine(c, p, first, last, half); }

  const std::size_t half;
  const std::array<square<const double>, 4> a, b;
  const std::array<square<double>, 4> c;
  std::array<square<double>, 4> s = {}, t = {};
  std::array<square<double>, 3> p = {};

 private:
  std::unique_ptr<double[]> room_;
};

/// Whether a step is impossible or not worthwhile.
inline bool is_strassen_leaf(std::size_t n) { return n <= strassen_leaf || n % 2 != 0; }

/// Computes C = A B by blocks.
inline void strassen_plain(const strassen_product& whole, std::size_t n) {
  const auto& [a, b, c] = whole;
  const auto edge = [n](std::size_t i) { return std::min(strassen_leaf, n - i); };
  for (std::size_t i = 0; i < n; ++i) std::fill_n(c.at + i * c.pitch, n, 0.0);
  for (std::size_t i = 0; i < n; i += strassen_leaf)
    for (std::size_t j = 0; j < n; j += strassen_leaf)
      for (std::size_t k = 0; k < n; k += strassen_leaf)
        matmul_block(a.at + i * a.pitch + k, b.at + k * b.pitch + j, c.at + i * c.pitch + j, edge(i), edge(j),
                     edge(k), {a.pitch, b.pitch, c.pitch});
}

inline void strassen_sequential(const strassen_product& whole, std::size_t n) {
  if (is_strassen_leaf(n)) return strassen_plain(whole, n);
  const strassen_step step(whole, n);
  step.sums_of_a(0, step.half);
  step.sums_of_b(0, step.half);
  for (const strassen_product& product : step.products()) strassen_sequential(product, step.half);
  step.combine(0, step.half);
}

}  // namespace workloads
