// Which of its own group tasks a worker takes next: the newest, the oldest, or by priority. Also moves tasks between
// the worker's queue and its backlog.
#include <algorithm>
#include <array>
#include <utility>

#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

constexpr std::size_t batch = 512;

// Reads the tasks of `n` private records. Tasks of the backlog can be taken by any thread, so their groups count them.
void read_and_count(const detail::slot* from, std::size_t n, detail::task** out) noexcept {
  detail::group_base* group = nullptr;
  std::uint64_t uncounted = 0;
  for (std::size_t i = 0; i < n; ++i) {
    detail::task& t = *(out[i] = static_cast<detail::task*>(detail::task_pool::own_frame(from + i)));
    if (t.marks & detail::task::counted) continue;
    t.mark(detail::task::counted);
    detail::group_base* const its = t.group.load(std::memory_order_relaxed);
    if (its != group && uncounted != 0) group->count(std::exchange(uncounted, 0));
    group = its;
    ++uncounted;
  }
  if (uncounted != 0) group->count(uncounted);
}

// All but the newest `keep` tasks of the worker's queue go to its backlog. False when none went.
bool move_to_backlog(worker& here, std::ptrdiff_t keep) noexcept {
  return make_room<host_platform>(here.tasks, keep, [&](const detail::slot* from, const detail::slot* to) {
    const detail::slot* const oldest = from;
    for (std::array<detail::task*, batch> some; from != to;) {
      const std::size_t n = std::min<std::size_t>(batch, static_cast<std::size_t>(to - from));
      read_and_count(from, n, some.data());
      const std::size_t added = here.backlog.add(some.data(), n);
      from += added;
      if (added != n) break;  // no memory
    }
    return from - oldest;
  });
}

/// Moves tasks that `accept(task)` accepts to an end of the queue. False when there are none. O(tasks), but for many of them at
/// once: so a task costs the same however many others are queued.
template <queue_end End, class Accept>
bool gather_tasks(worker& here, Accept accept) {
  if (load_of<host_platform>(here.tasks) == 0) return false;
  const bool any = gather<End, host_platform>(here.tasks, [&](void* frame) {
                     return accept(*static_cast<const detail::task*>(frame));
                   }) != 0;
  if (here.pool->any_idle())
    publish_all<host_platform>(here.tasks, task_records{here.tasks});  // the search has made them private
  return any;
}

/// At the thieves' end, as a thief does, so that no record has to be moved.
template <class Accept>
detail::task* claim_oldest_of_queue(worker& here, Accept accept) {
  publish_all<host_platform>(here.tasks, task_records{here.tasks});
  claimed one;
  const auto accepts = [&](void* frame, std::uint16_t) { return accept(*static_cast<detail::task*>(frame)); };
  return claim<host_platform>(here.tasks, &one, 1, accepts) != 0 ? static_cast<detail::task*>(one.frame)
                                                                 : nullptr;
}

template <class Accept>
detail::task* claim_oldest(worker& here, Accept accept) {
  detail::task* oldest = nullptr;
  return here.backlog.take_oldest(&oldest, 1, accept) != 0 ? oldest : claim_oldest_of_queue(here, accept);
}

detail::task* take_oldest(worker& here) {
  if (load_of_tasks(here) == 0 && here.tasks.own_top() == here.tasks.first_slot) return nullptr;
  if (detail::task* t = claim_oldest(here, [](const detail::task&) { return true; })) return t;
  forget_stolen_tasks(here);
  return nullptr;
}

// The queue knows no priorities: its tasks go to the backlog first. Without memory some stay, and the newest is next.
detail::task* take_greatest(worker& here) {
  if (load_of<host_platform>(here.tasks) != 0) move_to_backlog(here, 0);
  if (detail::task* t = here.backlog.take_greatest()) return t;
  return pop_task(here, [](detail::task&) { return true; });
}

detail::task* take_newest(worker& here) {
  const auto any = [](detail::task&) { return true; };
  if (detail::task* t = pop_task(here, any)) return t;
  return take_tasks_back(here) ? pop_task(here, any) : nullptr;
}

/// Takes accepted tasks back from the backlog. False when there are none.
template <class Accept>
bool take_back_accepted(worker& here, const search_key& key, Accept accept) {
  if (here.backlog.size() == 0) return false;
  const auto room = [&] { return here.tasks.last - here.tasks.own_top(); };
  if (room() == 0) make_room_for_tasks(here);
  std::array<detail::task*, batch> some{};
  const std::size_t n = here.backlog.take_newest(
      some.data(), std::min(some.size(), static_cast<std::size_t>(room())), key, accept);
  push_all<host_platform>(here.tasks, some.data(), n);
  if (n != 0) here.pool->show_moved(here);
  return n != 0;
}

}  // namespace

bool make_room_for_tasks(worker& here) noexcept { return move_to_backlog(here, task_capacity_kept); }

bool take_tasks_back(worker& here) noexcept {
  if (here.tasks.own_top() != here.tasks.first_slot) return true;  // messages have brought some
  std::array<detail::task*, batch> some;
  const std::size_t n = here.backlog.take_newest(some.data(), some.size());
  // They have left the caches. Without this, the worker would wait for each of them when it runs it.
  for (std::size_t i = n; i-- > 0;) __builtin_prefetch(some[i], 1);
  push_all<host_platform>(here.tasks, some.data(), n);
  if (n == 0) return false;
  here.pool->show_moved(here);
  return true;
}

detail::task* take_own_task(worker& here) {
  switch (here.pool->options.own_order) {
    case order::fifo:
      return take_oldest(here);
    case order::priority:
      return take_greatest(here);
    case order::lifo:
      break;
  }
  return take_newest(here);
}

detail::task* take_own_task(worker& here, const restriction& only) {
  const order by = here.pool->options.own_order;
  const auto accept = [&](const detail::task& t) { return allows(only, t); };
  const search_key key{.group = only.group, .isolation = only.isolation};
  if (by == order::fifo) {
    if (detail::task* t = claim_oldest(here, accept)) return t;
    if (detail::task* t = here.backlog.take_first(by, key, accept)) return t;
    return gather_tasks<queue_end::oldest>(here, accept) ? claim_oldest_of_queue(here, accept) : nullptr;
  }
  const auto newest = [&] { return pop_task(here, accept); };
  if (by == order::priority) {
    if (load_of<host_platform>(here.tasks) != 0) move_to_backlog(here, 0);
    if (detail::task* t = here.backlog.take_first(by, key, accept)) return t;
  }
  if (detail::task* t = newest()) return t;
  const bool found = gather_tasks<queue_end::newest>(here, accept) ||
                     (by == order::lifo && take_back_accepted(here, key, accept));
  return found ? newest() : nullptr;
}

}  // namespace skua::core
