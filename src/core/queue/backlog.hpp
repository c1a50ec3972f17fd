// The group tasks of one worker for which its split queue has no room. All of them are older than those in the queue.
//
// The split queue is short, so that its records stay in the cache. When it is full, its owner moves all but the newest
// of its tasks here, and takes them back when the queue is empty. Each task is moved a bounded number of times, so its
// cost does not depend on the number of queued tasks. Under order::priority all tasks come here before the owner takes
// one, because the queue knows no priorities.
//
// Every task here is counted by its group, and a thief may take it. A lock guards all calls but size(); each holds it
// for a bounded number of tasks, except in a search that meets tasks which it does not accept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <new>
#include <vector>

#include <skua/detail/task.hpp>
#include <skua/order.hpp>

#include "core/queue/queue_operations.hpp"
#include "core/queue/shared_words.hpp"
#include "core/queue/task_ranks.hpp"

namespace skua::core {

/// What a search accepts. Two searches with equal keys accept the same tasks.
struct search_key {
  const void* group = nullptr;
  std::uint64_t isolation = 0;
  bool operator==(const search_key&) const = default;
};

class task_backlog {
 public:
  /// With order::priority, tasks can be taken by priority.
  void take_by(order own_order) noexcept { ranked_ = own_order == order::priority; }

  /// For any thread: the number of tasks; it may change at once.
  std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }

  /// For fork(), while no call is in progress on this thread.
  spin_lock& guard() noexcept { return guard_; }

  /// Owner: adds counted tasks, oldest first; all are newer than those here. Returns how many it has added: fewer when
  /// there is no memory. O(1) for a task, or by priority as task_ranks::add().
  std::size_t add(detail::task* const* tasks, std::size_t n) noexcept;

  /// Any thread: takes up to `max` of the oldest tasks, in order, if `accept(task)` accepts the oldest, and as long as
  /// `also(task, n)` accepts the n-th one after it. Returns how many. One by one O(1); by priority amortised.
  template <class Accept, class Also = any_further>
  std::size_t take_oldest(detail::task** out, std::size_t max, Accept accept, Also also = {}) {
    if (size() == 0) return 0;
    const std::lock_guard lock(guard_);  // `accept` may throw
    drop_gaps();
    if (tasks_.empty() || !accept(*tasks_.front())) return 0;
    std::size_t taken = 0;
    for (; taken < max && !tasks_.empty(); drop_gaps()) {
      if (taken != 0 && !also(*tasks_.front(), taken)) break;
      out[taken++] = tasks_.front();
      tasks_.pop_front();
      ++first_;
    }
    shrink_by(taken);
    return taken;
  }

  /// Any thread: calls `look(task)` for the oldest task, which stays. False when there is none.
  template <class Look>
  bool look_at_oldest(Look look) const {
    if (size() == 0) return false;
    const std::lock_guard lock(guard_);
    for (const detail::task* const t : tasks_)
      if (t) return look(*t);
    return false;
  }

  /// Owner: takes up to `max` of the newest tasks; out[0] is the oldest of them. Returns how many. O(taken).
  std::size_t take_newest(detail::task** out, std::size_t max) noexcept;

  /// Owner, by priority: takes the task with the greatest priority; among equals, the oldest. Null when there is none.
  /// As task_ranks::add(), amortised.
  detail::task* take_greatest() noexcept;

  /// Owner: takes the first task that `accept(task)` accepts in the owner's order. When other tasks come before it, all accepted
  /// ones are moved before them: O(tasks), but once for all of them. A search that found nothing is remembered by its
  /// key, so the next one looks at newer tasks only. Else as take_oldest() and take_greatest().
  template <class Accept>
  detail::task* take_first(order by, const search_key& key, Accept accept) {
    if (size() == 0) return nullptr;
    const std::lock_guard lock(guard_);
    if (!comes_first(by, key, accept)) return nullptr;
    return take_at(first(by));
  }

  /// Owner: as take_newest(), but only tasks that `accept(task)` accepts. O(taken), or O(tasks) as take_first().
  template <class Accept>
  std::size_t take_newest(detail::task** out, std::size_t max, const search_key& key, Accept accept) {
    if (size() == 0 || max == 0) return 0;
    const std::lock_guard lock(guard_);
    if (!comes_first(order::lifo, key, accept)) return 0;
    std::size_t taken = 0;
    do {
      out[taken++] = tasks_.back();
      tasks_.pop_back();
    } while (taken < max && newest() != none && accept(*tasks_.back()));
    std::reverse(out, out + taken);
    shrink_by(taken);
    return taken;
  }

 private:
  static std::int64_t priority_of(const detail::task& t) noexcept;
  void add_ranked(detail::task& t);
  void drop_gaps() noexcept {
    for (; gaps_ != 0 && !tasks_.front(); --gaps_, ++first_) tasks_.pop_front();
  }
  static constexpr std::size_t none = ~std::size_t{0};
  /// The index of the task of the greatest priority, or none.
  std::size_t greatest() noexcept;
  /// The index of the newest task, which is the last one then, or none.
  std::size_t newest() noexcept;
  /// The index of the task that the owner takes first, or none.
  std::size_t first(order by) noexcept;

  /// Whether an accepted task comes first in the owner's order, now.
  template <class Accept>
  bool comes_first(order by, const search_key& key, Accept accept) {
    if (favours_) favour_added(accept);
    const std::size_t at = first(by);
    if (at == none || accept(*tasks_[at])) return at != none;
    if (!any_accepted(key, accept)) return false;
    drop_taken();
    if (by == order::priority) {
      favours_ = true;
      rank_all(accept);
    } else {
      std::stable_partition(tasks_.begin(), tasks_.end(),
                            [&](const detail::task* t) { return accept(*t) == (by == order::fifo); });
    }
    return true;
  }
  /// A waiting owner asks again and again. If it looked at all tasks each time, thieves would not get the lock.
  template <class Accept>
  bool any_accepted(const search_key& key, Accept accept) {
    const std::uint64_t from = key == in_vain_for_ ? std::max(in_vain_to_, first_) : first_;
    const auto begin = tasks_.begin() + static_cast<std::ptrdiff_t>(from - first_);
    if (std::any_of(begin, tasks_.end(), [&](const detail::task* t) { return t && accept(*t); })) return true;
    in_vain_for_ = key;
    in_vain_to_ = first_ + tasks_.size();
    return false;
  }
  /// Those that were added since the last search get a second rank, if they are accepted. Without memory they keep their place.
  template <class Accept>
  void favour_added(Accept accept) {
    const std::uint64_t end = first_ + tasks_.size();
    try {
      for (; favoured_to_ < end; ++favoured_to_) {
        const detail::task* const t = favoured_to_ < first_ ? nullptr : tasks_[favoured_to_ - first_];
        if (!t || !accept(*t)) continue;
        ranks_.add({true, priority_of(*t), favoured_to_});
      }
    } catch (const std::bad_alloc&) {
    }
  }
  template <class Favoured>
  void rank_all(Favoured favoured) {
    ranks_.replace(std::min(ranks_.size(), tasks_.size()), [&](std::size_t i) {
      const detail::task& t = *tasks_[i];
      return task_rank{favoured(t), priority_of(t), i};
    });
    favoured_to_ = tasks_.size();
  }
  detail::task* take_at(std::size_t index) noexcept;
  void shrink_by(std::size_t taken) noexcept;
  void drop_taken() noexcept;
  void forget_what_was_taken() noexcept;

  mutable spin_lock guard_;
  shared<std::size_t> size_{0};
  bool ranked_ = false;
  bool favours_ = false;             // some ranks may be favoured
  std::uint64_t favoured_to_ = 0;    // the number of the first task that the last search has not seen
  std::deque<detail::task*> tasks_;  // oldest first; null where one was taken from the middle
  std::size_t gaps_ = 0;             // how many are null
  std::uint64_t first_ = 0;          // the number of tasks_[0]
  search_key in_vain_for_;           // the last search that found nothing
  std::uint64_t in_vain_to_ = 0;     // the number of the first task at which it did not look
  task_ranks ranks_;                 // by priority; also of some tasks that were taken by age
};

}  // namespace skua::core
