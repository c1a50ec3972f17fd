// The four kernels of STREAM, the input of the triad and the known answers. No scheduling.
//
// All values are whole numbers, exact in doubles (in the classic form for the first twelve rounds).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace workloads {

enum class stream_kernel { copy, scale, add, triad };

/// Runs one kernel for elements [first, last).
inline void stream_run(stream_kernel kernel, double s, double* __restrict a, double* __restrict b,
                       double* __restrict c, std::size_t first, std::size_t last) {
  switch (kernel) {
    case stream_kernel::copy:
      for (std::size_t i = first; i < last; ++i) c[i] = a[i];
      return;
    case stream_kernel::scale:
      for (std::size_t i = first; i < last; ++i) b[i] = s * c[i];
      return;
    case stream_kernel::add:
      for (std::size_t i = first; i < last; ++i) c[i] = a[i] + b[i];
      return;
    case stream_kernel::triad:
      for (std::size_t i = first; i < last; ++i) a[i] = b[i] + s * c[i];
      return;
  }
}

struct stream_arrays {
  std::vector<double> a, b, c;
};

/// The input of a repeated triad: b and c differ between elements, and s between sweeps.
inline stream_arrays triad_input(std::size_t n) {
  stream_arrays x{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    x.b[i] = static_cast<double>(i % 1024);
    x.c[i] = static_cast<double>(i % 7 + 1);
  }
  return x;
}
/// The factor s of sweep 1, 2, ...
inline double triad_factor(int sweep) { return 3 + (sweep & 3); }

/// The input for rounds of all four kernels with s = 3: the arrays of STREAM after its timing pass.
inline stream_arrays classic_input(std::size_t n) {
  return {std::vector<double>(n, 2.0), std::vector<double>(n, 2.0), std::vector<double>(n, 0.0)};
}

inline bool triad_correct(const stream_arrays& x, int sweeps) {
  const stream_arrays was = triad_input(x.a.size());
  for (std::size_t i = 0; i < x.a.size(); ++i)
    if (x.a[i] != was.b[i] + triad_factor(sweeps) * was.c[i]) return false;
  return x.b == was.b && x.c == was.c;
}

inline bool classic_correct(const stream_arrays& x, int rounds) {
  double a = 2, b = 2, c = 0;
  for (int i = 0; i < rounds; ++i) c = a, b = 3 * c, c = a + b, a = b + 3 * c;
  for (std::size_t i = 0; i < x.a.size(); ++i)
    if (x.a[i] != a || x.b[i] != b || x.c[i] != c) return false;
  return true;
}

inline double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum;
}
/// The published sum of a after the repeated triad, if any.
inline std::optional<double> triad_sum(std::size_t n, int sweeps) {
  if (n == 1 << 20 && sweeps == 100) return 548929518;
  if (n == 16384 && sweeps == 10) return 8708066;
  return std::nullopt;
}

}  // namespace workloads
