// Random numbers by position, so that any task can make its own part of an input.
//
//   std::uint64_t r = workloads::random_at(42, i);         // number i for seed 42: 64 random bits
//   double u = workloads::uniform_at(42, i);               // in [0, 1)
//   std::uint64_t b = workloads::below_at(42, i, 1000);    // in 0 .. 999
//
// This is SplitMix64 (Steele, Lea, Flood, 2014) as a function of its counter. The functions are pure and take a few
// operations each.
#pragma once

#include <cstdint>

namespace workloads {

inline constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15u;

constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t i) {
  return mix(seed + (i + 1) * golden_ratio);
}

constexpr double uniform_at(std::uint64_t seed, std::uint64_t i) {
  return static_cast<double>(random_at(seed, i) >> 11) * 0x1p-53;
}

constexpr std::uint64_t below_at(std::uint64_t seed, std::uint64_t i, std::uint64_t bound) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<wide>(random_at(seed, i)) * bound) >> 64);
}

/// The random numbers of the NAS parallel benchmarks: x <- 5^13 x mod 2^46, as a fraction of 2^46.
///
///   workloads::npb_random numbers(271828183);
///   double u = numbers.next();     // the first number, in (0, 1) for an odd seed
///   numbers.skip(1000);            // the next call of next() returns the 1002nd number
///
/// The computation is exact in 64-bit integers, since the result does not depend on the bits of a product above bit 63.
/// skip(n) takes log(n) steps, so a task can start anywhere in the sequence.
class npb_random {
 public:
  explicit constexpr npb_random(std::uint64_t seed) : state_(seed) {}

  constexpr double next() {
    state_ = state_ * factor & mask;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-46;
  }
  constexpr void skip(std::uint64_t numbers) {
    for (std::uint64_t power = factor; numbers != 0; numbers >>= 1, power = power * power & mask)
      if (numbers & 1) state_ = state_ * power & mask;
  }

 private:
  static constexpr std::uint64_t factor = 1220703125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t state_;
};

}  // namespace workloads
