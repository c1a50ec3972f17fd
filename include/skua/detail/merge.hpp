// Merges two sorted runs in parallel without ever losing an element.
//
// Elements are moved. Whatever a comparator throws, each element of both runs is in the output afterwards. Elements
// that have not been merged are moved unsorted. `fate` stores the exception, and after it the comparator is not called
// again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include <skua/detail/copied_freely.hpp>
#include <skua/detail/exceptions.hpp>
#include <skua/detail/loop.hpp>
#include <skua/join.hpp>

namespace skua::detail {

/// A sorted run: [first, last).
template <class It>
struct sorted_run {
  It first, last;
  std::ptrdiff_t size() const { return last - first; }
  bool empty() const { return first == last; }
};

template <class It>
sorted_run(It, It) -> sorted_run<It>;

inline bool failed(const loop_fate& fate) noexcept {
  return fate.stops((std::numeric_limits<std::uint64_t>::max)());
}

template <class It, class Out>
void move_run(sorted_run<It> run, Out out) {
  std::move(run.first, run.last, out);
}

/// Whether runs are merged from both ends at once. Two independent chains of comparisons use a processor better than
/// one. No branch depends on the data.
template <class T>
inline constexpr bool merges_from_both_ends = copied_freely<T> && sizeof(T) <= 16;

/// Merges `steps` elements from the front and as many from the back. `steps` is at most the size of the shorter run, so
/// neither end can exhaust a run. Returns how many of the front elements and of the back elements came from b.
template <class It, class Out, class Compare>
std::pair<std::ptrdiff_t, std::ptrdiff_t> merge_both_ends(sorted_run<It> a, sorted_run<It> b, Out out,
                                                          Out out_end, std::ptrdiff_t steps, Compare& less) {
  using T = std::iter_value_t<It>;
  std::ptrdiff_t front_of_b = 0, back_of_a = 0;
  for (std::ptrdiff_t i = 0; i < steps; ++i) {
    const T x = a.first[i - front_of_b], y = b.first[front_of_b];
    const bool take_b = less(y, x);
    out[i] = take_b ? y : x;
    front_of_b += take_b;
    const T u = a.last[-1 - back_of_a], v = b.last[back_of_a - i - 1];
    const bool take_a = less(v, u);
    out_end[-1 - i] = take_a ? u : v;
    back_of_a += take_a;
  }
  return {front_of_b, steps - back_of_a};
}

/// Merges sequentially. Rethrows what the comparator throws after all elements are in the output.
template <class It, class Out, class Compare>
void merge_runs(sorted_run<It> a, sorted_run<It> b, Out out, Compare& less) {
  // What is left when the comparator throws, or when one run is used up.
  struct rest {
    sorted_run<It>&a, &b;
    Out& out;
    ~rest() { move_run(b, std::move(a.first, a.last, out)); }
  } whatever_happens{a, b, out};
  if constexpr (merges_from_both_ends<std::iter_value_t<It>>) {
    Out out_end = out + (a.size() + b.size());
    while (const std::ptrdiff_t steps = (std::min)(a.size(), b.size())) {
      const auto [front, back] = merge_both_ends(a, b, out, out_end, steps, less);
      // The ends cross only if the comparator contradicts itself. The runs themselves are still
      // unchanged.
      if (front + back > b.size() || 2 * steps - front - back > a.size()) return;
      a = {a.first + (steps - front), a.last - (steps - back)};
      b = {b.first + front, b.last - back};
      out += steps;
      out_end -= steps;
    }
  } else {
    while (!a.empty() && !b.empty()) {
      It& from = less(*b.first, *a.first) ? b.first : a.first;
      *out = std::move(*from);
      ++out;
      ++from;
    }
  }
}

/// Merges a and b into `out`; of equal elements those of a come first. `position` is the position of the first output
/// element in the whole range.
template <class It, class Out, class Compare>
class parallel_merge {
 public:
  parallel_merge(Compare& less, loop_fate& fate) : less_(less), fate_(fate) {}

  void run(task_context& w, sorted_run<It> a, sorted_run<It> b, Out out, std::uint64_t position) {
    if (a.size() + b.size() <= sequential) return run_alone(a, b, out, position);
    sorted_run<It> a_low = a, b_low = b;
    if (!cut(a_low, b_low, position)) return move_run(b, std::move(a.first, a.last, out));
    const std::ptrdiff_t low = a_low.size() + b_low.size();
    auto front = [&](task_context& on) { run(on, a_low, b_low, out, position); };
    auto back = [&](task_context& on) {
      run(on, {a_low.last, a.last}, {b_low.last, b.last}, out + low,
          position + static_cast<std::uint64_t>(low));
    };
    join_two(w, front, back);
  }

  /// Merges without a worker.
  void run_alone(sorted_run<It> a, sorted_run<It> b, Out out, std::uint64_t position) {
    sorted_run<It> a_low = a, b_low = b;
    if (!cut(a_low, b_low, position)) return move_run(b, std::move(a.first, a.last, out));
    SKUA_TRY { merge_runs(a, b, out, less_); }
    SKUA_CATCH { fate_.keep(position); }
  }

 private:
  // Elements: about ten microseconds with the cheapest comparisons.
  static constexpr std::ptrdiff_t sequential = 8192;

  /// Reduces each run to its part in the front of the output. The longer run is cut in the middle, the other one at the
  /// position where equal elements belong. Short runs are not cut. False when the runs only need to be moved.
  bool cut(sorted_run<It>& a, sorted_run<It>& b, std::uint64_t position) {
    if (failed(fate_) || a.empty() || b.empty()) return false;
    const auto less = [this](const auto& x, const auto& y) -> bool { return less_(x, y); };
    SKUA_TRY {
      if (!less(*b.first, *(a.last - 1))) return false;
      if (a.size() + b.size() <= sequential) return true;
      if (a.size() >= b.size()) {
        a.last = a.first + a.size() / 2;
        b.last = std::lower_bound(b.first, b.last, *a.last, less);
      } else {
        b.last = b.first + b.size() / 2;
        a.last = std::upper_bound(a.first, a.last, *b.last, less);
      }
      return true;
    }
    SKUA_CATCH {
      fate_.keep(position);
      return false;
    }
  }

  Compare& less_;
  loop_fate& fate_;
};

}  // namespace skua::detail
