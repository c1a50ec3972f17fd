// The leaves of the Fourier transform, its input and the known answers. No scheduling.
//
//   X[m] = sum of x[k] e^(-2 pi i m k / n), n a power of two.
//
// A transform of n points consists of r transforms of n / r points, where point k of every r goes to transform k
// (unshuffle), and m = n / r butterflies of r points that combine them (twiddle). Up to 32 points are transformed
// directly.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/common/random.hpp"
#include "workloads/common/vectorised.hpp"

namespace workloads {

using fft_point = std::complex<double>;

/// e^(-2 pi i k / n)
inline fft_point fft_root(std::size_t k, std::size_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

/// The number of parts that a transform of n points is cut into (Cilk's choice); 0: it is not cut.
inline std::size_t fft_radix(std::size_t n) {
  if (n <= 32) return 0;
  return n <= 4096 && n != 512 ? 8 : 16;
}

/// One level of the recursion: all transforms of one length. The first of their roots of unity lie side by side, so
/// that butterflies read them in order; the other roots of a butterfly are powers of its first.
struct fft_level {
  std::size_t length, radix;
  std::vector<fft_point> roots;  // e^(-2 pi i k / length) for the butterflies k

  std::size_t part() const { return length / radix; }
  void fill_roots(std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) roots[k] = fft_root(k, length);
  }
};
/// The levels of a transform of n points, from the longest on. The last one has no parts.
inline std::vector<fft_level> fft_levels(std::size_t n) {
  std::vector<fft_level> levels;
  while (const std::size_t radix = fft_radix(n)) {
    levels.push_back({n, radix, std::vector<fft_point>(n / radix)});
    n /= radix;
  }
  levels.push_back({n, 0, {}});
  return levels;
}

namespace detail {

inline constexpr std::size_t fft_lanes = 4;
using fft_vector [[gnu::vector_size(fft_lanes * sizeof(double))]] = double;

/// A complex number, or `fft_lanes` of them. The product of std::complex checks for infinities, so it is not used.
template <class V>
struct fft_value {
  V re, im;

  [[gnu::always_inline]] friend inline fft_value operator+(const fft_value& a, const fft_value& b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[gnu::always_inline]] friend inline fft_value operator-(const fft_value& a, const fft_value& b) {
    return {a.re - b.re, a.im - b.im};
  }
  template <class W>
  [[gnu::always_inline]] friend inline fft_value operator*(const fft_value& a, const fft_value<W>& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

// Four points are one cache line. Their order in the vector needs the fewest instructions.
[[gnu::always_inline]] inline fft_value<fft_vector> load_four(const fft_point* from) {
  fft_vector a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + 2, sizeof b);
  return {__builtin_shufflevector(a, b, 0, 4, 2, 6), __builtin_shufflevector(a, b, 1, 5, 3, 7)};
}
[[gnu::always_inline]] inline void store_four(const fft_value<fft_vector>& x, fft_point* to) {
  const fft_vector a = __builtin_shufflevector(x.re, x.im, 0, 4, 2, 6);
  const fft_vector b = __builtin_shufflevector(x.re, x.im, 1, 5, 3, 7);
  std::memcpy(static_cast<void*>(to), &a, sizeof a);
  std::memcpy(static_cast<void*>(to + 2), &b, sizeof b);
}

/// cos(2 pi k / 32) for k = 0 .. 8, rounded once.
inline constexpr std::array<double, 9> fft_cosines = {1.0,
                                                      0.98078528040323044913,
                                                      0.92387953251128675613,
                                                      0.83146961230254523708,
                                                      0.70710678118654752440,
                                                      0.55557023301960222474,
                                                      0.38268343236508977173,
                                                      0.19509032201612826785,
                                                      0.0};

/// x e^(-2 pi i K / N), K < N / 2, N <= 32.
template <std::size_t K, std::size_t N, class V>
[[gnu::always_inline]] inline fft_value<V> turned(const fft_value<V>& x) {
  constexpr std::size_t angle = 32 / N * K;  // in 32nds of the circle
  if constexpr (angle == 0) {
    return x;
  } else if constexpr (angle == 8) {
    return {x.im, -x.re};
  } else if constexpr (angle == 4) {
    return {fft_cosines[4] * (x.re + x.im), fft_cosines[4] * (x.im - x.re)};
  } else if constexpr (angle == 12) {
    return {fft_cosines[4] * (x.im - x.re), -fft_cosines[4] * (x.re + x.im)};
  } else {
    constexpr double c = angle < 8 ? fft_cosines[angle] : -fft_cosines[16 - angle];
    constexpr double s = angle < 8 ? fft_cosines[8 - angle] : fft_cosines[angle - 8];
    return {c * x.re + s * x.im, c * x.im - s * x.re};
  }
}

/// Transforms the N values x[0], x[Stride], .. to `to`, written out without a loop.
template <std::size_t N, std::size_t Stride, class V>
[[gnu::always_inline]] inline void fft_fixed(const fft_value<V>* x, fft_value<V>* to) {
  if constexpr (N == 1) {
    to[0] = x[0];
  } else {
    fft_value<V> even[N / 2], odd[N / 2];
    fft_fixed<N / 2, 2 * Stride>(x, even);
    fft_fixed<N / 2, 2 * Stride>(x + Stride, odd);
    const auto butterfly = [&]<std::size_t K>() __attribute__((always_inline)) {
      const fft_value<V> other = turned<K, N>(odd[K]);
      to[K] = even[K] + other;
      to[K + N / 2] = even[K] - other;
    };
    [&]<std::size_t... K>(std::index_sequence<K...>) __attribute__((always_inline)) {
      (butterfly.template operator()<K>(), ...);
    }(std::make_index_sequence<N / 2>());
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void fft_short(const fft_point* from, fft_point* to) {
  fft_value<double> x[N], y[N];
  for (std::size_t k = 0; k < N; ++k) x[k] = {from[k].real(), from[k].imag()};
  fft_fixed<N, 1>(x, y);
  for (std::size_t k = 0; k < N; ++k) to[k] = {y[k].re, y[k].im};
}

template <std::size_t R>
[[gnu::always_inline]] inline void fft_butterflies(const fft_point* from, fft_point* to,
                                                   const fft_point* roots, std::size_t first,
                                                   std::size_t last, std::size_t part) {
  for (std::size_t i = first; i < last; i += fft_lanes) {
    fft_value<fft_vector> root[R], x[R], y[R];
    root[1] = load_four(roots + i);
    for (std::size_t k = 2; k < R; ++k) root[k] = root[k / 2] * root[k - k / 2];
    x[0] = load_four(from + i);
    for (std::size_t k = 1; k < R; ++k) x[k] = load_four(from + k * part + i) * root[k];
    fft_fixed<R, 1>(x, y);
    for (std::size_t k = 0; k < R; ++k) store_four(y[k], to + k * part + i);
  }
}

}  // namespace detail

/// The leaf of the recursion: a transform of n <= 32 points.
inline void fft_base(const fft_point* from, fft_point* to, std::size_t n) {
  using namespace detail;
  switch (n) {
    case 1:
      return fft_short<1>(from, to);
    case 2:
      return fft_short<2>(from, to);
    case 4:
      return fft_short<4>(from, to);
    case 8:
      return fft_short<8>(from, to);
    case 16:
      return fft_short<16>(from, to);
    default:
      return fft_short<32>(from, to);
  }
}

/// Points [first, last) of every part, first and last multiples of 4.
inline void fft_unshuffle(const fft_point* from, fft_point* to, std::size_t first, std::size_t last,
                          std::size_t radix, std::size_t part) {
  for (std::size_t i = first; i < last; i += detail::fft_lanes)  // one cache line of each part at a time
    for (std::size_t k = 0; k < radix; ++k)
      for (std::size_t lane = i; lane < i + detail::fft_lanes; ++lane)
        to[k * part + lane] = from[lane * radix + k];
}

/// Butterflies [first, last), multiples of 4.
WORKLOADS_VECTORISED inline void fft_twiddle(const fft_point* from, fft_point* to, const fft_point* roots,
                                             std::size_t first, std::size_t last, std::size_t radix,
                                             std::size_t part) {
  if (radix == 8)
    detail::fft_butterflies<8>(from, to, roots, first, last, part);
  else
    detail::fft_butterflies<16>(from, to, roots, first, last, part);
}

/// Transforms `from` to `to`. `spare` has the same length; it may be `from` if that is no longer needed.
inline void fft_sequential(const fft_level* level, const fft_point* from, fft_point* to, fft_point* spare) {
  if (level->radix == 0) return fft_base(from, to, level->length);
  const std::size_t part = level->part();
  fft_unshuffle(from, to, 0, part, level->radix, part);
  for (std::size_t k = 0; k < level->radix; ++k)
    fft_sequential(level + 1, to + k * part, spare + k * part, to + k * part);
  fft_twiddle(spare, to, level->roots.data(), 0, part, level->radix, part);
}

// The input and its check.

inline std::vector<fft_point> fft_input(std::uint64_t seed, std::size_t n) {
  std::vector<fft_point> x(n);
  for (std::size_t k = 0; k < n; ++k)
    x[k] = {uniform_at(seed, 2 * k) - 0.5, uniform_at(seed, 2 * k + 1) - 0.5};
  return x;
}

inline double fft_energy(std::span<const fft_point> x) {
  double sum = 0;
  for (const fft_point& point : x) sum += std::norm(point);
  return sum;
}

/// X[m] by its definition.
inline fft_point fft_bin(std::span<const fft_point> x, std::size_t m) {
  fft_point sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * fft_root(m * k % x.size(), x.size());
  return sum;
}

/// Published values of the transform of fft_input(42, n).
struct fft_known {
  double energy;  // energy of the input
  fft_point x0, x1, x12345;
};
inline std::optional<fft_known> fft_published(std::size_t n) {
  switch (n) {
    case 1 << 14:
      return fft_known{2707.35869408103,
                       {-10.7507437681606, 40.6432555420966},
                       {51.4524365912904, 25.6825332289561},
                       {30.7756910768249, 2.78789426085378}};
    case 1 << 16:
      return fft_known{10891.1921877519,
                       {-128.285038857613, 7.48716703909214},
                       {43.6616564359165, -40.6226647789643},
                       {36.8451515059298, 87.2680705218379}};
    case 1 << 20:
      return fft_known{174793.200076972,
                       {-104.504066379778, 410.534636171316},
                       {104.767558036754, -109.149979675047},
                       {171.982735728017, 9.9052044060471}};
    case 1 << 22:
      return fft_known{699064.270761362,
                       {-489.765860164992, 959.396256707882},
                       {-362.026658982999, 448.186640084113},
                       {1089.59822543738, -777.524313804256}};
  }
  return std::nullopt;
}

/// What is wrong with `y` as the transform of `x`; empty if nothing. `known` has the published values, if any.
inline std::string fft_complaint(std::span<const fft_point> x, std::span<const fft_point> y,
                                 const std::optional<fft_known>& known) {
  const std::size_t n = x.size();
  const double energy = fft_energy(x), tolerance = 1e-12 * std::max(1.0, std::log2(n));
  const auto equal = [&](const fft_point& a, const fft_point& b) {
    return std::abs(a - b) <= tolerance * std::sqrt(energy);  // relative to a bin's root mean square
  };
  if (!(std::abs(fft_energy(y) / static_cast<double>(n) - energy) <= tolerance * energy))
    return "the energy of the transform differs from that of its input";
  for (const std::size_t m : {n / 3, n - 1})
    if (!equal(y[m], fft_bin(x, m))) return "bin " + std::to_string(m) + " differs from its definition";
  if (known && !(std::abs(energy - known->energy) <= tolerance * energy))
    return "the input differs from the published one";
  if (known && !(equal(y[0], known->x0) && equal(y[1], known->x1) && equal(y[12345], known->x12345)))
    return "the transform differs from the published one";
  return "";
}

}  // namespace workloads
