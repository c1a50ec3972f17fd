// Reductions: combine one value for each position or element into a single value.
//
//   double s = skua::parallel_reduce(0, n, 0.0, [&](auto i) { return x[i]; }, std::plus<>{});
//   long longest = skua::parallel_reduce(lines, 0L, [](auto& line) { return long(line.size()); },
//                                        [](long a, long b) { return std::max(a, b); });
//   double d = skua::parallel_reduce_deterministic(0, n, 0.0, map, combine);  // always the same bits
//
// - An empty loop returns `identity`, and the result has its type. combine(identity, x) must equal x, because identity
//   is used any number of times. Values are combined in index order. So combine must be associative, but need not be
//   commutative.
// - combine(value, value) returns the new value. Values are moved and only the identity is copied. So values may be
//   maps and vectors: combine takes them by value or by rvalue reference.
// - parallel_reduce combines where idle workers happened to split the loop, so rounding may differ from run to run.
//   parallel_reduce_deterministic splits by n and grain alone and always combines along the same tree. Its result has
//   the same bits for any number of workers, at a cost of a few nanoseconds for each leaf. Its grain is the exact
//   number of positions of a leaf; the default is n / 1024, at least 1 and at most 4096.
// - Complexity: n calls of map and about n calls of combine. The identity is copied once for each part; there is one
//   part when no worker is idle. Positions, loop::grain, exceptions and thread-safety are those of parallel_for.
//   parallel_reduce supports same_as_last(). The deterministic form ignores it, because its tree is fixed.
// Paper: lazy splitting as in parallel_for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <type_traits>
#include <utility>

#include <skua/detail/invoke.hpp>
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>

namespace skua {

namespace detail {

/// Reduces runs of positions: the body of a lazy loop with a result.
template <class Position, class T, class Map, class Combine>
struct reduce_body {
  using value = T;
  // A small value is in a register during a run, so that the loop can be vectorised. A larger value stays in memory.
  static constexpr bool in_register = std::is_trivially_copyable_v<T> && sizeof(T) <= 2 * sizeof(void*);

  Position start;
  const T& neutral;
  Map& map;
  Combine& combine_two;
  const loop_fate& fate;

  value identity() const { return neutral; }

  [[gnu::always_inline]] inline void run(value& acc, std::uint64_t first, std::uint64_t last) {
    const Position stop = advance(start, last);
    if constexpr (in_register) {
      value sum = std::move(acc);
      for (Position at = advance(start, first); at != stop; ++at)
        sum = detail::invoke(combine_two, std::move(sum), detail::invoke(map, at));
      acc = std::move(sum);
    } else {
      for (Position at = advance(start, first); at != stop; ++at)
        acc = detail::invoke(combine_two, std::move(acc), detail::invoke(map, at));
    }
  }

  [[gnu::always_inline]] inline void run_one(value& acc, std::uint64_t position) {
    acc = detail::invoke(combine_two, std::move(acc), detail::invoke(map, advance(start, position)));
  }

  void combine(value& left, value&& right) {
    // After an exception one of the values may have been moved from, and the result is not used.
    if (fate.stops((std::numeric_limits<std::uint64_t>::max)())) return;
    left = detail::invoke(combine_two, std::move(left), std::move(right));
  }
};

/// With a memo, or from an external thread.
template <class Value>
[[gnu::noinline, gnu::cold]] Value reduce_in_other_way(loop_run& all, std::uint64_t size, loop_memo* memo) {
  result_box<Value> result;
  // This function is the same for all reductions of a type. The caller's frame has `all`, so it is no tail call.
  run_in_other_way(all, size, memo, result.address(), __builtin_return_address(0));
  Value taken = result.take();
  all.rethrow();
  return taken;
}

/// A reduction of positions 0 .. n-1, cut into leaves, along a fixed tree.
template <class Body>
struct fixed_tree {
  using value = typename Body::value;
  Body& body;
  std::uint64_t size, leaf;

  value run(task_context& w, std::uint64_t first_leaf, std::uint64_t leaves) {
    if (leaves <= 1) {
      value acc = body.identity();
      body.run(acc, first_leaf * leaf, size - first_leaf * leaf > leaf ? (first_leaf + 1) * leaf : size);
      return acc;
    }
    const std::uint64_t half = leaves / 2;
    auto front = [&](task_context& on) { return run(on, first_leaf, half); };
    auto back = [&](task_context& on) { return run(on, first_leaf + half, leaves - half); };
    auto [left, right] = join_two(w, front, back);
    body.combine(left, std::move(right));
    return std::move(left);
  }
};

}  // namespace detail

/// Returns combine(... combine(combine(identity, map(first)), map(first + 1)) ..., map(last - 1)), in any grouping.
template <class A, class B, class T, class Map, class Combine>
  requires detail::positions<A, B>
std::decay_t<T> parallel_reduce(A first, B last, T&& identity, Map&& map, Combine&& combine,
                                const loop& how = {}) {
  using Position = detail::position<A, B>;
  using value = std::decay_t<T>;
  const auto ends = detail::ends_of(first, last);
  const Position start = ends.first;
  const std::uint64_t size = detail::count_positions(start, ends.last);
  const std::uint32_t grain = how.grain == 0 ? 1 : detail::checked_grain(how.grain);
  const value& neutral = identity;
  if (size == 0) return neutral;
  using body_of_loop =
      detail::reduce_body<Position, value, std::remove_reference_t<Map>, std::remove_reference_t<Combine>>;
  detail::loop_run all(detail::functions_of<body_of_loop>::functions, grain);
  body_of_loop body{start, neutral, map, combine, all};
  all.body = &body;
  task_context* const w = detail::current;
  if (!w || how.placement.memo) [[unlikely]]
    return detail::reduce_in_other_way<value>(all, size, how.placement.memo);
  value result = detail::run_loop(*w, body, all, size);
  all.rethrow();
  return result;
}

namespace detail {
/// Calls reduce(first, last, map of a position) for the elements of a range.
template <class Range, class Map, class Reduce>
auto reduce_elements(Range& range, Map& map, Reduce reduce) {
  if constexpr (std::ranges::random_access_range<Range>) {
    const auto first = std::ranges::begin(range);
    return reduce(first, first + std::ranges::distance(range),
                  [&map](auto at) -> decltype(auto) { return invoke(map, *at); });
  } else {
    const auto places = iterators_of(range);
    return reduce(places.begin(), places.end(),
                  [&map](auto at) -> decltype(auto) { return invoke(map, **at); });
  }
}
}  // namespace detail

/// Reduces the elements of a range: map(element). The map may also be a pointer to a member of the elements. For a range
/// without random access it first collects all iterators in a vector: O(n) sequential time and space. Pass two iterators
/// of a list as std::ranges::subrange(first, last).
template <std::ranges::forward_range Range, class T, class Map, class Combine>
std::decay_t<T> parallel_reduce(Range&& range, T&& identity, Map&& map, Combine&& combine,
                                const loop& how = {}) {
  return detail::reduce_elements(range, map, [&](auto first, auto last, auto of_element) {
    return parallel_reduce(first, last, std::forward<T>(identity), of_element, combine, how);
  });
}

/// As parallel_reduce, with the same grouping for any number of workers.
template <class A, class B, class T, class Map, class Combine>
  requires detail::positions<A, B>
std::decay_t<T> parallel_reduce_deterministic(A first, B last, T&& identity, Map&& map, Combine&& combine,
                                              const loop& how = {}) {
  using Position = detail::position<A, B>;
  using value = std::decay_t<T>;
  const auto ends = detail::ends_of(first, last);
  const Position start = ends.first;
  const std::uint64_t size = detail::count_positions(start, ends.last);
  const std::uint64_t leaf =
      how.grain == 0 ? std::clamp<std::uint64_t>(size / 1024, 1, 4096) : detail::checked_grain(how.grain);
  const value& neutral = identity;
  return detail::on_worker([&](task_context& w) -> value {
    detail::loop_fate fate;
    detail::reduce_body<Position, value, std::remove_reference_t<Map>, std::remove_reference_t<Combine>> body{
        start, neutral, map, combine, fate};
    detail::fixed_tree<decltype(body)> tree{body, size, leaf};
    return tree.run(w, 0, size / leaf + (size % leaf != 0));
  });
}

/// Reduces the elements of a range with a fixed grouping, as above.
template <std::ranges::forward_range Range, class T, class Map, class Combine>
std::decay_t<T> parallel_reduce_deterministic(Range&& range, T&& identity, Map&& map, Combine&& combine,
                                              const loop& how = {}) {
  return detail::reduce_elements(range, map, [&](auto first, auto last, auto of_element) {
    return parallel_reduce_deterministic(first, last, std::forward<T>(identity), of_element, combine, how);
  });
}

}  // namespace skua
