// A sort that needs no memory and calls the comparator only between swaps. It is slower than the others.
#pragma once

#include <algorithm>
#include <iterator>

namespace skua::detail {

/// Merges two neighbouring sorted runs without memory, stably. Elements only change places, so the comparator may throw.
template <class It, class Less>
void merge_in_place(It first, It middle, It last, Less& less) {
  if (first == middle || middle == last || !less(*middle, *(middle - 1))) return;
  if (last - first == 2) return std::iter_swap(first, middle);
  const auto by_reference = [&less](const auto& a, const auto& b) -> bool { return less(a, b); };
  It end_of_front = first, end_of_back = middle;  // of the elements that come first in the result
  if (middle - first > last - middle) {
    end_of_front += (middle - first) / 2;
    end_of_back = std::lower_bound(middle, last, *end_of_front, by_reference);
  } else {
    end_of_back += (last - middle) / 2;
    end_of_front = std::upper_bound(first, middle, *end_of_back, by_reference);
  }
  const It cut = std::rotate(end_of_front, middle, end_of_back);
  merge_in_place(first, end_of_front, cut, less);
  merge_in_place(cut, end_of_back, last, less);
}

/// Sorts a few elements without memory: slower than all other sorts here.
template <class It, class Less>
void sort_in_place(It first, It last, Less& less) {
  if (last - first < 2) return;
  const It middle = first + (last - first) / 2;
  sort_in_place(first, middle, less);
  sort_in_place(middle, last, less);
  merge_in_place(first, middle, last, less);
}

}  // namespace skua::detail
