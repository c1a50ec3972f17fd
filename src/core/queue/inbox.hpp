// Group tasks of threads that hold no worker. Such a thread adds a task here and goes on; it never waits for a worker.
// A worker without a task of its own takes all of them into its queue, where others steal them.
#pragma once

#include <cstdint>

#include <skua/detail/task.hpp>
#include <skua/order.hpp>

#include "core/queue/arrivals.hpp"
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
  explicit inbox(scheduler_core& of) noexcept : of_(of) {}

  /// Any thread: a record for add(). Throws std::bad_alloc.
  detail::task& take_record();
  void give_back(detail::task& unused) noexcept;

  /// Any thread. Lock-free.
  void add(detail::task& t) { tasks_.push(&t); }
  /// Any thread. As arrivals::any().
  bool any() const noexcept { return tasks_.any(); }

  /// Any thread: takes all tasks and calls take(task) for each, in the order in which a worker with the own order `own` must
  /// add them to its queue to run the oldest first. With order::priority that holds among equal priorities.
  template <class Take>
  bool take_all(order own, Take take) {
    detail::task* t = own == order::lifo ? tasks_.take_newest_first() : tasks_.take_oldest_first();
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
  scheduler_core& of_;
  arrivals<host_platform, detail::task, by_isolation> tasks_;
  alignas(detail::line_pair) spin_lock guard_;
  detail::task* free_ = nullptr;  // records of the scheduler, taken in batches
};

}  // namespace skua::core
