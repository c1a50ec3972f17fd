// Hashes of results that come out the same in whatever order the parts are summed.
//
//   hash_set(keys)        the same for every permutation: has an element been lost or changed?
//   hash_sequence(keys)   order counts too: is this exactly the known answer?
//
// Integers are sign-extended to 64 bits, doubles are hashed by their bits.
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
