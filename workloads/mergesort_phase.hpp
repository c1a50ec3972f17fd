// cilksort as one phase, as the ADM paper runs it: tasks that tell the one which waits for them when they are done. Who
// hears the last of them goes on with that one, as a further task.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <utility>

#include <skua/skua.hpp>

#include "workloads/kernels/sort.hpp"

namespace workloads {

/// `sort_leaf_of(keys)` and `merge_leaf_of(a, b, to)` do fewer than `leaf` keys, and declare them.
template <class SortLeaf, class MergeLeaf>
class sort_by_phase {
 public:
  using keys = std::span<sort_key>;

  sort_by_phase(std::size_t leaf, SortLeaf sort_leaf_of, MergeLeaf merge_leaf_of)
      : leaf_(leaf), sort_leaf_of_(sort_leaf_of), merge_leaf_of_(merge_leaf_of) {}

  /// Sorts `all`; `other` is as long, and holds what it likes afterwards.
  void sort(keys all, keys other) {
    tasks_.enqueue(new node{step::begin, all, other, nullptr, nullptr});
    tasks_.run([this](node* n) { run(n); });
  }

 private:
  enum class step : std::uint8_t { begin, merge_pairs, merge_halves, done, merge };
  struct node {
    step next;
    keys a, b;     // to sort and to use beside; or to merge
    sort_key* to;  // of a merge
    node* waits;   // for this one
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

  /// Its far half is a task for others.
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
    // acq_rel: who is last has what the others did behind it.
    if (waits && waits->missing.fetch_sub(1, std::memory_order_acq_rel) == 1) tasks_.enqueue(waits);
  }

  const std::size_t leaf_;
  SortLeaf sort_leaf_of_;
  MergeLeaf merge_leaf_of_;
  skua::phase<node*> tasks_;
};

}  // namespace workloads
