// Parallel loops over positions, elements, or blocks in one to three dimensions.
//
//   skua::parallel_for(0, n, [&](auto i) { a[i] = b[i] * 2 + 1; });
//   skua::parallel_for_each(v, [&](auto& x) { x.update(); });
//   skua::parallel_for(skua::blocked(0, rows, 8), [&](auto first, auto last) { relax(first, last); });
//   skua::parallel_for(skua::blocked2d(0, rows, 0, cols), [&](auto r, auto c) {
//     for (auto i : r) for (auto j : c) out[i][j] = in[j][i];
//   });
//   skua::loop_memo memo;                                    // kept between sweeps
//   skua::parallel_for(0, n, body, skua::loop{.grain = 64, .placement = skua::same_as_last(memo)});
//
// - Parameters: positions are integers of at most 64 bits or random-access iterators. The body receives the common type
//   of both ends. Each axis of blocks has its own type. A bool is not a position. An empty or reversed range has no
//   iterations. If the common type is unsigned, a negative first position throws bad_input, and a negative end makes
//   the loop empty.
// - A grain is not needed. The caller runs the loop in chunks, and adapts their size so that each takes about a
//   microsecond. An idle worker can take half of the remaining iterations at any time. A grain is the minimum number of
//   iterations of each chunk but the last. A grain above 2^30 counts as 2^30.
// - Cost: one fork for each loop and about 3 ns for each chunk. Space: O(1) for each thief.
// - Exceptions: after all started chunks have ended, the loop throws the exception of the leftmost iteration that
//   threw. Chunks to the right of it that have not started never start. A negative grain throws bad_input, also when
//   the loop is empty.
// - Iterations run in any order on any worker. Loops may be nested. Thread-safety: any thread may call it.
// Paper: lazy splitting after Tzannes et al. (2010), extended so that a thief can split a loop without its owner;
// same_as_last is the affinity partitioner that the TBB thesis (docs/papers.md) describes.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/invoke.hpp>
#include <skua/detail/loop.hpp>
#include <skua/detail/positions.hpp>
#include <skua/join.hpp>

namespace skua {

/// Stores which worker ran which block of a loop. The program keeps it between sweeps over the same data. Only one loop
/// may use it at a time. It is neither copied nor moved.
class SKUA_API loop_memo {
 public:
  loop_memo();
  ~loop_memo();
  loop_memo(const loop_memo&) = delete;
  loop_memo& operator=(const loop_memo&) = delete;
  struct data;
  data& contents() noexcept { return *data_; }

 private:
  std::unique_ptr<data> data_;
};

/// Determines which worker runs which block of a loop; made by same_as_last(). By default any worker runs any block.
struct loop_placement {
  loop_memo* memo = nullptr;
};

/// Each block goes to the worker that ran it in the last sweep with this memo, unless that worker is overloaded.
inline loop_placement same_as_last(loop_memo& memo) { return {&memo}; }

/// The options of a loop.
struct loop {
  std::int64_t grain = 0;  // iterations, tiles for blocked2d and blocked3d; 0: skua chooses
  loop_placement placement = {};
  loop_hint hint = {};  // the hint that thieves see (hint.hpp); ignored for a loop with a memo
};

/// Positions first .. last-1. The body receives them as sub-ranges (first, last) of at least `grain` positions.
template <class Position>
struct blocked_range {
  Position first, last;
  std::int64_t grain;
};
/// Makes a blocked_range; a grain of 0 lets skua choose.
template <class A, class B>
  requires detail::positions<A, B>
blocked_range<detail::position<A, B>> blocked(A first, B last, std::int64_t grain = 0) {
  const auto ends = detail::ends_of(first, last);
  return {ends.first, ends.last, grain};
}

/// Consecutive positions. Iterate over them, or use begin() and end() as numbers.
template <class Position>
class subrange {
 public:
  class iterator {
   public:
    using value_type = Position;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = const Position*;
    using reference = Position;
    iterator() = default;
    explicit iterator(Position at) : at_(at) {}
    Position operator*() const { return at_; }
    operator Position() const { return at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    friend bool operator==(iterator a, iterator b) { return a.at_ == b.at_; }
    friend bool operator<(iterator a, iterator b) { return a.at_ < b.at_; }

   private:
    Position at_{};
  };

  subrange(Position first, Position last) : first_(first), last_(last) {}
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(last_); }
  std::size_t size() const { return static_cast<std::size_t>(detail::count_positions(first_, last_)); }
  bool empty() const { return first_ == last_; }

 private:
  Position first_, last_;
};

/// One dimension, cut into tiles of `grain` positions (0: skua chooses, at most 64 tiles).
template <class Position>
struct tiled_axis {
  Position first, last;
  std::int64_t grain;
};
/// A rectangle of rows x cols positions.
template <class Row, class Col = Row>
struct blocked_range2d {
  tiled_axis<Row> rows;
  tiled_axis<Col> cols;
};
/// A box of pages x rows x cols positions.
template <class Page, class Row = Page, class Col = Row>
struct blocked_range3d {
  tiled_axis<Page> pages;
  tiled_axis<Row> rows;
  tiled_axis<Col> cols;
};

namespace detail {
template <class A, class B>
tiled_axis<position<A, B>> axis(A first, B last, std::int64_t grain) {
  const auto ends = ends_of(first, last);
  return {ends.first, ends.last, grain};
}
}  // namespace detail

/// Makes a blocked_range2d of integers; grains are in positions of their dimension.
template <class A, class B, class C, class D>
  requires(detail::both_integers<A, B> && detail::both_integers<C, D>)
auto blocked2d(A row_first, B row_last, C col_first, D col_last, std::int64_t row_grain = 0,
               std::int64_t col_grain = 0) {
  return blocked_range2d<detail::position<A, B>, detail::position<C, D>>{
      detail::axis(row_first, row_last, row_grain), detail::axis(col_first, col_last, col_grain)};
}
/// Makes a blocked_range3d of integers; grains are in positions of their dimension.
template <class A, class B, class C, class D, class E, class F>
  requires(detail::both_integers<A, B> && detail::both_integers<C, D> && detail::both_integers<E, F>)
auto blocked3d(A page_first, B page_last, C row_first, D row_last, E col_first, F col_last,
               std::int64_t page_grain = 0, std::int64_t row_grain = 0, std::int64_t col_grain = 0) {
  return blocked_range3d<detail::position<A, B>, detail::position<C, D>, detail::position<E, F>>{
      detail::axis(page_first, page_last, page_grain), detail::axis(row_first, row_last, row_grain),
      detail::axis(col_first, col_last, col_grain)};
}

namespace detail {

/// Calls body(i) for each position.
template <class Position, class Body>
struct each_position {
  Position start;
  Body* body;
  [[gnu::always_inline]] inline void run(std::uint64_t first, std::uint64_t last) {
    // The counter has the positions' own type. Its overflow is undefined, so the loop can be vectorised.
    const Position stop = advance(start, last);
    for (Position at = advance(start, first); at != stop; ++at) detail::invoke(*body, at);
  }
  [[gnu::always_inline]] inline void run_one(std::uint64_t position) {
    detail::invoke(*body, advance(start, position));
  }
};

/// Calls code(first, last) for runs of positions.
template <class Run>
struct each_run {
  Run code;
  [[gnu::always_inline]] inline void run(std::uint64_t first, std::uint64_t last) { code(first, last); }
  [[gnu::always_inline]] inline void run_one(std::uint64_t position) { code(position, position + 1); }
};

/// The functions of a loop without a result. `Code` is a view with run(first, last) and run_one(position).
template <class Code>
class plain_functions_of {
  static void run(void* code, void*, std::uint64_t first, std::uint64_t last) {
    static_cast<Code*>(code)->run(first, last);
  }

 public:
  static constexpr loop_functions functions{&run, &thief_of_loop<Code>::help, nullptr};
};

/// A `loop` as plain values. The compiler keeps it in registers because its address is not passed on.
struct loop_ways {
  std::uint32_t grain;
  loop_memo* memo;
  const loop_hint* hint;  // or null
  std::int64_t start;     // number of the first position, for the hint
};

/// Runs a loop of any length without a result, and throws its exception.
SKUA_API void run_plain_loop(task_context& w, const loop_functions& code, void* body, std::uint64_t size,
                             std::uint32_t grain);
/// The same with a memo, with a hint, or from an external thread.
SKUA_API void run_in_other_way(const loop_functions& code, void* body, std::uint64_t size,
                               const loop_ways& how);
/// As run_long_loop(), with a memo or from an external thread. A null memo: none. `from` is the loop's call site.
SKUA_API void run_in_other_way(loop_run& all, std::uint64_t size, loop_memo* memo, void* result,
                               const void* from);

/// Not inlined, for the same reason as fork_two (join.hpp). A report names the loop by this function.
template <class Code>
[[gnu::noinline]] void run_plainly(task_context& w, Code code, std::uint64_t size, std::uint32_t grain) {
  constexpr const loop_functions& functions = plain_functions_of<Code>::functions;
  Code shown = code;  // thieves see this one, so that the other one stays in registers
  if (size > longest_short_loop || grain != 1) return run_plain_loop(w, functions, &shown, size, grain);
  loop_run all(functions, 1, &shown);
  loop_part part(all, 0, static_cast<std::uint32_t>(size), nullptr);
  part.run_short(w, nullptr, static_cast<std::uint32_t>(size),
                 [&](std::uint64_t at) __attribute__((always_inline)) { code.run_one(at); });
  all.rethrow();
}

template <class Code>
[[gnu::noinline, gnu::cold]] void run_otherwise(Code code, std::uint64_t size, loop_ways how) {
  run_in_other_way(plain_functions_of<Code>::functions, &code, size, how);
}

template <class Code>
[[gnu::always_inline]] inline void run_positions(std::uint64_t size, const loop& how, Code code,
                                                 std::int64_t start = 0) {
  const std::uint32_t grain = how.grain == 0 ? 1 : checked_grain(how.grain);  // also when the loop is empty
  if (size == 0) return;
  task_context* const w = current;
  if (w && !how.placement.memo && !how.hint) [[likely]]
    run_plainly(*w, code, size, grain);
  else
    run_otherwise(code, size, {grain, how.placement.memo, how.hint ? &how.hint : nullptr, start});
}

inline std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) [[unlikely]]
    refuse_tiles();
  return product;
}

template <class Position>
struct tiles {
  Position first;
  std::uint64_t size, grain, count;
  explicit tiles(const tiled_axis<Position>& axis)
      : first(axis.first), size(count_positions(axis.first, axis.last)), grain(0), count(0) {
    const std::uint64_t given = axis.grain == 0 ? 0 : checked_grain(axis.grain);
    if (size == 0) return;
    // No sum here exceeds `size`, which may be the largest std::uint64_t.
    grain = given ? given : size / 64 + (size % 64 != 0);
    count = size / grain + (size % grain != 0);
  }
  subrange<Position> operator[](std::uint64_t tile) const {
    const std::uint64_t begin = tile * grain;
    const std::uint64_t end = size - begin > grain ? begin + grain : size;
    return {advance(first, begin), advance(first, end)};
  }
};

}  // namespace detail

/// Calls body(i) for each position.
template <class A, class B, class Body>
  requires detail::positions<A, B>
void parallel_for(A first, B last, Body&& body, const loop& how = {}) {
  using Position = detail::position<A, B>;
  const auto ends = detail::ends_of(first, last);
  detail::run_positions(
      detail::count_positions(ends.first, ends.last), how,
      detail::each_position<Position, std::remove_reference_t<Body>>{ends.first, std::addressof(body)},
      detail::number_of(ends.first));
}

/// Calls body(first, last) for sub-ranges that cover the range.
template <class Position, class Body>
void parallel_for(const blocked_range<Position>& range, Body&& body, loop how = {}) {
  if (range.grain != 0) how.grain = range.grain;
  detail::run_positions(detail::count_positions(range.first, range.last), how,
                        detail::each_run{[&](std::uint64_t begin, std::uint64_t end) {
                          body(detail::advance(range.first, begin), detail::advance(range.first, end));
                        }},
                        detail::number_of(range.first));
}

/// Calls body(rows, cols) for tiles that cover the rectangle; both arguments are skua::subrange.
template <class Row, class Col, class Body>
void parallel_for(const blocked_range2d<Row, Col>& range, Body&& body, const loop& how = {}) {
  const detail::tiles<Row> rows(range.rows);
  const detail::tiles<Col> cols(range.cols);
  detail::run_positions(detail::checked_product(rows.count, cols.count), how,
                        detail::each_run{[&](std::uint64_t begin, std::uint64_t end) {
                          for (std::uint64_t i = begin; i < end; ++i)
                            body(rows[i / cols.count], cols[i % cols.count]);
                        }});
}

/// Calls body(pages, rows, cols) for tiles that cover the box; the arguments are skua::subrange.
template <class Page, class Row, class Col, class Body>
void parallel_for(const blocked_range3d<Page, Row, Col>& range, Body&& body, const loop& how = {}) {
  const detail::tiles<Page> pages(range.pages);
  const detail::tiles<Row> rows(range.rows);
  const detail::tiles<Col> cols(range.cols);
  const std::uint64_t plane = detail::checked_product(rows.count, cols.count);
  detail::run_positions(detail::checked_product(pages.count, plane), how,
                        detail::each_run{[&](std::uint64_t begin, std::uint64_t end) {
                          for (std::uint64_t i = begin; i < end; ++i)
                            body(pages[i / plane], rows[i % plane / cols.count], cols[i % cols.count]);
                        }});
}

namespace detail {
/// The iterators of a range without random access.
template <class Range>
std::vector<std::ranges::iterator_t<Range>> iterators_of(Range& range) {
  std::vector<std::ranges::iterator_t<Range>> places;
  for (auto at = std::ranges::begin(range); at != std::ranges::end(range); ++at) places.push_back(at);
  return places;
}
}  // namespace detail

/// Calls body(element) for each element of a range. The body may also be a pointer to a member of the elements. For a
/// range without random access it first collects all iterators in a vector: O(n) sequential time and space. Pass two
/// iterators of a list as std::ranges::subrange(first, last).
template <std::ranges::forward_range Range, class Body>
void parallel_for_each(Range&& range, Body&& body, const loop& how = {}) {
  if constexpr (std::ranges::random_access_range<Range>) {
    parallel_for(
        std::ranges::begin(range), std::ranges::begin(range) + std::ranges::distance(range),
        [&](auto at) { detail::invoke(body, *at); }, how);
  } else {
    const auto places = detail::iterators_of(range);
    parallel_for(
        std::size_t{0}, places.size(), [&](std::size_t i) { detail::invoke(body, *places[i]); }, how);
  }
}

}  // namespace skua
