// cilksort as one phase, as the ADM paper runs it. A finished task notifies the node that waits for it. The last one to
// do so enqueues that node as a further task.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include <skua/skua.hpp>

#include "workloads/kernels/sort.hpp"

namespace workloads {

/// `sort_leaf_of(keys)` and `merge_leaf_of(a, b, to)` sort or merge fewer than `leaf` keys, and declare them.
template <class SortLeaf, class MergeLeaf>
class sort_by_phase {
 public:
  using keys = std::span<sort_key>;

  sort_by_phase(std::size_t leaf, SortLeaf sort_leaf_of, MergeLeaf merge_leaf_of)
      : leaf_(leaf), sort_leaf_of_(sort_leaf_of), merge_leaf_of_(merge_leaf_of) {}

  /// Sorts `all`. `other` is scratch memory of the same length.
  void sort(keys all, keys other) {
    tasks_.enqueue(new node{step::begin, all, other, nullptr, nullptr});
    tasks_.run([this](node* n) { run(n); });
  }

 private:
  enum class step : std::uint8_t { begin, merge_pairs, merge_halves, done, merge };
  struct node {
    step next;
    keys a, b;     // the keys to sort and scratch memory; or two runs to merge
    sort_key* to;  // where a merge writes
    node* waits;   // the node that waits for this one
    std::atomic<int> missing{0};
  };

  void run(node* n) {
    if (n->next == step::merge) return merge(n);
    const std::size_t quarter = n->a.size() / 4, half = 2 * quarter;
    switch (n->next) {
      case step::begin:
        if (n->a.size() < leaf_) {
          sort_leaf_of_(n->a);
          return finish(n);
        }
        n->next = step::merge_pairs;
        n->missing.store(4, std::memory_order_relaxed);
        for (std::size_t first = 0; first < 4 * quarter; first += quarter) {
          const std::size_t size = first == 3 * quarter ? n->a.size() - first : quarter;
          tasks_.enqueue(
              new node{step::begin, n->a.subspan(first, size), n->b.subspan(first, size), nullptr, n});
        }
        return;
      case step::merge_pairs:
        n->next = step::merge_halves;
        n->missing.store(2, std::memory_order_relaxed);
        begin_merge(n->a.first(quarter), n->a.subspan(quarter, quarter), n->b.data(), n);
        return begin_merge(n->a.subspan(half, quarter), n->a.subspan(half + quarter), n->b.data() + half, n);
      case step::merge_halves:
        n->next = step::done;
        n->missing.store(1, std::memory_order_relaxed);
        return begin_merge(n->b.first(half), n->b.subspan(half), n->a.data(), n);
      default:
        return finish(n);
    }
  }

  void begin_merge(keys a, keys b, sort_key* to, node* waits) {
    tasks_.enqueue(new node{step::merge, a, b, to, waits});
  }

  /// The second half of each cut becomes a task that others can steal.
  void merge(node* n) {
    for (;;) {
      if (n->a.size() < n->b.size()) std::swap(n->a, n->b);
      if (n->b.size() < leaf_) break;
      const auto [a_cut, b_cut] = cut_runs(n->a, n->b);
      n->waits->missing.fetch_add(1, std::memory_order_relaxed);
      begin_merge(n->a.subspan(a_cut), n->b.subspan(b_cut), n->to + a_cut + b_cut, n->waits);
      n->a = n->a.first(a_cut);
      n->b = n->b.first(b_cut);
    }
    merge_leaf_of_(n->a, n->b, n->to);
    finish(n);
  }

  void finish(node* n) {
    node* const waits = n->waits;
    delete n;
    // acq_rel: the last one sees what the others wrote.
    if (waits && waits->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) tasks_.enqueue(waits);
  }

  const std::size_t leaf_;
  SortLeaf sort_leaf_of_;
  MergeLeaf merge_leaf_of_;
  skua::phase<node*> tasks_;
};

}  // namespace workloads
