// How a record leaves its owner's queue for the box of another worker (call_box.hpp). Checked by tests/model/idle_test.cpp.
#pragma once

#include <atomic>

#include "core/queue/queue_operations.hpp"

namespace skua::core {

/// Owner of `q`, holding the guard, after its push to `s`: calls `give()` if no other record of the queue is left to it. When
/// that returns true, another worker has the record. It counts as stolen then, as if it had been published, and taken at once.
template <class P, class Give>
bool hand_only_record(queue_of<P>& q, slot_of<P>* s, Give give) {
  const auto at = detail::public_range::unpack(q.range.load(std::memory_order_relaxed));
  const bool only =
      q.split.load(std::memory_order_relaxed) == s && at.first == q.index_of(s) && at.end == at.first;
  if (!only || !give()) return false;
  q.split.store(s + 1, std::memory_order_relaxed);
  update_range<P>(q, [&](detail::public_range now) {
    const std::uint16_t next = q.index_of(s + 1);
    return detail::public_range{now.version, next, next};
  });
  return true;
}

/// A record lies in the box of `called`. Partner of request_all(): this thread sees that the worker sleeps, or the worker sees
/// the record.
template <class P, class Pool, class Id>
void wake_called(Pool& pool, Id called) {
  P::light_fence();
  if (pool.idle.is_asleep(called)) pool.idle.wake(called);
}

}  // namespace skua::core
