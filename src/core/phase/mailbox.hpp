// A mailbox: a list of messages, and the right to act on them, in one word.
//
// Any thread may post. A sender that finds the mailbox without a holder takes hold of it, acts on the messages, and
// releases it. The release fails while there is another message, so every message is acted on. A manager's mailbox is
// held while one thread acts on messages; a participant's mailbox is held as long as the participant is present, and
// the participant may sleep meanwhile. Messages of one sender are taken in the order in which it posted them. Checked
// by tests/model/mailbox_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::core {

/// What a sender found when it posted.
enum class found_holder { none, awake, asleep };

/// `Node` has a member `next` and an alignment of 4 or more. It belongs to the mailbox until it is taken.
template <class P, class Node>
class mailbox {
 public:
  mailbox() { word_.store(0, std::memory_order_relaxed); }

  /// After `none` the caller must try to hold the mailbox, after `asleep` it must wake the holder: no other thread
  /// will.
  found_holder post(Node* node) {
    std::uintptr_t before = word_.load(std::memory_order_relaxed);
    do {
      node->next = reinterpret_cast<Node*>(before & ~flags);
      // release: partner of take_all(); it makes the message visible. acquire: partner of fall_asleep(); what the holder has
      // stored before comes before what its waker stores to the same word.
    } while (!word_.compare_exchange_weak(before, reinterpret_cast<std::uintptr_t>(node) | (before & held),
                                          std::memory_order_acq_rel, std::memory_order_relaxed));
    if (before & sleeping) return found_holder::asleep;
    return before & held ? found_holder::awake : found_holder::none;
  }

  bool try_hold() {
    std::uintptr_t before = word_.load(std::memory_order_relaxed);
    while (!(before & held))
      // acquire: partner of try_release(); what the last holder has done.
      if (word_.compare_exchange_weak(before, before | held, std::memory_order_acquire,
                                      std::memory_order_relaxed))
        return true;
    return false;
  }

  // The rest is for the holder.

  /// The messages, oldest first, linked by `next`; null when there are none.
  Node* take_all() {
    if (!any()) return nullptr;
    // acquire: partner of post(); it makes the messages visible.
    auto* newest = reinterpret_cast<Node*>(word_.exchange(held, std::memory_order_acquire) & ~flags);
    Node* oldest = nullptr;
    while (newest) {
      Node* const next = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = next;
    }
    return oldest;
  }
  bool any() const { return (word_.load(std::memory_order_relaxed) & ~flags) != 0; }

  /// False when there is a message: the caller must act on it first.
  bool try_release() {
    std::uintptr_t expected = held;
    // release: partner of try_hold().
    return word_.compare_exchange_strong(expected, 0, std::memory_order_release, std::memory_order_relaxed);
  }

  /// False when there is a message. Otherwise exactly the next post finds the holder asleep.
  bool fall_asleep() {
    std::uintptr_t expected = held;
    return word_.compare_exchange_strong(expected, held | sleeping, std::memory_order_release,
                                         std::memory_order_relaxed);
  }
  /// False when a sender has woken the holder, or is about to.
  bool wake_by_itself() {
    std::uintptr_t expected = held | sleeping;
    return word_.compare_exchange_strong(expected, held, std::memory_order_relaxed,
                                         std::memory_order_relaxed);
  }

  /// For inlined code that checks for messages without a call: bits beyond these flags are messages.
  static constexpr std::uintptr_t held = 1;
  static constexpr std::uintptr_t sleeping = 2;
  static constexpr std::uintptr_t flags = held | sleeping;
  const auto& word() const { return word_; }

 private:
  typename P::template atomic<std::uintptr_t> word_;
};

}  // namespace skua::core
