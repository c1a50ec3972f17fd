// A merge sort whose leaves and merges run in parallel. It is stable and needs memory for n more elements.
// Paper: cilksort (Cilk's example, also in BOTS): sort the parts, then merge by cutting the longer run in the middle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/copied_freely.hpp>
#include <skua/detail/exceptions.hpp>
#include <skua/detail/merge.hpp>
#include <skua/detail/sort_in_place.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>

namespace skua::detail {

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

/// Sorts between the range and a buffer of the same size. A node of level 0 is a leaf: it sorts its part of the range
/// into the buffer. A node of a higher level merges two nodes to the other side. So the result of an odd level is in
/// the range.
template <class It, class Compare>
class merge_sort {
  using T = std::iter_value_t<It>;

 public:
  static constexpr std::size_t sequential = 1024;  // elements: some ten microseconds

  merge_sort(It first, It last, Compare& less)
      : first_(first),
        size_(static_cast<std::size_t>(last - first)),
        less_(less),
        buffer_(std::allocator<T>().allocate(size_)) {
    while (size_ >> top_level_ >= leaf) top_level_ += 2;
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
      sorter.emplace(order.data(), order.data() + order.size(), less);
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

}  // namespace skua::detail
