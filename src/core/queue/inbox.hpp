// Group tasks of threads that hold no worker. Such a thread adds a task to its own box here and continues; it never waits for a
// worker. When it gets a worker, it takes what still lies in its box. A worker without a task of its own takes all tasks of a
// box into its queue, where others steal them.
#pragma once

#include <atomic>
#include <cstdint>

#include <skua/detail/task.hpp>
#include <skua/order.hpp>

#include "core/queue/outboxes.hpp"
#include "core/queue/shared_words.hpp"

namespace skua::core {

class scheduler_core;

/// A task's own `next` may hold its hint. No region is isolated outside of a worker, so `isolation` is free until a worker
/// has taken the task.
struct by_isolation {
  static detail::task* get(const detail::task& t) noexcept {
    return reinterpret_cast<detail::task*>(t.isolation.load(std::memory_order_relaxed));
  }
  static void set(detail::task& t, detail::task* next) noexcept {
    t.isolation.store(reinterpret_cast<std::uintptr_t>(next), std::memory_order_relaxed);
  }
};

class inbox {
 public:
  explicit inbox(scheduler_core& of);
  ~inbox();
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  /// Any thread: a record for add(). Throws std::bad_alloc.
  detail::task& take_record();
  void give_back(detail::task& unused) noexcept;

  /// Any thread. Lock-free.
  void add(detail::task& t) noexcept;
  /// Any thread. As outboxes::any(), any_now().
  bool any() const noexcept { return boxes_.any(); }
  bool any_now() const noexcept { return boxes_.any_now(); }

  /// Any thread: takes all tasks of a box and calls take(task) for each, in the order in which a worker with the own order
  /// `own` must add them to its queue to run the oldest first. With order::priority that holds among equal priorities. False
  /// if there are none. `only_own`: of the calling thread's box.
  template <class Take>
  bool take_a_box(order own, bool only_own, Take take) {
    const auto take_all = [&](auto& box) {
      return own == order::lifo ? box.take_newest_first() : box.take_oldest_first();
    };
    detail::task* t = nullptr;
    if (!only_own)
      t = boxes_.take_a_box(take_all);
    else if (auto* const mine = own_box())
      t = take_all(*mine);
    if (!t) return false;
    while (t) {
      detail::task& one = *t;
      t = by_isolation::get(one);
      one.isolation.store(0, std::memory_order_relaxed);
      take(one);
    }
    return true;
  }

 private:
  using boxes = outboxes<host_platform, detail::task, by_isolation>;
  struct box_of_thread;
  struct own_box_here;

  /// Of the calling thread; null if it has none yet, or ends.
  boxes::box* own_box() const noexcept;
  box_of_thread* find_or_make_own();
  box_of_thread* unused_box() noexcept;

  scheduler_core& of_;
  boxes boxes_;
  // For threads that end, or have no memory for a box.
  spin_lock guard_;
  boxes::box common_;
  detail::task* free_ = nullptr;
};

}  // namespace skua::core
