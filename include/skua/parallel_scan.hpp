// Prefix sums. Each output element is the combination of all input elements up to and including its own position
// (inclusive) or before it (exclusive).
//
//   skua::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), 0L, std::plus<>{});    // 1 2 3 -> 1 3 6
//   skua::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 0L, std::plus<>{});    // 1 2 3 -> 0 1 3
//
// - Parameters: random-access iterators; `out` has room for last - first elements. `initial` is combined once, before
//   the first element, so it need not be neutral. Its type is the type of the sums, which are copied. combine must be
//   associative; it need not be commutative.
// - Returns the end of the output. The output may be the input itself (out == first), but must not overlap it in
//   another way.
// - Complexity: a block is combined once when the sum before it is already known, else twice. So one worker does the
//   work of a plain loop, and W workers are (W + 1) / 2 times as fast. Allocates W + 1 sums.
// - Exceptions: the caller receives that of the leftmost block that threw. The output is then partly written.
// - Thread-safety: any thread may call it.
// Paper: the two-pass scan of Blelloch (1990) on W + 1 blocks; the first block needs only one pass.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <skua/detail/invoke.hpp>
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>

namespace skua {

namespace detail {

enum class scan_kind { inclusive, exclusive };

template <scan_kind Kind, class In, class Out, class T, class Combine>
class scan {
 public:
  scan(In in, Out out, std::uint64_t size, Combine& combine)
      : in_(in), out_(out), size_(size), combine_(combine) {}

  void run(task_context& w, T initial) {
    const std::uint64_t max = std::uint64_t{worker_count(w)} + 1;
    if (max == 2 || size_ < too_short) {
      fill(0, size_, std::move(initial));
      return;
    }
    // Rounds of W + 1 blocks, so that a block is still in a cache in its second pass.
    const auto sums = std::make_unique<block_sums[]>(max);
    sums[0].before.emplace(std::move(initial));
    const std::uint64_t block = (std::min)((size_ + max - 1) / max, largest_block);
    for (std::uint64_t at = 0; at < size_; at += block * max)
      round(at, block, ((std::min)(size_ - at, block * max) + block - 1) / block, sums.get());
  }

 private:
  static constexpr std::uint64_t too_short =
      1024;  // elements: combining them takes some microseconds, less than two parallel loops cost
  static constexpr std::uint64_t largest_block =
      32768;  // elements: a block's input and output fit an L2 cache

  struct block_sums {
    std::optional<T> before;         // sum of all elements before the block
    std::atomic<bool> known{false};  // `before` is set (first pass)
    std::optional<T> own;            // sum of the block's elements alone
  };

  /// Combines `before` with the elements one by one and writes the sums. Returns the last sum.
  T fill(std::uint64_t first, std::uint64_t last, T before) {
    const In stop = advance(in_, last);
    Out to = advance(out_, first);
    for (In at = advance(in_, first); at != stop; ++at, ++to) {
      if constexpr (Kind == scan_kind::inclusive) {
        before = detail::invoke(combine_, std::move(before), *at);
        *to = before;
      } else {
        T next = detail::invoke(combine_, before,
                                *at);  // read the input before writing: both may be the same element
        *to = std::move(before);
        before = std::move(next);
      }
    }
    return before;
  }

  T sum(std::uint64_t first, std::uint64_t last) {
    const In stop = advance(in_, last);
    In at = advance(in_, first);
    T all = static_cast<T>(*at);
    for (++at; at != stop; ++at) all = detail::invoke(combine_, std::move(all), *at);
    return all;
  }

  void round(std::uint64_t start, std::uint64_t block, std::uint64_t blocks, block_sums* sums) {
    const auto first = [=](std::uint64_t b) { return start + b * block; };
    const auto last = [=, this](std::uint64_t b) { return (std::min)(size_, start + (b + 1) * block); };
    const auto fill_block = [&](std::uint64_t b) {
      return fill(first(b), last(b), std::move(*sums[b].before));
    };
    for (std::uint64_t b = 0; b < blocks; ++b) sums[b].known.store(b == 0, std::memory_order_relaxed);
    // First pass: a block is filled when its predecessor is complete, else summed. The last block is left to the second
    // pass.
    parallel_for(std::uint64_t{0}, blocks - 1, [&](std::uint64_t b) {
      if (sums[b].known.load(std::memory_order_acquire)) {
        sums[b + 1].before.emplace(fill_block(b));
        sums[b + 1].known.store(true, std::memory_order_release);  // partner: the acquire above
      } else {
        sums[b].own.emplace(sum(first(b), last(b)));
      }
    });
    std::uint64_t filled = 0;
    while (filled + 1 < blocks && sums[filled + 1].known.load(std::memory_order_relaxed)) ++filled;
    for (std::uint64_t b = filled; b + 1 < blocks; ++b)
      sums[b + 1].before.emplace(detail::invoke(combine_, *sums[b].before, std::move(*sums[b].own)));
    std::optional<T> end;
    parallel_for(filled, blocks, [&](std::uint64_t b) {
      T sum_of_all = fill_block(b);
      if (b + 1 == blocks) end.emplace(std::move(sum_of_all));
    });
    sums[0].before = std::move(end);
  }

  const In in_;
  const Out out_;
  const std::uint64_t size_;
  Combine& combine_;
};

template <scan_kind Kind, class In, class Out, class T, class Combine>
Out run_scan(In first, In last, Out out, T&& initial, Combine& combine) {
  const std::uint64_t size = count_positions(first, last);
  on_worker([&](task_context& w) {
    scan<Kind, In, Out, std::decay_t<T>, Combine>(first, out, size, combine).run(w, std::forward<T>(initial));
  });
  return advance(out, size);
}

}  // namespace detail

/// Writes out[i] = combine(... combine(combine(initial, in[0]), in[1]) ..., in[i]).
template <std::random_access_iterator In, std::random_access_iterator Out, class T, class Combine>
Out parallel_inclusive_scan(In first, In last, Out out, T&& initial, Combine&& combine) {
  return detail::run_scan<detail::scan_kind::inclusive>(first, last, out, std::forward<T>(initial), combine);
}

/// Writes out[i] = combine(... combine(initial, in[0]) ..., in[i - 1]) and out[0] = initial.
template <std::random_access_iterator In, std::random_access_iterator Out, class T, class Combine>
Out parallel_exclusive_scan(In first, In last, Out out, T&& initial, Combine&& combine) {
  return detail::run_scan<detail::scan_kind::exclusive>(first, last, out, std::forward<T>(initial), combine);
}

}  // namespace skua
