// Random numbers for `skua fuzz`, from a seed and a purpose: draws for one purpose do not change those for another.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace skua::cli::fuzz {

class dice {
 public:
  dice(std::uint64_t seed, std::uint64_t purpose) : state_(base::generator_state(seed, purpose)) {}

  /// 0 to bound-1, for a bound from 1 to 2^32-1.
  std::uint64_t below(std::uint64_t bound) { return base::random_below(bound, state_); }
  /// From min to max; each order of magnitude is equally likely.
  std::uint64_t magnitude(std::uint64_t min, std::uint64_t max) {
    std::uint64_t span = max - min + 1;
    for (std::uint64_t halvings = below(bits_of(span)); halvings != 0; --halvings) span = (span + 1) / 2;
    return min + below(span);
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::uint64_t seed() { return below(std::uint64_t{1} << 31) + 1; }

 private:
  static std::uint64_t bits_of(std::uint64_t n) {
    std::uint64_t bits = 1;
    while (n >>= 1) ++bits;
    return bits;
  }
  std::uint64_t state_;
};

}  // namespace skua::cli::fuzz
