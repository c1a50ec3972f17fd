// Divides a range in place by a pivot: smaller elements to the left, all others to the right; or those that are not larger
// to the left and all larger ones to the right.
//
// Elements change places only between calls of the comparator, so it may throw: no element is lost.
// Papers: Edelkamp and Weiss, BlockQuicksort (2016): the elements of a block that are on the wrong side are noted without
// a branch that depends on them. Peters, Pattern-defeating quicksort (2021). In parallel, as Tsigas and Zhang (2003), blocks
// from the left are exchanged with blocks from the right.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>
#include <utility>

#include <skua/detail/block_loop.hpp>
#include <skua/detail/copied_freely.hpp>

namespace skua::detail {

/// How a range is divided.
template <class T, class Less>
struct divider {
  // A copy of the pivot can stay in registers. Otherwise the pivot is an element outside of the range.
  static constexpr bool copies = copied_freely<T> && sizeof(T) <= 64;
  std::conditional_t<copies, const T, const T&> pivot;
  Less& less;
  bool equal_to_left;  // whether elements that equal the pivot belong to the left
};

template <class It>
struct divided {
  It cut;      // the first element of the right side
  bool moved;  // false: the range was divided already
};

/// Divides a range from both ends, by blocks: exchanges misplaced elements of a block on the left with those of a block on
/// the right.
template <class It, class Less>
class block_partition {
 public:
  using by = divider<std::iter_value_t<It>, Less>;

  block_partition(It first, It last, const by& how) : how_(how), left_{first, first}, right_{last, last} {}

  /// Divides the range.
  divided<It> run() {
    advance(left_.at, right_.at, true);
    return {settle(), moved_};
  }

  /// Divides elements before left_end and elements from right_begin on, until one of these parts is used up.
  void run_apart(It left_end, It right_begin) { advance(left_end, right_begin, false); }
  /// Up to here, all elements belong to the left. From right_rest() on, all belong to the right.
  It left_rest() const { return left_.misplaced ? left_.block : left_.at; }
  It right_rest() const { return right_.misplaced ? right_.block : right_.at; }

 private:
  static constexpr std::ptrdiff_t size_of_block = 64;

  struct side {
    It at;     // the boundary between the elements that have been looked at and the others
    It block;  // where the last block begins; on the right: where it ends
    std::uint64_t misplaced =
        0;  // a bit for each misplaced element of the block: the first one is bit `last`
    int last = 0;

    /// The distance of the innermost misplaced element, which is then forgotten.
    std::ptrdiff_t take() {
      const int bit = __builtin_ctzll(misplaced);
      misplaced &= misplaced - 1;
      return last - bit;
    }
  };

  [[gnu::noinline]] void advance(It left_end, It right_begin, bool joined) {
    for (;;) {
      std::ptrdiff_t to_left = left_.misplaced ? 0 : left_end - left_.at;
      std::ptrdiff_t to_right = right_.misplaced ? 0 : right_.at - right_begin;
      if (joined) {
        const std::ptrdiff_t unknown = right_.at - left_.at;
        if (unknown == 0) return;
        to_left = left_.misplaced ? 0 : right_.misplaced ? unknown : unknown / 2;
        to_right = right_.misplaced ? 0 : unknown - to_left;
      } else if ((!left_.misplaced && to_left == 0) || (!right_.misplaced && to_right == 0)) {
        return;
      }
      if (to_left) look_left((std::min)(to_left, size_of_block));
      if (to_right) look_right((std::min)(to_right, size_of_block));
      exchange();
    }
  }

  [[gnu::always_inline]] inline void look_left(std::ptrdiff_t n) {
    const by how = how_;
    It at = left_.at;
    left_.block = at;
    if (how.equal_to_left)
      left_.misplaced = note(n, [&] { return how.less(how.pivot, *at++); });
    else
      left_.misplaced = note(n, [&] { return !how.less(*at++, how.pivot); });
    left_.last = static_cast<int>(n - 1);
    left_.at = at;
  }
  [[gnu::always_inline]] inline void look_right(std::ptrdiff_t n) {
    const by how = how_;
    It at = right_.at;
    right_.block = at;
    if (how.equal_to_left)
      right_.misplaced = note(n, [&] { return !how.less(how.pivot, *--at); });
    else
      right_.misplaced = note(n, [&] { return how.less(*--at, how.pivot); });
    right_.last = static_cast<int>(n - 1);
    right_.at = at;
  }
  /// No branch depends on what the comparator returns, and nothing is stored, so the processor looks at many elements at once.
  template <class Misplaced>
  [[gnu::always_inline]] static inline std::uint64_t note(std::ptrdiff_t n, Misplaced misplaced) {
    std::uint64_t noted = 0;
    for (std::ptrdiff_t i = 0; i < n; ++i) noted = 2 * noted + static_cast<bool>(misplaced());
    return noted;
  }

  /// Exchanges as many of the noted elements as possible, in one cycle.
  void exchange() {
    if (!left_.misplaced || !right_.misplaced) return;
    moved_ = true;
    side left = left_, right = right_;
    It to = left.block + left.take(), from = right.block - 1 - right.take();
    auto held = std::move(*to);
    *to = std::move(*from);
    while (left.misplaced && right.misplaced) {
      to = left.block + left.take();
      *from = std::move(*to);
      from = right.block - 1 - right.take();
      *to = std::move(*from);
    }
    *from = std::move(held);
    left_.misplaced = left.misplaced;
    right_.misplaced = right.misplaced;
  }

  /// Moves the last elements, which were noted on one side only, to the boundary. Returns the boundary.
  It settle() {
    It at = left_.at;
    while (left_.misplaced) swap_unless_same(left_.block + left_.take(), --at);
    for (; right_.misplaced; ++at) swap_unless_same(right_.block - 1 - right_.take(), at);
    return at;
  }
  void swap_unless_same(It a, It b) {
    if (a == b) return;
    moved_ = true;
    std::iter_swap(a, b);
  }

  const by& how_;
  side left_, right_;
  bool moved_ = false;
};

template <class It, class Less>
[[gnu::noinline]] divided<It> partition_blocks(It first, It last,
                                               const divider<std::iter_value_t<It>, Less>& how) {
  return block_partition<It, Less>(first, last, how).run();
}

/// Divides a range in parallel. Part i works on strip i from the left end and strip i from the right end of the range. So
/// nearly all elements are where they belong if the cut is near the middle; the rest is exchanged afterwards.
template <class It, class Less>
class parallel_partition {
  using by = divider<std::iter_value_t<It>, Less>;

 public:
  static constexpr std::ptrdiff_t min_part =
      32'768;  // elements: some ten microseconds with the cheapest predicate

  parallel_partition(It first, It last, const by& how)
      : first_(first), size_(last - first), parts_((std::min)(size_ / min_part, max_parts)), how_(how) {}

  /// The range must have min_part elements or more.
  It run() {
    for_blocks(parts_, 1, [this](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (; from < to; ++from) divide(from);
    });
    It cut = first_;
    for (std::ptrdiff_t s = 0; s < 2 * parts_; ++s) cut += cuts_[s] - begin_of(s);
    exchange_misplaced(cut);
    return cut;
  }

 private:
  static constexpr std::ptrdiff_t max_parts = 32;

  It begin_of(std::ptrdiff_t strip) const { return first_ + size_ / (2 * parts_) * strip; }
  It end_of(std::ptrdiff_t strip) const {
    return strip + 1 == 2 * parts_ ? first_ + size_ : begin_of(strip + 1);
  }

  void divide(std::ptrdiff_t part) {
    const std::ptrdiff_t mirrored = 2 * parts_ - 1 - part;
    const It left_end = end_of(part), right_begin = begin_of(mirrored);
    block_partition<It, Less> blocks(begin_of(part), end_of(mirrored), how_);
    blocks.run_apart(left_end, right_begin);
    cuts_[part] = partition_blocks<It, Less>(blocks.left_rest(), left_end, how_).cut;
    cuts_[mirrored] = partition_blocks<It, Less>(right_begin, blocks.right_rest(), how_).cut;
  }

  /// The right sides of strips before the cut and the left sides of strips after it are misplaced. Both have the same size.
  void exchange_misplaced(It cut) {
    struct piece {
      It a, b;
      std::ptrdiff_t n;
    } pieces[4 * max_parts];
    std::ptrdiff_t count = 0;
    It a = first_, a_end = first_, b = first_, b_end = first_;
    for (std::ptrdiff_t i = 0, j = 0;;) {
      for (; a == a_end && i < 2 * parts_; ++i)
        if (cuts_[i] < cut) a = cuts_[i], a_end = (std::min)(end_of(i), cut);
      for (; b == b_end && j < 2 * parts_; ++j)
        if (cuts_[j] > cut) b = (std::max)(begin_of(j), cut), b_end = cuts_[j];
      const std::ptrdiff_t n = (std::min)(a_end - a, b_end - b);
      if (n <= 0) break;
      pieces[count++] = {a, b, n};
      a += n;
      b += n;
    }
    for_blocks(count, 1, [&pieces](std::ptrdiff_t from, std::ptrdiff_t to) {
      for (; from < to; ++from) {
        const piece& p = pieces[from];
        std::swap_ranges(p.a, p.a + p.n, p.b);
      }
    });
  }

  const It first_;
  const std::ptrdiff_t size_, parts_;
  const by& how_;
  It cuts_[2 * max_parts];  // the first element of the right side of each strip
};

}  // namespace skua::detail
