#include "core/queue/inbox.hpp"

#include <mutex>

#include "core/idle_protocol.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

detail::task& inbox::take_record() {
  {
    const std::lock_guard lock(guard_);
    if (detail::task* const t = free_) {
      free_ = t->next;
      return *t;
    }
  }
  detail::task* const batch = of_.take_batch();  // not under the lock: it may allocate
  if (detail::task* rest = batch->next) {
    detail::task* last = rest;
    while (last->next) last = last->next;
    const std::lock_guard lock(guard_);
    last->next = free_;
    free_ = rest;
  }
  return *batch;
}

void inbox::give_back(detail::task& unused) noexcept {
  const std::lock_guard lock(guard_);
  unused.next = free_;
  free_ = &unused;
}

namespace {

// As group_base::push_slowly, for a task that cannot be given back: if the queue is full and there is no memory, the
// task runs at once.
void push_arrived(stack& self, detail::task& t) {
  worker& here = *self.seat;
  detail::task_pool& queue = here.tasks;
  detail::slot* const s = queue.own_top();
  if (!queue.push_task(s, t)) return;
  rearm<host_platform>(queue);
  const bool full = s >= queue.last && !make_room_for_tasks(here);
  attend_to_messages(self);
  if (full) {
    queue.top.store(s, std::memory_order_release);  // as in pop
    return run_task(t, self);
  }
  answer_request(*here.pool, here, queue, [&] { publish_all<host_platform>(queue, task_records{queue}); });
}

}  // namespace

bool take_from_inbox(stack& self, scheduler_core& of) {
  if (!of.any_arrived() ||
      !of.arrived.take_all(of.options.own_order, [&](detail::task& t) { push_arrived(self, t); }))
    return false;
  self.seat->pool->show_moved(*self.seat);
  return true;
}

}  // namespace skua::core
