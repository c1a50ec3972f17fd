// Random numbers of workers: cheap, and determined by the seed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua::base {

/// The first state of worker `worker`: SplitMix64, so that the sequences of neighbouring seeds and workers are unrelated.
inline std::uint64_t generator_state(std::uint64_t seed, std::size_t worker) noexcept {
  std::uint64_t z = seed + (worker + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) | 1;
}

/// Uniform in [0, bound); bound < 2^32. xorshift64*, with the high half of a product instead of a division.
inline std::uint64_t random_below(std::uint64_t bound, std::uint64_t& x) noexcept {
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  const std::uint64_t high = (x * 0x2545F4914F6CDD1DULL) >> 32;
  return (high * bound) >> 32;
}

}  // namespace skua::base
