// Positions of loops: integers of mixed types, or random-access iterators.
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <skua/detail/export.hpp>

namespace skua::detail {

/// Positions are counted in 64 bits. A bool is a condition and no number.
template <class A>
concept integer_bound =
    std::is_integral_v<A> && !std::is_same_v<A, bool> && sizeof(A) <= sizeof(std::uint64_t);

template <class A, class B>
concept both_integers = integer_bound<A> && integer_bound<B>;

// For example, an iterator and a const_iterator of one container. The requirement that B - A exists excludes pointers to a
// class and to its base, which have a common type but count in different steps.
template <class A, class B>
concept both_iterators =
    std::random_access_iterator<A> && std::random_access_iterator<B> &&
    std::random_access_iterator<std::common_type_t<A, B>> && std::sized_sentinel_for<B, A>;

template <class A, class B>
concept positions = both_integers<A, B> || both_iterators<A, B>;

template <class A, class B>
using position = std::common_type_t<A, B>;

/// Throws bad_input: a loop cannot begin at a negative position of an unsigned type.
[[noreturn]] SKUA_API void refuse_negative_start(std::int64_t first);
/// Throws bad_input: the tiles of all axes together cannot be counted.
[[noreturn]] SKUA_API void refuse_tiles();

/// Both ends of a loop in the type of its positions.
template <class Position>
struct loop_ends {
  Position first, last;
};

/// An end below an unsigned start makes an empty loop; a negative start of unsigned positions is refused.
template <class A, class B>
[[gnu::always_inline]] inline loop_ends<position<A, B>> ends_of(A first, B last) {
  using Position = position<A, B>;
  if constexpr (both_integers<A, B> && std::is_unsigned_v<Position>) {
    if constexpr (std::is_signed_v<A>)
      if (first < 0) [[unlikely]]
        refuse_negative_start(static_cast<std::int64_t>(first));
    if constexpr (std::is_signed_v<B>)
      if (last < 0) [[unlikely]]
        return {static_cast<Position>(first), static_cast<Position>(first)};
  }
  return {static_cast<Position>(first), static_cast<Position>(last)};
}

/// Whether the type T has this value.
template <class T, class A>
constexpr bool is_value_of(A value) noexcept {
  const T same = static_cast<T>(value);
  return static_cast<A>(same) == value && (same < T{0}) == (value < A{0});
}

/// How many positions; an empty or reversed range has none.
template <class Position>
std::uint64_t count_positions(Position first, Position last) {
  if constexpr (std::is_integral_v<Position>) {
    return first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
  } else {
    const auto n = last - first;
    return n > 0 ? static_cast<std::uint64_t>(n) : 0;
  }
}

/// A first position as hints count it: iterators from 0.
template <class Position>
constexpr std::int64_t number_of(Position first) {
  if constexpr (std::is_integral_v<Position>)
    return static_cast<std::int64_t>(first);
  else
    return 0;
}

/// The position `offset` after `first`.
template <class Position>
[[gnu::always_inline]] inline Position advance(Position first, std::uint64_t offset) {
  if constexpr (std::is_integral_v<Position>)
    return static_cast<Position>(static_cast<std::uint64_t>(first) + offset);
  else
    return first + static_cast<std::iter_difference_t<Position>>(offset);
}

}  // namespace skua::detail
