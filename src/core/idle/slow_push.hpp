// The slow path of a push: what the owner of a queue does for idle workers when its limit was low. Joins (slow_path.cpp), group
// tasks (group.cpp) and the model tests (tests/model/idle_test.cpp) run this code. src/core/idle/sleep.md proves that no sleeper
// misses a record.
//
// P, `Pool` and `Worker` are those of idle_protocol.hpp. `Owner` has, in the order of the calls:
//   bool gathers(s)         keeps the record private for now, and comes here at the next push again
//   void opens()            opens the limit with a light fence (rearm)
//   bool has_room(s)        false when the queue is full. Then the record is not in the queue any more
//   bool keeps_private(s)   until the next request
//   bool hands_over(s)      gives the record to one worker. It counts as stolen then
//   void publishes()        makes all private records public
#pragma once

#include <atomic>

#include "core/idle/idle_protocol.hpp"
#include "core/queue/queue_operations.hpp"

namespace skua::core {

/// Owner: its next push takes the slow path too. As request(), but without the look at the limit, which other threads need.
template <class P>
void lower(queue_of<P>& queue) {
  queue.limit.store(queue.lowered, std::memory_order_relaxed);
}

/// Called by the owner of `queue` after it has opened the limit. Publishes the private records if a worker is idle. Then the
/// next push takes the slow path too, so the public part follows the top. But where workers share a CPU, a worker may count as
/// searching while another one has its CPU, and the owner would publish for nothing during a whole time slice. There the owner
/// publishes once, and the worker asks again when it runs and sees private records. The owner does the same when thieves take
/// nothing.
template <class P, class Pool, class Worker, class Publish>
void answer_request(Pool& pool, Worker& here, queue_of<P>& queue, Publish publish_private) {
  if (!pool.publishes(here)) return;
  if (!pool.answers_once(here, queue)) lower<P>(queue);
  publish_private();
  pool.published(here);
}

/// Owner of `queue` at `here`, after a push to `s` that found the limit low.
template <class P, class Pool, class Worker, class Owner>
void push_slowly(Pool& pool, Worker& here, queue_of<P>& queue, slot_of<P>* s, Owner owner) {
  if (owner.gathers(s)) {
    if (P::quietly(queue.limit).load(std::memory_order_relaxed) != queue.lowered) lower<P>(queue);
    return;
  }
  owner.opens();
  if (!owner.has_room(s) || owner.keeps_private(s)) return;
  if (owner.hands_over(s)) return lower<P>(queue);
  answer_request<P>(pool, here, queue, [&] { owner.publishes(); });
}

}  // namespace skua::core
