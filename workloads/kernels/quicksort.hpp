// The partition of quicksort and its inputs. No scheduling. The leaf and the known answers are those of mergesort
// (sort.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "workloads/kernels/sort.hpp"

namespace workloads {

inline constexpr std::size_t quicksort_leaf = 2048;  // keys

/// The approximate median of nine keys spread over all keys (Tukey's ninther). For sorted keys it is close to the
/// middle.
inline sort_key quicksort_pivot(std::span<const sort_key> keys) {
  const auto median = [](sort_key a, sort_key b, sort_key c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  };
  const auto key = [&](std::size_t i) { return keys[i * (keys.size() - 1) / 8]; };
  return median(median(key(0), key(1), key(2)), median(key(3), key(4), key(5)),
                median(key(6), key(7), key(8)));
}

/// Moves the keys for which `left` is true to the front and returns their number. Branchless, since a branch on random
/// keys would be mispredicted half the time. (Lomuto's scheme in the version by Alexandrescu, 2020.)
template <class Left>
std::size_t quicksort_partition(std::span<sort_key> keys, Left left) {
  if (keys.empty()) return 0;
  sort_key* const first = keys.data();
  sort_key* const last = first + keys.size();
  sort_key* end = first;  // end of the left keys; here is the hole
  const sort_key taken = *first;
  for (sort_key* next = first + 1; next != last; ++next) {
    const sort_key key = *next;
    *end = key;  // into the hole
    end += left(key);
    *next = *end;  // the hole is at `end` again
  }
  *end = taken;
  return static_cast<std::size_t>(end - first) + left(taken);
}

/// The parts to sort after one step. No key of `low` is above a key of `high`. The keys between them are in their final
/// position.
struct quicksort_halves {
  std::span<sort_key> low, high;
};
inline quicksort_halves quicksort_split(std::span<sort_key> keys) {
  const sort_key pivot = quicksort_pivot(keys);
  const std::size_t less = quicksort_partition(keys, [=](sort_key key) { return key < pivot; });
  const std::span<sort_key> low = keys.first(less), rest = keys.subspan(less);
  if (less > keys.size() / 8) return {low, rest};
  // A very low pivot may be a frequent key. Its copies are then in their final position. If all keys are equal, nothing
  // is left to sort.
  const std::size_t equal = quicksort_partition(rest, [=](sort_key key) { return key <= pivot; });
  return {low, rest.subspan(equal)};
}

/// The maximum depth of quicksort. Deeper parts are sorted with std::sort, since the pivots were bad.
inline int quicksort_depth(std::size_t n) { return 2 * static_cast<int>(std::bit_width(n)); }

inline void quicksort_sequential(std::span<sort_key> keys, int depth) {
  while (keys.size() > quicksort_leaf && depth-- > 0) {
    const auto [low, high] = quicksort_split(keys);
    quicksort_sequential(low, depth);
    keys = high;
  }
  sort_run(keys);
}

}  // namespace workloads
