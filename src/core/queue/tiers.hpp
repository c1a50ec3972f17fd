// The inter-domain tier: one pool and one token a domain.
//
// The pool holds inter-domain tasks that nobody has begun. They lie in the frames of the joins that made them, which wait
// for them, so a join can withdraw its own. The token belongs to the one stack that runs an inter-domain task in the
// domain: taken before a task is taken from a pool or goes on after a wait, given up at its end or while it waits.
// All of it is rare and under one lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/queue/spin_lock.hpp"
#include "core/stack.hpp"
#include "core/vacancies.hpp"

namespace skua::core {

class domain_pool;

struct inter_task {
  /// `forked_in` is the scope of who runs it, but for the domain.
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
  domain_pool& home;  // where it belongs
  inter_task* older = nullptr;
  inter_task* newer = nullptr;
  bool pooled = false;
};

class domain_pool {
 public:
  void push(inter_task& t) noexcept;
  /// False when somebody has taken it.
  bool withdraw(inter_task& t) noexcept;
  /// The newest or the oldest, or null.
  inter_task* take(bool newest) noexcept;
  bool any() const noexcept { return count_.load(std::memory_order_relaxed) != 0; }

  /// Somebody holds the token.
  bool busy() const noexcept {
    return holders_.load(std::memory_order_relaxed) != 0 && !lent_.load(std::memory_order_relaxed);
  }
  bool try_hold() noexcept;
  /// Who waits for the token; on the waiter's stack.
  struct queued {
    waiter* who = nullptr;
    queued* next = nullptr;
  };
  /// True when `q` waits now, and will hold the token when it is woken; false when it holds it at once.
  bool hold_or_queue(queued& q) noexcept;
  /// Whom to wake, who holds the token now; or null.
  waiter* release() noexcept;
  external_thread_count<host_platform>
      external_threads;  // threads from outside that wait for a place of this domain, and no other

  bool waited_for() const noexcept { return queued_.load(std::memory_order_relaxed) != 0; }
  /// Nobody in the domain runs anything, so the token's holder waits for something else: one more may have it.
  waiter* lend_once_more() noexcept;
  /// Somebody in the domain is idle, and finds everybody so: true when that has lasted for `ns`. `begun` counts what has
  /// begun there; another number starts the time anew.
  bool idle_for(std::int64_t ns, std::int64_t now, std::uint64_t begun) noexcept;

 private:
  void unlink(inter_task& t) noexcept;
  waiter* take_queued() noexcept;
  bool hold() noexcept;

  alignas(detail::line_pair) spin_lock guard_;
  shared<std::size_t> count_{0};
  shared<int> holders_{0};    // 0 or 1, and more where it was lent
  shared<bool> lent_{false};  // one more may have it
  shared<int> queued_{0};
  std::int64_t idle_since_ = 0;
  std::uint64_t idle_begun_ = 0;
  inter_task* oldest_ = nullptr;
  inter_task* newest_ = nullptr;
  queued* first_ = nullptr;
  queued* last_ = nullptr;
};

}  // namespace skua::core
