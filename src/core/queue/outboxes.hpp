// Boxes of many threads: each thread adds to a box of its own, and other threads take the contents of one box at a time. Threads
// that add share no cache line, except for a word that says that some box may not be empty. Checked by tests/model/outboxes_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/queue/arrivals.hpp"

namespace skua::core {

template <class P, class Node, class Link = by_next>
class outboxes {
 public:
  class box {
   public:
    /// Any thread: takes all nodes, linked as in arrivals.
    Node* take_newest_first() { return nodes_.take_newest_first(); }
    Node* take_oldest_first() { return nodes_.take_oldest_first(); }
    box* next() const { return next_; }

   private:
    friend outboxes;
    arrivals<P, Node, Link> nodes_;
    box* next_ = nullptr;
  };

  outboxes() {
    first_.store(nullptr, std::memory_order_relaxed);
    turn_.store(nullptr, std::memory_order_relaxed);
    some_.store(0, std::memory_order_relaxed);
  }

  /// Any thread: `b` is one of the boxes from now on, and stays it. Lock-free.
  void enlist(box& b) {
    b.next_ = first_.load(std::memory_order_relaxed);
    // seq_cst: partner of take_a_box(). If add() sees the word before it is cleared there, the box is found afterwards.
    while (!first_.compare_exchange_weak(b.next_, &b, std::memory_order_seq_cst, std::memory_order_relaxed)) {
    }
  }
  box* first() const { return first_.load(std::memory_order_seq_cst); }

  /// Any thread. Lock-free.
  void add(box& b, Node& node) {
    b.nodes_.push(&node);
    // seq_cst: partner of take_a_box(). If this thread sees the word before it is cleared there, the node is found afterwards.
    if (some_.load(std::memory_order_seq_cst) == 0) some_.store(1, std::memory_order_seq_cst);
  }

  /// False: nothing lies there, apart from what other threads take now and will say so. True is a guess. seq_cst: partner of
  /// add(), as arrivals::any().
  bool any() const { return some_.load(std::memory_order_seq_cst) != 0; }
  /// Whether something lies there. O(boxes).
  bool any_now() const {
    if (!any()) return false;
    for (const box* b = first(); b; b = b->next_)
      if (b->nodes_.any()) return true;
    return false;
  }

  /// Any thread: takes all nodes of one box by take(box), which returns null if another thread was faster. If another box may
  /// have some, any() is true afterwards. O(boxes).
  template <class Take>
  Node* take_a_box(Take take) {
    if (!any()) return nullptr;
    some_.store(0, std::memory_order_seq_cst);  // partner: add()
    box* const newest = first();
    // acquire: the box may have been enlisted after `newest`.
    box* const begin = turn_.load(std::memory_order_acquire);
    Node* taken = nullptr;
    const auto leaves = [&](box& b) {
      if (!b.nodes_.any()) return false;
      if (taken) {
        some_.store(1, std::memory_order_relaxed);  // this thread comes back, or looks before it sleeps
        return true;
      }
      taken = take(b);
      turn_.store(b.next_, std::memory_order_release);  // so that each box has its turn
      return false;
    };
    for (box* b = begin; b; b = b->next_)
      if (leaves(*b)) return taken;
    for (box* b = newest; b && b != begin; b = b->next_)
      if (leaves(*b)) return taken;
    return taken;
  }

 private:
  typename P::template atomic<box*> first_;
  typename P::template atomic<box*> turn_;  // the box at which the next look begins; null: at the first one
  alignas(64) typename P::template atomic<std::uint32_t> some_;
};

}  // namespace skua::core
