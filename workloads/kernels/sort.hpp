// The leaves of cilksort, its inputs and the known answers. No scheduling.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"

namespace workloads {

using sort_key = std::uint32_t;
inline constexpr std::size_t sort_leaf =
    2048;  // fewer keys are sorted or merged without a further fork (as in Cilk)

/// Random keys; each is the upper half of a random number.
inline sort_key sort_key_at(std::uint64_t seed, std::size_t i) {
  return static_cast<sort_key>(random_at(seed, i) >> 32);
}
inline std::vector<sort_key> sort_keys(std::uint64_t seed, std::size_t n) {
  std::vector<sort_key> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = sort_key_at(seed, i);
  return keys;
}

/// The permutation of 0 .. n-1 that the Barcelona OpenMP Tasks Suite sorts.
inline std::vector<sort_key> sort_permutation(std::size_t n) {
  std::vector<sort_key> keys(n);
  std::iota(keys.begin(), keys.end(), sort_key{0});
  std::uint64_t r = 1;
  for (sort_key& key : keys) {
    r = r * 1103515245 + 12345;
    std::swap(key, keys[r % n]);
  }
  return keys;
}

inline void sort_run(std::span<sort_key> keys) { std::sort(keys.begin(), keys.end()); }

/// Merges two sorted runs. Either may be empty. The code compiles to conditional moves, since a branch on random keys
/// would be mispredicted half the time.
inline void merge_runs(std::span<const sort_key> a, std::span<const sort_key> b, sort_key* to) {
  const sort_key *left = a.data(), *left_end = left + a.size();
  const sort_key *right = b.data(), *right_end = right + b.size();
  while (left != left_end && right != right_end) {
    const bool take_right = *right < *left;
    *to++ = take_right ? *right : *left;
    right += take_right;
    left += !take_right;
  }
  to = std::copy(left, left_end, to);
  std::copy(right, right_end, to);
}

/// Where to cut both runs so that their halves can be merged independently; a.size() >= b.size() >= 1.
struct merge_cut {
  std::size_t a, b;
};
inline merge_cut cut_runs(std::span<const sort_key> a, std::span<const sort_key> b) {
  const std::size_t middle = a.size() / 2;
  return {middle, static_cast<std::size_t>(std::lower_bound(b.begin(), b.end(), a[middle]) - b.begin())};
}

/// The published hash_sequence of sort_keys(42, n) after sorting; 0 if there is none for this n.
inline std::uint64_t sorted_keys_hash(std::size_t n) {
  switch (n) {
    case 65536:
      return 0x1d3581ea4dfa79d9;
    case 100000:
      return 0x74267beed8f63a27;
    case 1048576:
      return 0x1f0eb73061f77897;
    case 10000000:
      return 0xc3e2681d4f7a84f4;
    case 16777216:
      return 0x4c44a3593490b11b;
    case 20000000:
      return 0x22dd1f17d70f0115;
    case 100000000:
      return 0x6fc9614c0d46d1ce;
  }
  return 0;
}

/// What is wrong with n sorted keys, or nullptr. Their hash_set must be `given`, and their hash_sequence `published`
/// unless that is 0.
inline const char* sort_complaint(std::span<const sort_key> keys, std::size_t n, std::uint64_t given,
                                  std::uint64_t published) {
  if (keys.size() != n) return "the number of keys has changed";
  if (!std::ranges::is_sorted(keys)) return "the keys are not sorted";
  if (hash_set(keys) != given) return "the keys are not those of the input";
  if (published != 0 && hash_sequence(keys) != published) return "the keys differ from the published answer";
  return nullptr;
}

}  // namespace workloads
