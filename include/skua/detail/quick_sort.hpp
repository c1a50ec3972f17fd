// A quicksort whose partitions and parts run in parallel. It is not stable, and needs no memory.
//
// Whatever the comparator throws, each element is still in the range: while the comparator runs, at most one element is
// outside of the range, and its hole is filled when an exception passes.
// Paper: Peters, Pattern-defeating quicksort (2021), for the parts that are not divided in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <skua/detail/loop.hpp>
#include <skua/detail/partition.hpp>
#include <skua/join.hpp>

namespace skua::detail {

/// Sorts by insertion. Gives up, and returns false, when more than max_moves elements had to move.
template <class It, class Less>
[[gnu::noinline]] bool insertion_sort(It first, It last, std::ptrdiff_t max_moves, Less& less) {
  using T = std::iter_value_t<It>;
  if (first == last) return true;
  for (It at = first + 1; at < last; ++at) {
    if (!less(*at, *(at - 1))) continue;
    struct gap {
      It place;
      T held;
      ~gap() { *place = std::move(held); }
    } hole{at, std::move(*at)};
    do {
      *hole.place = std::move(*(hole.place - 1));
      --hole.place;
    } while (hole.place != first && less(hole.held, *(hole.place - 1)));
    max_moves -= at - hole.place;
    if (max_moves < 0) return false;
  }
  return true;
}

template <class It, class Less>
class quick_sort {
  using T = std::iter_value_t<It>;

 public:
  static constexpr std::ptrdiff_t sequential = 1024;  // elements: some ten microseconds

  quick_sort(It first, It last, Less& less) : first_(first), last_(last), less_(less) {
    for (std::ptrdiff_t n = last - first; n > 1; n /= 2) ++max_bad_;
  }

  void run(task_context& w) {
    const std::ptrdiff_t share = (last_ - first_) / static_cast<std::ptrdiff_t>(2 * worker_count(w));
    split_ = worker_count(w) == 1 ? last_ - first_ : (std::max)(share, min_part);
    node(w, first_, last_, max_bad_);
  }

  /// Sorts without a worker.
  void run_alone() { alone(first_, last_, max_bad_); }

 private:
  static constexpr std::ptrdiff_t min_part = 65'536;
  static constexpr std::ptrdiff_t few = 24;

  struct halves {
    It front_end, back;  // the elements between them are in their final position
    bool balanced, moved;
  };

  It median(It a, It b, It c) {
    if (less_(*b, *a)) std::swap(a, b);
    if (!less_(*c, *b)) return b;
    return less_(*c, *a) ? a : c;
  }
  /// Moves a pivot to the first position: the median of medians of three of 3, 9 or 27 elements.
  void choose_pivot(It first, std::ptrdiff_t size) {
    It samples[27];
    int n = size < 128 ? 3 : size < 4096 ? 9 : 27;
    for (int i = 0; i < n; ++i) samples[i] = first + size / (2 * n) * (2 * i + 1);
    while (n > 1) {
      n /= 3;
      for (int i = 0; i < n; ++i) samples[i] = median(samples[3 * i], samples[3 * i + 1], samples[3 * i + 2]);
    }
    if (*samples != first) std::iter_swap(first, *samples);
  }

  divided<It> divide(It first, It last, bool equal_to_left, bool in_parallel) {
    const divider<T, Less> how{*(first - 1), less_, equal_to_left};
    if (in_parallel) return {parallel_partition<It, Less>(first, last, how).run(), true};
    return partition_blocks<It, Less>(first, last, how);
  }

  /// The element before a range that is not the first one was a pivot, so nothing in the range is before it. If the new
  /// pivot equals it, the front is all elements that equal it.
  [[gnu::noinline]] halves split(It first, It last, bool in_parallel) {
    const std::ptrdiff_t size = last - first;
    choose_pivot(first, size);
    if (first != first_ && !less_(*(first - 1), *first)) {
      const It cut = divide(first + 1, last, true, in_parallel).cut;
      return {first, cut, true, true};
    }
    const divided<It> found = divide(first + 1, last, false, in_parallel);
    const It middle = found.cut - 1;
    if (middle != first) std::iter_swap(first, middle);
    const bool balanced = middle - first >= size / 8 && last - found.cut >= size / 8;
    if (!balanced) break_patterns(first, middle), break_patterns(found.cut, last);
    return {middle, found.cut, balanced, found.moved};
  }

  /// Swaps some elements, so that the same order does not make the next partition unbalanced, too.
  void break_patterns(It first, It last) {
    const std::ptrdiff_t size = last - first;
    if (size < few) return;
    for (const std::ptrdiff_t at : {std::ptrdiff_t{0}, size / 3, size / 2, 2 * size / 3, size - 1})
      if (const std::ptrdiff_t other = (at + size / 4 + 1) % size; other != at)
        std::iter_swap(first + at, first + other);
  }

  [[gnu::noinline]] void node(task_context& w, It first, It last, int max_bad) {
    while (last - first > sequential && max_bad > 0) {
      const halves h = split(first, last, last - first > split_);
      if (!h.balanced) --max_bad;
      if (h.front_end == first) {
        first = h.back;
        continue;
      }
      if (!h.moved && is_nearly_sorted(h, first, last)) return;
      auto front = [&](task_context& on) { node(on, first, h.front_end, max_bad); };
      auto back = [&](task_context& on) { node(on, h.back, last, max_bad); };
      join_two(w, front, back);
      return;
    }
    alone(first, last, max_bad);
  }

  /// Slower, but never quadratic.
  void heap_sort(It first, std::ptrdiff_t size) {
    for (std::ptrdiff_t root = size / 2; size > 1;) {
      if (root > 0)
        --root;
      else
        std::iter_swap(first, first + --size);
      sift_down(first, root, size);
    }
  }
  void sift_down(It first, std::ptrdiff_t root, std::ptrdiff_t size) {
    for (std::ptrdiff_t child; (child = 2 * root + 1) < size; root = child) {
      if (child + 1 < size && less_(first[child], first[child + 1])) ++child;
      if (!less_(first[root], first[child])) return;
      std::iter_swap(first + root, first + child);
    }
  }

  bool is_nearly_sorted(const halves& h, It first, It last) {
    return insertion_sort(first, h.front_end, 8, less_) && insertion_sort(h.back, last, 8, less_);
  }

  [[gnu::noinline]] void alone(It first, It last, int max_bad) {
    while (last - first > few) {
      if (max_bad <= 0) return heap_sort(first, last - first);
      const halves h = split(first, last, false);
      if (!h.balanced) --max_bad;
      if (!h.moved && is_nearly_sorted(h, first, last)) return;
      alone(first, h.front_end, max_bad);
      first = h.back;
    }
    insertion_sort(first, last, few * few, less_);
  }

  const It first_, last_;
  Less& less_;
  int max_bad_ = 1;
  std::ptrdiff_t split_ = 0;  // longer ranges are divided in parallel
};

}  // namespace skua::detail
