// Parallel sorting.
//
//   skua::parallel_sort(v.begin(), v.end());
//   skua::parallel_sort(v, std::greater<>{});
//   skua::parallel_sort(people, {}, &person::age);               // a projection, as for std::ranges::sort
//   skua::parallel_stable_sort(people, [](auto& a, auto& b) { return a.name < b.name; });
//
// - parallel_sort is a quicksort: it divides long ranges in parallel and needs no memory. parallel_stable_sort is a merge
//   sort whose leaves and merges run in parallel, and needs memory for n more elements.
// - Cost: O(n log n) comparisons on any input. A range that is sorted or in reverse order takes one pass of n - 1 comparisons.
//   No element of a sorted range is moved. parallel_sort takes O(n log k) comparisons for k different elements.
// - Parameters: random-access iterators to real elements (not vector<bool>). Elements are moved, never copied unless they are
//   trivially copyable; they need neither a default constructor nor a copy constructor. Several workers call the
//   comparator at the same time.
// - Exceptions: when the comparator throws, all elements are still in the range, in some order, and the caller receives
//   one of the exceptions. Moving an element must not throw. When there is no memory for n more elements,
//   parallel_stable_sort throws std::bad_alloc and the range is unchanged. It needs no other memory: without it the sort is
//   slower.
// - Thread-safety: any thread may call it.
// Papers: Peters, Pattern-defeating quicksort (2021); Edelkamp and Weiss, BlockQuicksort (2016). The stable sort is cilksort
// (Cilk's example, also in BOTS): sort the parts, then merge by cutting the longer run in the middle.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <skua/detail/invoke.hpp>
#include <skua/detail/merge_sort.hpp>
#include <skua/detail/quick_sort.hpp>
#include <skua/detail/sorted_input.hpp>
#include <skua/join.hpp>

namespace skua {

namespace detail {

template <stability Stable, class It, class Compare>
[[gnu::noinline]] void sort_elements(It first, It last, Compare& less) {
  static_assert(std::is_same_v<std::iter_reference_t<It>, std::iter_value_t<It>&>,
                "skua sorts elements, not proxies of them");
  if constexpr (std::contiguous_iterator<It> && !std::is_pointer_v<It>) {
    if (first != last)
      sort_elements<Stable>(std::to_address(first), std::to_address(first) + (last - first), less);
  } else {
    using sorter =
        std::conditional_t<Stable == stability::stable, merge_sort<It, Compare>, quick_sort<It, Compare>>;
    const auto size = static_cast<std::size_t>(last - first);
    if (size < 2) return;
    sorted_input<Stable, It, Compare> input(first, last, less);
    if (size <= sorter::sequential) {
      if (!input.sort_alone()) sorter(first, last, less).run_alone();
    } else {
      on_worker([&](task_context& w) {
        if (!input.sort_in_parallel()) sorter(first, last, less).run(w);
      });
    }
  }
}

template <stability Stable, std::ranges::random_access_range Range, class Compare>
void sort_elements(Range& range, Compare& less) {
  const auto first = std::ranges::begin(range);
  sort_elements<Stable>(first, first + std::ranges::distance(range), less);
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
  detail::in_order_of(
      less, of, [&](auto& order) { detail::sort_elements<detail::stability::any>(first, last, order); });
}

template <std::ranges::random_access_range Range, class Compare = std::less<>,
          class Projection = std::identity>
  requires detail::compares<Compare, Projection, std::ranges::iterator_t<Range>>
void parallel_sort(Range&& range, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of,
                      [&](auto& order) { detail::sort_elements<detail::stability::any>(range, order); });
}

/// As parallel_sort; equal elements keep their order.
template <std::random_access_iterator It, class Compare = std::less<>, class Projection = std::identity>
  requires detail::compares<Compare, Projection, It>
void parallel_stable_sort(It first, It last, Compare less = {}, Projection of = {}) {
  detail::in_order_of(
      less, of, [&](auto& order) { detail::sort_elements<detail::stability::stable>(first, last, order); });
}

template <std::ranges::random_access_range Range, class Compare = std::less<>,
          class Projection = std::identity>
  requires detail::compares<Compare, Projection, std::ranges::iterator_t<Range>>
void parallel_stable_sort(Range&& range, Compare less = {}, Projection of = {}) {
  detail::in_order_of(less, of,
                      [&](auto& order) { detail::sort_elements<detail::stability::stable>(range, order); });
}

}  // namespace skua
