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

}  // namespace workloads
