// A list to which many threads add, and from which a worker takes all at once: the ready stacks of a worker, and the
// tasks that external threads hand to a scheduler. Checked by tests/model/suspend_test.cpp and lock_line_test.cpp.
#pragma once

#include <atomic>

namespace skua::core {

/// The link of a node that has a member `next`.
struct by_next {
  template <class Node>
  static Node* get(const Node& node) noexcept {
    return node.next;
  }
  template <class Node>
  static void set(Node& node, Node* next) noexcept {
    node.next = next;
  }
};

template <class P, class Node, class Link = by_next>
class arrivals {
 public:
  arrivals() { head_.store(nullptr, std::memory_order_relaxed); }

  /// Any thread. Lock-free.
  void push(Node* node) {
    Node* head = head_.load(std::memory_order_relaxed);
    do {
      Link::set(*node, head);
      // release: partner of take's acquire; the taker sees the node and what was written before.
      // seq_cst: partner of any(). A thread that pushes and then looks whether a worker is busy or asleep sees that, or
      // the worker sees the node.
    } while (!head_.compare_exchange_weak(head, node, std::memory_order_seq_cst, std::memory_order_relaxed));
  }
  /// Any thread: takes all nodes, linked from the newest to the oldest.
  Node* take_newest_first() {
    if (!head_.load(std::memory_order_relaxed)) return nullptr;
    return head_.exchange(nullptr, std::memory_order_acquire);
  }
  /// Any thread: takes all nodes, linked in the order in which they were pushed.
  Node* take_oldest_first() {
    Node* newest = take_newest_first();
    Node* oldest = nullptr;
    while (newest) {
      Node* const next = Link::get(*newest);
      Link::set(*newest, oldest);
      oldest = newest;
      newest = next;
    }
    return oldest;
  }
  /// seq_cst: partner of push().
  bool any() const { return head_.load(std::memory_order_seq_cst) != nullptr; }
  /// The same on the fast path of the only thread that takes.
  bool any_for_owner() const { return P::quietly(head_).load(std::memory_order_seq_cst) != nullptr; }

  /// Where only the caller takes: calls visit(node) for the newest nodes while that returns true.
  template <class Visit>
  void visit_newest(Visit visit) const {
    // acquire: as in take.
    for (Node* node = head_.load(std::memory_order_acquire); node && visit(*node);) node = Link::get(*node);
  }

 private:
  typename P::template atomic<Node*> head_;
};

}  // namespace skua::core
