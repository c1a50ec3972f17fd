// Recognises a range that is sorted already, or in reverse, with one comparison for each pair of neighbours. It gives up at
// the first pair that is neither, so that other ranges cost little.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include <skua/detail/block_loop.hpp>

namespace skua::detail {

enum class stability { any, stable };

template <stability Stable, class It, class Less>
class sorted_input {
 public:
  sorted_input(It first, It last, Less& less) : first_(first), size_(last - first), less_(less) {}

  /// Sorts the range if it is sorted or in reverse. Returns whether it was. The range must have two elements or more.
  bool sort_alone() {
    const std::ptrdiff_t end = find_direction(size_);
    if (!in_order(end, size_)) return false;
    if (reversed_) std::reverse(first_, first_ + size_);
    return true;
  }
  bool sort_in_parallel() {
    const std::ptrdiff_t known = find_direction(probe);
    if (!in_order(known, probe)) return false;
    std::atomic<bool> ordered{true};
    for_blocks(size_ - probe, block(), [this, &ordered](std::ptrdiff_t from, std::ptrdiff_t to) {
      if (ordered.load(std::memory_order_relaxed) && !in_order(probe + from, probe + to))
        ordered.store(false, std::memory_order_relaxed);
    });
    if (!ordered.load(std::memory_order_relaxed)) return false;
    if (reversed_)
      for_blocks(size_ / 2, block(), [this](std::ptrdiff_t from, std::ptrdiff_t to) {
        for (; from < to; ++from) std::iter_swap(first_ + from, first_ + (size_ - 1 - from));
      });
    return true;
  }

 private:
  static constexpr std::ptrdiff_t probe = 256, two_streams = 2048;
  static constexpr bool cheap = std::is_arithmetic_v<std::iter_value_t<It>> && std::is_empty_v<Less>;

  /// 256 blocks are enough for all workers, and blocks of long ranges are long enough for two streams.
  std::ptrdiff_t block() const {
    return (std::clamp)(size_ / 256, std::ptrdiff_t{512}, std::ptrdiff_t{8192});
  }

  /// Looks at the first elements up to one that is not equal. Returns the first position that is not known to be in order.
  [[gnu::noinline]] std::ptrdiff_t find_direction(std::ptrdiff_t end) {
    std::ptrdiff_t at = 1;
    while (at < end && !less_(first_[at], first_[at - 1])) ++at;
    if (at == end) return end;
    // Equal elements may change places unless the sort is stable.
    reversed_ = at == 1 || (Stable == stability::any && !less_(*first_, first_[at - 1]));
    return reversed_ ? at + 1 : at;
  }

  /// Whether each of the elements from .. to-1 is in order with the one before it.
  bool in_order(std::ptrdiff_t from, std::ptrdiff_t to) {
    return reversed_ ? in_order<true>(first_ + from, first_ + to)
                     : in_order<false>(first_ + from, first_ + to);
  }
  template <bool Reversed>
  [[gnu::noinline]] bool in_order(It at, const It end) {
    // Four at a time, where a comparison is an instruction or two: a loop of six instructions takes one cycle or two, depending
    // on where the linker puts it.
    if constexpr (cheap && !Reversed)
      for (; end - at >= 4; at += 4)
        if (less_(at[0], at[-1]) || less_(at[1], at[0]) || less_(at[2], at[1]) || less_(at[3], at[2]))
          return false;
    // Both halves of a long part at once, so that each core reads two streams from memory (docs/performance.md, "Sorts", has the
    // times with and without). Elements that point elsewhere, such as strings, gain nothing.
    if constexpr (!cheap && std::is_trivially_copyable_v<std::iter_value_t<It>>)
      if (end - at >= two_streams) {
        const It middle = at + (end - at) / 2;
        It other = middle;
        for (; at != middle; ++at, ++other)
          if (out_of_order<Reversed>(*(at - 1), *at) || out_of_order<Reversed>(*(other - 1), *other))
            return false;
        at = other;
      }
    for (; at != end; ++at)
      if (out_of_order<Reversed>(*(at - 1), *at)) return false;
    return true;
  }
  template <bool Reversed, class T>
  bool out_of_order(const T& a, const T& b) {
    if constexpr (!Reversed)
      return less_(b, a);
    else if constexpr (Stable == stability::stable)
      return !less_(b, a);
    else
      return less_(a, b);
  }

  const It first_;
  const std::ptrdiff_t size_;
  Less& less_;
  bool reversed_ = false;
};

}  // namespace skua::detail
