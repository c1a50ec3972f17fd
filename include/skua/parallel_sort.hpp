// Parallel sorting.
//
//   skua::parallel_sort(v.begin(), v.end());
//   skua::parallel_sort(v, std::greater<>{});
//   skua::parallel_sort(people, {}, &person::age);               // a projection, as for std::ranges::sort
//   skua::parallel_stable_sort(people, [](auto& a, auto& b) { return a.name < b.name; });
//
// - A merge sort whose leaves and merges run in parallel: O(n log n) comparisons, and memory for n more elements. It is
//   stable, so both functions do the same today. Only parallel_stable_sort guarantees it.
// - Parameters: random-access iterators to real elements (not vector<bool>). Elements are moved, never copied; they
//   need neither a default constructor nor a copy constructor. Several workers call the comparator at the same time.
// - Exceptions: when the comparator throws, all elements are still in the range, in some order, and the caller receives
//   one of the exceptions. Moving an element must not throw. When there is no memory for n more elements, the functions
//   throw std::bad_alloc and the range is unchanged. They need no other memory: without it the sort is slower.
// - Thread-safety: any thread may call it.
// Paper: cilksort (Cilk's example, also in BOTS): sort the parts, then merge by cutting the longer run in the middle.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/invoke.hpp>
#include <skua/detail/merge.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>

namespace skua {

namespace detail {

template <class T>
inline constexpr bool copied_freely =
    std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T>;

/// Copies a few elements and sorts the copies with a stable insertion sort.
template <class It, class T, class Less>
void copy_sorted(It from, std::size_t n, T* to, Less& less) {
  for (std::size_t i = 0; i < n; ++i, ++from) {
    const T x = *from;
    std::size_t hole = i;
    for (; hole > 0 && less(x, to[hole - 1]); --hole) to[hole] = to[hole - 1];
    to[hole] = x;
  }
}

/// Merges two neighbouring sorted runs without memory, stably. Elements only change places, so the comparator may throw.
template <class It, class Less>
void merge_in_place(It first, It middle, It last, Less& less) {
  if (first == middle || middle == last || !less(*middle, *(middle - 1))) return;
  if (last - first == 2) return std::iter_swap(first, middle);
  It end_of_front = first, end_of_back = middle;  // of what comes first in the result
  if (middle - first > last - middle) {
    end_of_front += (middle - first) / 2;
    end_of_back = std::lower_bound(middle, last, *end_of_front, less);
  } else {
    end_of_back += (last - middle) / 2;
    end_of_front = std::upper_bound(first, middle, *end_of_back, less);
  }
  const It cut = std::rotate(end_of_front, middle, end_of_back);
  merge_in_place(first, end_of_front, cut, less);
  merge_in_place(cut, end_of_back, last, less);
}

/// Sorts a few elements without memory: slower than all else here.
template <class It, class Less>
void sort_in_place(It first, It last, Less& less) {
  if (last - first < 2) return;
  const It middle = first + (last - first) / 2;
  sort_in_place(first, middle, less);
  sort_in_place(middle, last, less);
  merge_in_place(first, middle, last, less);
}

/// Sorts between the range and a buffer of the same size. A node of level 0 is a leaf: it sorts its part of the range
/// into the buffer. A node of a higher level merges two nodes to the other side. So the result of an odd level is in
/// the range.
template <class It, class Compare>
class merge_sort {
  using T = std::iter_value_t<It>;
  static_assert(std::is_same_v<std::iter_reference_t<It>, T&>, "skua sorts elements, not proxies of them");

 public:
  static constexpr std::size_t sequential = 1024;  // elements: some ten microseconds

  merge_sort(It first, std::size_t size, Compare& less)
      : first_(first), size_(size), less_(less), buffer_(std::allocator<T>().allocate(size)) {
    while (size >> top_level_ >= leaf) top_level_ += 2;
  }
  ~merge_sort() { std::allocator<T>().deallocate(buffer_, size_); }
  merge_sort(const merge_sort&) = delete;
  merge_sort& operator=(const merge_sort&) = delete;

  void run(task_context& w) {
    node(w, 0, size_, top_level_);
    if constexpr (!std::is_trivially_destructible_v<T>)
      parallel_for(buffer_, buffer_ + size_, [](T* element) { std::destroy_at(element); });
    fate_.rethrow();
  }

  /// Sorts a few elements without a worker.
  void run_alone() {
    node_alone(0, size_, top_level_);
    std::destroy(buffer_, buffer_ + size_);
    fate_.rethrow();
  }

 private:
  // Maximum number of elements of a leaf. A leaf of a large range has at least a quarter of it. Insertion and merging
  // cost the same for some tens of integers. Moving a larger element at each level is expensive, so such elements start
  // with larger leaves and fewer levels.
  static constexpr std::size_t leaf = copied_freely<T> ? 32 : 1024;

  static std::size_t middle_of(std::size_t first, std::size_t last) { return first + (last - first) / 2; }

  void node(task_context& w, std::size_t first, std::size_t last, unsigned level) {
    if (level == 0 || last - first <= sequential) return node_alone(first, last, level);
    const std::size_t middle = middle_of(first, last);
    auto front = [&](task_context& on) { node(on, first, middle, level - 1); };
    auto back = [&](task_context& on) { node(on, middle, last, level - 1); };
    join_two(w, front, back);
    merge(first, last, level, [&w](auto merging, auto... runs) { merging.run(w, runs...); });
  }

  void node_alone(std::size_t first, std::size_t last, unsigned level) {
    if (level == 0) return sort_leaf(first, last);
    const std::size_t middle = middle_of(first, last);
    node_alone(first, middle, level - 1);
    node_alone(middle, last, level - 1);
    merge(first, last, level, [](auto merging, auto... runs) { merging.run_alone(runs...); });
  }

  template <class Run>
  void merge(std::size_t first, std::size_t last, unsigned level, Run run) {
    const auto to_other_side = [&]<class From, class To>(From from, To to) {
      const sorted_run<From> front{advance_by(from, first), advance_by(from, middle_of(first, last))};
      const sorted_run<From> back{front.last, advance_by(from, last)};
      run(parallel_merge<From, To, Compare>(less_, fate_), front, back, advance_by(to, first), first);
    };
    if (level % 2 == 1)
      to_other_side(buffer_, first_);
    else
      to_other_side(first_, buffer_);
  }

  /// Never loses an element. All code that an exception of the comparator may interrupt works on copies of the elements
  /// or of their addresses.
  void sort_leaf(std::size_t first, std::size_t last) {
    if constexpr (copied_freely<T>) {
      SKUA_TRY {
        if (!failed(fate_)) return copy_sorted(at(first), last - first, buffer_ + first, less_);
      }
      SKUA_CATCH { fate_.keep(first); }
      std::uninitialized_copy(at(first), at(last), buffer_ + first);
    } else {
      const std::vector<T*> order = sorted_addresses(first, last);
      if (order.empty()) unless_failed(first, [&] { sort_in_place(at(first), at(last), less_); });
      for (std::size_t i = first; i < last; ++i)
        std::construct_at(buffer_ + i, std::move(order.empty() ? *at(i) : *order[i - first]));
    }
  }

  /// The addresses of the elements in sorted order; unsorted after an exception. Empty when there is no memory for them.
  std::vector<T*> sorted_addresses(std::size_t first, std::size_t last) {
    auto less = [this](T* a, T* b) -> bool { return less_(*a, *b); };
    std::vector<T*> order;
    std::optional<merge_sort<T**, decltype(less)>> sorter;
    SKUA_TRY {
      order.resize(last - first);
      sorter.emplace(order.data(), order.size(), less);
    }
    SKUA_CATCH { return {}; }  // std::bad_alloc
    for (std::size_t i = first; i < last; ++i) order[i - first] = std::addressof(*at(i));
    unless_failed(first, [&] { sorter->run_alone(); });
    return order;
  }

  /// Runs code that calls the comparator, unless that has thrown already.
  template <class Sort>
  void unless_failed(std::size_t position, Sort sort) {
    SKUA_TRY {
      if (!failed(fate_)) sort();
    }
    SKUA_CATCH { fate_.keep(position); }
  }

  It at(std::size_t i) const { return advance_by(first_, i); }
  template <class Iterator>
  static Iterator advance_by(Iterator from, std::size_t n) {
    return from + static_cast<std::iter_difference_t<Iterator>>(n);
  }

  const It first_;
  const std::size_t size_;
  Compare& less_;
  loop_fate fate_;
  T* const buffer_;
  unsigned top_level_ = 1;
};

template <class It, class Compare>
void merge_sorted(It first, It last, Compare& less) {
  if constexpr (std::contiguous_iterator<It> && !std::is_pointer_v<It>) {
    if (first != last) merge_sorted(std::to_address(first), std::to_address(first) + (last - first), less);
  } else {
    const auto size = static_cast<std::size_t>(last - first);
    if (size < 2) return;
    merge_sort<It, Compare> sorter(first, size, less);
    if (size <= sorter.sequential)
      sorter.run_alone();
    else
      on_worker([&](task_context& w) { sorter.run(w); });
  }
}

template <std::ranges::random_access_range Range, class Compare>
void merge_sorted(Range& range, Compare& less) {
  const auto first = std::ranges::begin(range);
  merge_sorted(first, first + std::ranges::distance(range), less);
}

/// The order of elements by their projections.
template <class Compare, class Projection>
struct projected_order {
  Compare& less;
  Projection& of;
  template <class A, class B>
  bool operator()(A&& a, B&& b) const {
    return invoke(less, invoke(of, std::forward<A>(a)), invoke(of, std::forward<B>(b)));
  }
};

/// Calls sort with the order of the elements.
template <class Compare, class Projection, class Sort>
void in_order_of(Compare& less, Projection& of, Sort sort) {
  if constexpr (std::is_same_v<Projection, std::identity> && !std::is_member_pointer_v<Compare>) {
    sort(less);
  } else {
    projected_order<Compare, Projection> order{less, of};
    sort(order);
  }
}

template <class Compare, class Projection, class It>
concept compares = std::predicate<Compare&, std::invoke_result_t<Projection&, std::iter_reference_t<It>>,
                                  std::invoke_result_t<Projection&, std::iter_reference_t<It>>>;

}  // namespace detail

/// Sorts the elements so that less(of(later), of(earlier)) is false for each pair. The order of equal elements is unspecified.
template <std::random_access_iterator It, class Compare = std::less<>, class Projection = std::identity>
  requires detail::compares<Compare, Projection, It>
void parallel_sort(It first, It last, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of, [&](auto& order) { detail::merge_sorted(first, last, order); });
}

template <std::ranges::random_access_range Range, class Compare = std::less<>,
          class Projection = std::identity>
  requires detail::compares<Compare, Projection, std::ranges::iterator_t<Range>>
void parallel_sort(Range&& range, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of, [&](auto& order) { detail::merge_sorted(range, order); });
}

/// As parallel_sort; equal elements keep their order.
template <std::random_access_iterator It, class Compare = std::less<>, class Projection = std::identity>
  requires detail::compares<Compare, Projection, It>
void parallel_stable_sort(It first, It last, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of, [&](auto& order) { detail::merge_sorted(first, last, order); });
}

template <std::ranges::random_access_range Range, class Compare = std::less<>,
          class Projection = std::identity>
  requires detail::compares<Compare, Projection, std::ranges::iterator_t<Range>>
void parallel_stable_sort(Range&& range, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of, [&](auto& order) { detail::merge_sorted(range, order); });
}

}  // namespace skua
