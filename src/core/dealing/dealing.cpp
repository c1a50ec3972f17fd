#include "core/dealing/dealing.hpp"

#include <algorithm>
#include <utility>

#include "core/dealing/hand_record.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// How long a worker that found no idle worker waits before it assumes again that all are idle.
constexpr std::int64_t ask_again_ns = 20'000;

/// Not the smaller half, as in programs that halve n into n / 2 and n - n / 2.
std::uint32_t second_half(std::uint32_t known) noexcept { return known - known / 2; }

/// The worker to which one that knows `known` workers hands a record with the last `given` of them.
worker_id next_of(const scheduler_core& pool, worker_id from, std::uint32_t known,
                  std::uint32_t given) noexcept {
  return (from + known - given) % static_cast<std::uint32_t>(pool.workers());
}

/// This worker and those of its domain that follow it.
std::uint32_t domain_from(const worker& here) noexcept {
  const placement& placed = here.pool->placed;
  const domain_id mine = placed[here.id].domain;
  worker_id end = here.id + 1;
  while (end < here.pool->workers() && placed[end].domain == mine) ++end;
  return end - here.id;
}

/// A record that is bound to a domain may go to those that follow `here` in this domain, and to no others (`tied`). Beside a region
/// only such records are handed over.
bool may_hand_over(const worker& here, std::uint32_t bound, bool tied) noexcept {
  return bound == 0 ? here.pool->deals() : tied && bound == bound_to_domain_of(here);
}

/// The join of the record has ended. The stack may have continued on another worker, which has other neighbours.
void knows_again(worker& here, const handed_record& record) noexcept {
  if (record.from == here.id || record.before == here.pool->workers()) here.dealing.known = record.before;
}

}  // namespace

std::optional<worker_id> put_at_known(scheduler_core& pool, handed_record& record, std::uint32_t& known,
                                      std::uint32_t given, bool may_wake) noexcept {
  constexpr int most_tries = 3;
  const worker_id from = record.from;
  for (int tries = 0; known > 1 && tries < most_tries; ++tries) {
    const worker_id to = next_of(pool, from, known, given);
    if (!may_wake && pool.idle.is_asleep(to)) return std::nullopt;
    record.given = given;
    record.to = to;
    known -= given;
    if (pool.at(to).calls.put(record)) return to;
    given = std::min(given, second_half(known));
  }
  known = 1;
  return std::nullopt;
}

handed_record* handed_records::find(const detail::slot* s) noexcept {
  if (count_ == 0) return nullptr;
  handed_record& newest = records_[count_ - 1];
  return detail::host_atomics::quietly(newest.slot).load(std::memory_order_relaxed) == s ? &newest : nullptr;
}

bool next_sleeps(const worker& here, std::uint32_t gives) noexcept {
  const std::uint32_t known = here.dealing.known;
  if (gives == 0) gives = second_half(known);
  return here.pool->idle.is_asleep(next_of(*here.pool, here.id, known, gives));
}

bool hand_over(stack& self, detail::slot* s) noexcept {
  worker& here = *self.worker;
  scheduler_core& pool = *here.pool;
  const bool may_wake = std::exchange(here.dealing.next_may_wake, false);
  std::uint32_t gives = std::exchange(here.dealing.next_gives, 0);
  const detail::scope* const now = self.scope.load(std::memory_order_relaxed);
  const bool tied = now && now->tied();
  if (tied) here.dealing.known = std::min(here.dealing.known, domain_from(here));
  if (here.dealing.known <= 1) return false;
  if (gives >= here.dealing.known) gives = 0;
  if (!may_wake && next_sleeps(here, gives)) return false;            // before anything is prepared for it
  const std::uint32_t before = std::exchange(here.dealing.known, 1);  // none, unless it finds an idle one
  if (!pool.deals_in_domains() || !self.handed.has_room()) return false;
  guard_lock<host_platform> lock(self);
  std::optional<worker_id> called;
  const bool given = hand_only_record<host_platform>(self, s, [&] {
    handed_record& record = self.handed.next();
    record.before = here.dealing.known = before;
    record.from = here.id;
    record.side = &self.side(s);
    record.slot.store(s, std::memory_order_relaxed);
    count_leftovers(self);  // the worker that runs the record may wait for the tasks
    join_records{self}.publish(s);
    if (!may_hand_over(here, record.side->bound.load(std::memory_order_relaxed), tied)) return false;
    called =
        put_at_known(pool, record, here.dealing.known, gives != 0 ? gives : second_half(before), may_wake);
    return called.has_value();
  });
  if (!given) return false;
  self.handed.add();
  wake_called<host_platform>(pool, *called);
  return true;
}

bool keeps_private(stack& self, const detail::slot* s) noexcept {
  worker& here = *self.worker;
  return std::exchange(here.dealing.next_is_small, false) &&
         detail::host_atomics::quietly(self.split).load(std::memory_order_relaxed) == s &&
         all_public<host_platform>(here.tasks) && searcher_takes_by_force(*here.pool);
}

bool take_back(stack& self, const handed_record& record) noexcept {
  // relaxed: a guess, which spares the line of the box. The box decides.
  if (record.side->runner.load(std::memory_order_relaxed) != nullptr ||
      !self.worker->pool->at(record.to).calls.take_back(record))
    return false;
  retire<host_platform>(self, record.slot.load(std::memory_order_relaxed));
  knows_again(*self.worker, record);
  self.handed.remove_newest();
  return true;
}

void handed_has_ended(stack& self, const detail::slot* s) noexcept {
  worker& here = *self.worker;
  if (handed_record* const record = self.handed.find(s)) {
    knows_again(here, *record);
    self.handed.remove_newest();
    return;
  }
  may_know_again(here);
}

void may_know_again(worker& here) noexcept {
  if (here.dealing.known > 1 || !here.pool->deals()) return;
  const std::int64_t now = host_platform::now_ns();
  if (now - here.dealing.asked_ns < ask_again_ns) return;
  here.dealing.asked_ns = now;
  knows_all(here);
}

void knows_all(worker& here) noexcept {
  if (!here.pool->may_deal) return;
  here.dealing.known = static_cast<std::uint32_t>(here.pool->workers());
  here.dealing.deals_for = nullptr;  // it may be of a group that was waited for elsewhere
}

void knows_domain(stack& self) noexcept {
  worker& here = *self.worker;
  if (!here.pool->deals_in_domains()) return;
  here.dealing.known = domain_from(here);
  request<host_platform>(self);
}

void knows_all_again(stack& self) noexcept {
  worker& here = *self.worker;
  // A group that is being filled knows better.
  if (here.dealing.gathers_for || here.dealing.deals_for || !here.pool->deals()) return;
  knows_all(here);
  request<host_platform>(self);  // as at the beginning of any task (queues_of_stack)
  request<host_platform>(*self.tasks);
}

// ---- a record that was handed over

namespace {

stolen task_of(const handed_record& handed) noexcept {
  if (handed.task) return stolen_task(handed.task);
  const detail::slot* const s = handed.slot.load(std::memory_order_relaxed);
  return stolen(s->run.load(std::memory_order_relaxed), s->frame.load(std::memory_order_relaxed),
                handed.side);
}

}  // namespace

stolen take_handed(worker& here, const handed_record& handed) noexcept {
  const placement& placed = here.pool->placed;
  here.observer.stole(handed.from, placed.distance(here.id, handed.from),
                      placed[handed.from].domain != placed[here.id].domain);
  return task_of(handed);
}

// Counts no steal, as for what comes along with a stolen task.
void keep_handed(worker& here, const handed_record& handed) noexcept {
  const stolen task = task_of(handed);
  if (!keep_for_later(here, task)) return here.view->hold(task, handed.from);
  here.pool->show_moved(here);
}

void keep_what_was_handed(worker& here) noexcept {
  if (handed_record* const handed = here.calls.close()) keep_handed(here, *handed);
}

}  // namespace skua::core
