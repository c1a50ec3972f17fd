// skua's interface implemented by another runtime, so that the unchanged workloads run on it too. The contenders of
// `skua bench --workloads` are compiled with it. It has only what the workloads use.
//
// The runtime is one of the headers ../*_shim.hpp, each written as its users would write it:
//   shim::both(f, g)                    two tasks and a wait
//   shim::indices(n, body)              body(0) .. body(n - 1), by its parallel loop
//   shim::ranges(first, last, grain, body)      body(first, last) for parts, by its loop over blocks
//   shim::reduce(n, identity, map, combine)     by its reduction
//   shim::group, shim::local<T>         like skua::task_group and skua::per_worker
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <skua/topology.hpp>

#include BENCH_SHIM  // one of the files in the folder above

namespace skua {

// ---- declarations, which have no effect here

template <class T>
void reads(const T*, std::size_t, std::size_t = 1, std::size_t = 0) noexcept {}
template <class T>
void writes(T*, std::size_t, std::size_t = 1, std::size_t = 0) noexcept {}
inline void costs(double) noexcept {}
inline bool has_listener() noexcept { return false; }

struct region_shape {
  std::size_t input_bytes = 0;
  std::size_t branching = 2;
};
template <class F>
decltype(auto) shaped(const region_shape&, F&& f) {
  return f();
}

// ---- features that these runtimes do not have

template <class T>
class phase {
 public:
  void enqueue(T) {}
  template <class F>
  void run(F) {
    throw bad_input("form is a phase, which this runtime does not have; allowed: joins; nearest: joins");
  }
};

// ---- fork and join

namespace detail {

template <class F>
auto value_of(F& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>)
    return f(), std::monostate{};
  else
    return f();
}
template <class F>
using value_of_t = decltype(value_of(std::declval<F&>()));

template <class Results, std::size_t I, class F>
void join_rest(Results& to, F& last) {
  std::get<I>(to).emplace(value_of(last));
}
template <class Results, std::size_t I, class F, class... Rest>
void join_rest(Results& to, F& f, Rest&... rest) {
  shim::both([&] { std::get<I>(to).emplace(value_of(f)); }, [&] { join_rest<Results, I + 1>(to, rest...); });
}

}  // namespace detail

template <class... F>
auto join(F&&... f) {
  std::tuple<std::optional<detail::value_of_t<std::remove_reference_t<F>>>...> results;
  detail::join_rest<decltype(results), 0>(results, f...);
  return std::apply([](auto&... of) { return std::tuple(std::move(*of)...); }, results);
}

// ---- loops

struct loop_memo {};
struct same_as_last {
  explicit same_as_last(loop_memo&) {}
};
struct loop {
  std::size_t grain = 0;
  std::variant<std::monostate, same_as_last> placement = {};
};

template <class I>
struct blocks_of {
  I first, last;
  std::size_t grain;
};
template <class A, class B>
auto blocked(A first, B last, std::int64_t grain = 0) {
  using I = std::common_type_t<A, B>;
  return blocks_of<I>{static_cast<I>(first), static_cast<I>(last), static_cast<std::size_t>(grain)};
}
template <class I, class Body>
void parallel_for(const blocks_of<I>& blocks, Body&& body, const loop& = {}) {
  if (blocks.first < blocks.last) shim::ranges(blocks.first, blocks.last, blocks.grain, body);
}
template <std::integral A, std::integral B, class Body>
void parallel_for(A first, B last, Body&& body, const loop& = {}) {
  using I = std::common_type_t<A, B>;
  const I start = static_cast<I>(first);
  if (start >= static_cast<I>(last)) return;
  shim::indices(static_cast<std::size_t>(static_cast<I>(last) - start),
                [&](std::size_t i) { body(static_cast<I>(start + static_cast<I>(i))); });
}

/// A two-dimensional range of indices; both sides are iterable.
template <class I>
struct squares_of {
  I rows, columns;  // both from 0
};
template <class I>
struct index_range {
  struct iterator {
    I at;
    I operator*() const { return at; }
    iterator& operator++() { return ++at, *this; }
    bool operator!=(const iterator& other) const { return at != other.at; }
  };
  I from, to;
  iterator begin() const { return {from}; }
  iterator end() const { return {to}; }
};
template <class I>
squares_of<I> blocked2d(I, I rows, I, I columns) {
  return {rows, columns};
}
template <class I, class Body>
void parallel_for(const squares_of<I>& all, Body&& body, const loop& = {}) {
  shim::indices(static_cast<std::size_t>(all.rows * all.columns), [&](std::size_t i) {
    const I row = static_cast<I>(i) / all.columns, column = static_cast<I>(i) % all.columns;
    body(index_range<I>{row, static_cast<I>(row + 1)}, index_range<I>{column, static_cast<I>(column + 1)});
  });
}

// ---- reductions

template <class A, class B, class T, class Map, class Combine>
T parallel_reduce(A first, B last, T identity, Map&& map, Combine&& combine, const loop& = {}) {
  using I = std::common_type_t<A, B>;
  const I start = static_cast<I>(first);
  if (start >= static_cast<I>(last)) return identity;
  return shim::reduce(
      static_cast<std::size_t>(static_cast<I>(last) - start), identity,
      [&](std::size_t i) { return map(static_cast<I>(start + static_cast<I>(i))); }, combine);
}

namespace detail {

/// The fixed tree of skua, so that the bits are the same.
template <class T, class Combine>
T combine_tree(std::vector<T>& leaves, std::size_t first, std::size_t last, Combine& combine) {
  if (last - first == 1) return std::move(leaves[first]);
  const std::size_t middle = first + (last - first) / 2;
  T left = combine_tree(leaves, first, middle, combine);
  return combine(std::move(left), combine_tree(leaves, middle, last, combine));
}

}  // namespace detail

template <class A, class B, class T, class Map, class Combine>
T parallel_reduce_deterministic(A first, B last, T identity, Map&& map, Combine&& combine, const loop& how) {
  using I = std::common_type_t<A, B>;
  const I start = static_cast<I>(first);
  if (start >= static_cast<I>(last)) return identity;
  const std::size_t n = static_cast<std::size_t>(static_cast<I>(last) - start),
                    leaves = (n + how.grain - 1) / how.grain;
  std::vector<T> parts(leaves, identity);
  shim::indices(leaves, [&](std::size_t leaf) {
    T sum = identity;
    for (std::size_t i = leaf * how.grain; i < std::min(n, (leaf + 1) * how.grain); ++i)
      sum = combine(std::move(sum), map(static_cast<I>(start + static_cast<I>(i))));
    parts[leaf] = std::move(sum);
  });
  return detail::combine_tree(parts, 0, leaves, combine);
}

// ---- tasks

class task_group {
 public:
  task_group() { cancelled_flag().store(false, std::memory_order_relaxed); }
  template <class F>
  void run(F f) {
    tasks_.run(std::move(f));
  }
  void wait() { tasks_.wait(); }
  void cancel() { cancelled_flag().store(true, std::memory_order_relaxed); }
  static std::atomic<bool>& cancelled_flag() {
    static std::atomic<bool> flag{false};  // only one search is ever cancelled at a time
    return flag;
  }

 private:
  shim::group tasks_;
};
inline bool cancelled() { return task_group::cancelled_flag().load(std::memory_order_relaxed); }

template <class T>
class per_worker {
 public:
  T& local() { return values_.here(); }
  template <class F>
  void for_each(F f) {
    values_.for_each(f);
  }

 private:
  shim::local<T> values_;
};

}  // namespace skua
