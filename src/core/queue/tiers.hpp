// The inter-domain tier: one pool and one token for each domain.
//
// The pool holds inter-domain tasks that have not begun. They lie in the frames of the joins that made them and that
// wait for them, so a join can withdraw its own task. The token belongs to the one stack that runs an inter-domain task
// in the domain. A stack takes the token before it takes a task from a pool, and before such a task continues after a
// wait; it gives the token up when the task ends or waits. All of this is rare and guarded by one lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/external/vacancies.hpp"
#include "core/queue/shared_words.hpp"
#include "core/stack.hpp"

namespace skua::core {

class domain_pool;

struct inter_task {
  /// `forked_in` is the scope in which it runs, except for the domain.
  inter_task(void* code, void* its_frame, detail::scope& forked_in, domain_pool& pool) noexcept
      : run(code), frame(its_frame), home(pool) {
    side.done.reset();
    side.scope.store(&forked_in, std::memory_order_relaxed);
    side.isolation.store(forked_in.isolation, std::memory_order_relaxed);
    side.inter = true;
  }
  stolen_side side{};
  void* const run;
  void* const frame;
  domain_pool& home;  // in which it lies until it begins
  inter_task* older = nullptr;
  inter_task* newer = nullptr;
  bool pooled = false;
};

class domain_pool {
 public:
  void push(inter_task& t) noexcept;
  /// False when another worker has taken it.
  bool withdraw(inter_task& t) noexcept;
  /// The newest or the oldest, or null.
  inter_task* take(bool newest) noexcept;
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }
  /// For fork(), while no call is in progress on this thread.
  spin_lock& guard() noexcept { return guard_; }

  /// A stack holds the token.
  bool busy() const noexcept {
    return holders_.load(std::memory_order_relaxed) != 0 && !lent_.load(std::memory_order_relaxed);
  }
  bool try_hold() noexcept;
  /// An entry of the queue for the token; on the waiter's stack.
  struct queued {
    waiter* to_wake = nullptr;
    queued* next = nullptr;
  };
  /// True when `q` waits now and will hold the token when it is woken; false when it holds it at once.
  bool hold_or_queue(queued& q) noexcept;
  /// The waiter that holds the token now and must be woken, or null.
  waiter* release() noexcept;
  /// External threads that wait for a worker of this domain, and of no other.
  waiting_external_threads<host_platform> external_threads;

  bool waited_for() const noexcept { return queued_.load(std::memory_order_relaxed) != 0; }
  /// No worker of the domain runs anything, so the token's holder waits for something else: one more stack may hold it.
  waiter* lend_once_more() noexcept;
  /// An idle worker has found the whole domain idle: true when that has lasted for `ns`. `begun` counts the tasks begun
  /// there; when it has changed, the time starts anew.
  bool idle_for(std::int64_t ns, std::int64_t now, std::uint64_t begun) noexcept;

 private:
  void unlink(inter_task& t) noexcept;
  waiter* take_queued() noexcept;
  bool hold() noexcept;

  alignas(detail::line_pair) spin_lock guard_;
  shared<std::size_t> count_{0};
  shared<int> holders_{0};    // 0 or 1; more when it was lent
  shared<bool> lent_{false};  // one more stack may hold it
  shared<int> queued_{0};
  std::int64_t idle_since_ = 0;
  std::uint64_t idle_begun_ = 0;
  inter_task* oldest_ = nullptr;
  inter_task* newest_ = nullptr;
  queued* first_ = nullptr;
  queued* last_ = nullptr;
};

}  // namespace skua::core
