// Which of its own group tasks a worker takes next: the newest, the oldest, or by priority.
#include <limits>

#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

detail::task& task_at(const detail::slot* s) noexcept {
  return *static_cast<detail::task*>(s->frame.load(std::memory_order_relaxed));
}

std::int64_t priority_of(const detail::task& t) noexcept {
  if (!(t.marks & detail::task::hinted)) return 0;
  struct reader final : detail::hint_sink {
    void write(std::uint64_t kind, const void* bytes, std::size_t) noexcept override {
      if (kind == detail::hint_kind<priority>) found = static_cast<const priority*>(bytes)->value;
    }
    std::int64_t found = 0;
  } sink;
  t.hint->describe(*t.hint, sink);
  return sink.found;
}

/// The next of all queued tasks that `accept(task)` accepts. O(queued).
template <class Accept>
detail::task* take_next(worker& here, Accept accept) {
  if (load_of<host_platform>(here.tasks) == 0) return nullptr;
  const order by = here.pool->options.own_order;
  void* const frame =
      take_out<host_platform>(here.tasks, [&](detail::slot* oldest, detail::slot* top) -> detail::slot* {
        detail::slot* best = nullptr;
        std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
        for (detail::slot* s = oldest; s != top; ++s) {
          if (!accept(task_at(s))) continue;
          if (by == order::fifo) return s;
          const std::int64_t its = by == order::priority ? priority_of(task_at(s)) : 0;
          if (best && its < greatest) continue;
          if (best && its == greatest && by == order::priority)
            continue;  // equal priorities: the oldest first
          best = s;
          greatest = its;
        }
        return best;
      });
  if (here.pool->any_idle())
    publish_all<host_platform>(here.tasks, task_records{here.tasks});  // the scan has made them private
  return static_cast<detail::task*>(frame);
}

/// At the thieves' end, as a thief does, so that no record has to be moved.
template <class Accept>
detail::task* claim_oldest(worker& here, Accept accept) {
  publish_all<host_platform>(here.tasks, task_records{here.tasks});
  claimed one;
  const auto accepts = [&](void* frame, std::uint16_t) { return accept(*static_cast<detail::task*>(frame)); };
  return claim<host_platform>(here.tasks, &one, 1, accepts) != 0 ? static_cast<detail::task*>(one.frame)
                                                                 : nullptr;
}

detail::task* take_oldest(worker& here) {
  if (detail::task* t = claim_oldest(here, [](const detail::task&) { return true; })) return t;
  forget_stolen_tasks(here);
  return nullptr;
}

}  // namespace

detail::task* take_own_task(worker& here) {
  switch (here.pool->options.own_order) {
    case order::fifo:
      return here.tasks.top.load(std::memory_order_relaxed) == here.tasks.slots ? nullptr : take_oldest(here);
    case order::priority:
      return take_next(here, [](const detail::task&) { return true; });
    case order::lifo:
      break;
  }
  return pop_task(here, here.pool->any_idle(), [](detail::task&) { return true; });
}

detail::task* take_own_task(worker& here, const restriction& only) {
  const auto accept = [&](const detail::task& t) { return allows(only, t); };
  if (here.pool->options.own_order == order::fifo)
    if (detail::task* t = claim_oldest(here, accept)) return t;
  return take_next(here, accept);
}

}  // namespace skua::core
