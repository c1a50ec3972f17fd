// Hashes of results. The order in which the parts are summed does not change them.
//
//   hash_set(keys)        the same for every permutation: detects lost or changed elements
//   hash_sequence(keys)   depends on the order too: detects any difference from the known answer
//
// Integers are sign-extended to 64 bits. Doubles are hashed by their bits.
#pragma once

#include <bit>
#include <cstdint>
#include <ranges>
#include <type_traits>

#include "workloads/common/random.hpp"

namespace workloads {

template <class T>
constexpr std::uint64_t hash_bits(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<std::uint64_t>(static_cast<double>(x));
  else
    return static_cast<std::uint64_t>(x);
}

template <std::ranges::input_range Range>
constexpr std::uint64_t hash_set(const Range& values) {
  std::uint64_t sum = 0;
  for (const auto& x : values) sum += mix(hash_bits(x));
  return sum;
}

template <std::ranges::input_range Range>
constexpr std::uint64_t hash_sequence(const Range& values) {
  std::uint64_t sum = 0, i = 0;
  for (const auto& x : values) sum += mix(hash_bits(x) + ++i * golden_ratio);
  return sum;
}

}  // namespace workloads
