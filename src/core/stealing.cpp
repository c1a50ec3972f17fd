#include "core/stealing.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <skua/task_group.hpp>

#include "base/random.hpp"
#include "core/choosing/policy_chooser.hpp"
#include "core/queue/read_hints.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

bool may_take(const worker* taker, std::uint32_t bound) noexcept {
  if (bound == 0) [[likely]]
    return true;
  return taker && (bound == bound_to_domain_of(*taker) || !taker->pool->keeps_tiers());
}

bool allowed(const restriction& only, std::uint64_t isolation, bool same_group) noexcept {
  return !only.any() || (only.isolation != 0 && isolation == only.isolation) || (only.group && same_group);
}

// A stack's public join.
bool allows(const restriction& only, stack& owner, std::uint16_t index) noexcept {
  if (only.floor && owner.first_slot + index < only.floor) return false;
  const stolen_side& side = owner.side(owner.first_slot + index);
  if (!may_take(only.taker, side.bound.load(std::memory_order_relaxed))) return false;
  return allowed(only, side.isolation.load(std::memory_order_relaxed),
                 only.group && side.scope.load(std::memory_order_relaxed) == &only.group->own_scope());
}

bool may_force(const stack& s) noexcept {
  if (!s.pool->may_deal) return true;
  const std::int64_t until = s.undisturbed_until.load(std::memory_order_relaxed);
  return until == 0 || host_platform::now_ns() > until;
}

bool uncover_joins(stack& s, bool force) {
  return !s.deque && uncover<host_platform>(s, join_records{s}, force && may_force(s));
}

}  // namespace

stolen take_join(stack& victim, bool force, const restriction& only) {
  const auto accept = [&](void*, std::uint16_t index) {
    return allows(only, victim, index) && confirmed(only.confirm, victim, victim.hints);
  };
  claimed one;
  const bool taken = claim_joins(victim, &one, 1, accept) != 0 ||
                     (uncover_joins(victim, force) && claim<host_platform>(victim, &one, 1, accept) != 0);
  if (!taken) return {};
  return stolen(one.run, one.frame, &victim.side(victim.first_slot + one.index));
}

namespace {

// Up to `max` of the oldest tasks of a worker's backlog. One alone when `max` is 1, else at most half of them.
template <class Accept, class Also = any_further>
std::size_t take_from_backlog(worker& victim, detail::task** out, std::size_t max,
                              const confirmation& confirm, Accept accept, Also also = {}) {
  const std::size_t wanted = std::min(max, (victim.backlog.size() + 1) / 2);
  const auto confirmed_too = [&](const detail::task& t) {
    return accept(t) && (!confirm || confirm(hint_of_task(t)));
  };
  return victim.backlog.take_oldest(out, wanted, confirmed_too, also);
}

}  // namespace

stolen take_task(worker& victim, bool force, const restriction& only) {
  check_touch(victim);
  detail::task* oldest = nullptr;
  if (take_from_backlog(victim, &oldest, 1, only.confirm, [&](const auto& t) { return allows(only, t); }) !=
      0)
    return stolen_task(oldest);
  detail::task_pool& tasks = victim.tasks;
  const auto accept = [&](void* frame, std::uint16_t) {
    return allows(only, *static_cast<detail::task*>(frame)) && confirmed(only.confirm, tasks, victim.hints);
  };
  claimed one;
  const bool taken = claim_oldest<host_platform>(tasks, one, task_records{tasks}, force, accept);
  return taken ? stolen(one.run, one.frame, nullptr) : stolen();
}

stolen take_listed(worker& victim, const restriction& only) {
  claimed one;
  stack* from = nullptr;
  const bool taken = victim.listed.claim_from(one, from, [&](stack& s, void*, std::uint16_t index) {
    return allows(only, s, index) && confirmed(only.confirm, s, s.hints);
  });
  return taken ? stolen(one.run, one.frame, &from->side(from->first_slot + one.index)) : stolen();
}

stolen take_from(worker& victim, bool force, const restriction& only) {
  check_touch(victim);
  // Joins first: the oldest one is the largest piece of work there is. acquire: partner of attach.
  if (stack* s = victim.current.load(std::memory_order_acquire))
    if (stolen task = take_join(*s, force, only)) return task;
  if (stolen task = take_task(victim, force, only)) return task;
  return take_listed(victim, only);
}

bool allows(const restriction& only, const detail::task& t) noexcept {
  if (!may_take(only.taker, t.bound.load(std::memory_order_relaxed))) return false;
  return allowed(only, t.isolation.load(std::memory_order_relaxed),
                 t.group.load(std::memory_order_relaxed) == only.group);
}

namespace {

// Whether this worker can keep `n` more tasks, without any more memory.
bool has_room_for(worker& here, std::size_t n) noexcept {
  const auto has_slots = [&] {
    return here.tasks.last - here.tasks.own_top() >= static_cast<std::ptrdiff_t>(n);
  };
  return has_slots() || (make_room_for_tasks(here) && has_slots());
}
// The same for joins. Each also needs a record.
bool has_room_for_joins(worker& here, std::size_t n) noexcept {
  return has_room_for(here, n) && here.tasks.reserve(n);
}

// Does not show the task to workers that search or sleep: reconcile() does when the thief has moved all.
void move_here(worker& here, detail::task& t) noexcept {
  push_uncounted(here, t);
  here.view->has_moved = true;
}

// The task was counted where it was made.
bool keep_for_later(worker& here, detail::task& t) noexcept {
  if (!has_room_for(here, 1)) return false;
  move_here(here, t);
  return true;
}

// A stolen join, kept as a task that executes it.
bool keep_for_later(worker& here, void* code, void* its_frame, stolen_side& side) noexcept {
  if (!has_room_for_joins(here, 1)) return false;
  detail::task& t = here.tasks.take_record();
  detail::fill(t, [run = code, frame = its_frame, &side] {
    execute(stolen(run, frame, &side), *current_stack(), false);
  });
  t.group.store(&here.pool->held_joins, std::memory_order_relaxed);
  t.isolation.store(side.isolation.load(std::memory_order_relaxed), std::memory_order_relaxed);
  t.bound.store(side.bound.load(std::memory_order_relaxed), std::memory_order_relaxed);
  t.order = 0;
  t.marks = detail::task::isolated;
  move_here(here, t);
  return true;
}

}  // namespace

bool keep_for_later(worker& here, const stolen& task) noexcept {
  return task.side() ? keep_for_later(here, task.run(), task.frame(), *static_cast<stolen_side*>(task.side()))
                     : keep_for_later(here, *static_cast<detail::task*>(task.frame()));
}

static constexpr std::size_t max_taken = 64;

// All tasks that it takes, except the oldest, go into the own queue. So it takes no more than the queue has room for:
// without memory, one task.
stolen take_half(worker& here, worker& victim, bool force, const confirmation& confirm,
                 std::size_t max_joins) {
  check_touch(victim);
  claimed taken[max_taken];
  if (stack* s = victim.current.load(std::memory_order_acquire)) {
    // While there are regions, one at a time: the younger records may be bound to another domain.
    const auto accept = [&](void*, std::uint16_t i) {
      return here.pool->regions.load(std::memory_order_relaxed) == 0 && allows({.taker = &here}, *s, i) &&
             confirmed(confirm, *s, s->hints);
    };
    const auto also = [&](const void*, std::size_t n) { return has_room_for_joins(here, n); };
    if (const std::size_t n = claim_joins(*s, taken, max_joins, accept, also)) {
      // Newest first, so that the oldest of the rest is on top of the own pool.
      for (std::size_t i = n; --i > 0;)
        keep_for_later(here, taken[i].run, taken[i].frame, s->side(s->first_slot + taken[i].index));
      return stolen(taken[0].run, taken[0].frame, &s->side(s->first_slot + taken[0].index));
    }
  }
  const auto may_take_half = [&](const detail::task& t) {
    return here.pool->regions.load(std::memory_order_relaxed) == 0 && allows({.taker = &here}, t);
  };
  // A task of a region that has ended may still be bound to a domain.
  const auto take_too = [&](const detail::task& t, std::size_t n) {
    return t.bound.load(std::memory_order_relaxed) == 0 && has_room_for(here, n);
  };
  detail::task* older[max_taken];
  if (const std::size_t n = take_from_backlog(victim, older, max_taken, confirm, may_take_half, take_too)) {
    for (std::size_t i = n; --i > 0;) keep_for_later(here, *older[i]);
    return stolen_task(older[0]);
  }
  const auto accept = [&](void* frame, std::uint16_t) {
    return may_take_half(*static_cast<detail::task*>(frame)) &&
           confirmed(confirm, victim.tasks, victim.hints);
  };
  const auto also = [&](void* frame, std::size_t n) {
    return take_too(*static_cast<detail::task*>(frame), n);
  };
  if (const std::size_t n = claim<host_platform>(victim.tasks, taken, max_taken, accept, also)) {
    for (std::size_t i = n; --i > 0;) keep_for_later(here, *static_cast<detail::task*>(taken[i].frame));
    return stolen(taken[0].run, taken[0].frame, nullptr);
  }
  return take_from(victim, force, {.confirm = confirm, .taker = &here});
}

namespace {

/// Where workers share CPUs, a thief that takes the tasks of a long queue one by one spends its time slice on steals, while
/// the victim waits for a CPU: 16 workers on 2 CPUs took 374 ns a task of a group of 10^5, and 72 ns when they took several
/// (`bench/long_queues 100000`).
constexpr std::size_t long_queue = 256;
bool takes_several(const worker& here, const worker& victim) noexcept {
  return here.pool->options.shares_cpus && !here.pool->managed && load_of_tasks(victim) >= long_queue;
}

}  // namespace

worker_thief::worker_thief(worker& here) : here_(here), asked_(here.pool->options.workers, never_asked) {
  taken_.reserve(here.pool->options.workers + 1);
}

stolen worker_thief::reconcile(stolen answer) noexcept {
  robbed = std::nullopt;
  bool taken_now = false;
  std::erase_if(taken_, [&](const in_hand& one) {
    if (answer && one.frame == answer.frame() && one.run == answer.run()) {
      robbed = one.victim;
      return taken_now = true;
    }
    if (!one.pooled) return keep_for_later(here_, stolen(one.run, one.frame, one.side));
    put_back(*one.pooled);
    return has_moved = true;
  });
  notes_what_is_left();
  if (std::exchange(has_moved, false)) here_.pool->show_moved(here_);
  return taken_now ? std::move(answer) : take_left();
}

stolen worker_thief::take_left() noexcept {
  if (taken_.empty()) return {};
  const in_hand one = taken_.back();
  taken_.pop_back();
  notes_what_is_left();
  robbed = one.victim;
  return stolen(one.run, one.frame, one.side);
}

void worker_thief::hold(const stolen& task, worker_id victim) noexcept {
  taken_.push_back(
      {task.run(), task.frame(), task.side(), nullptr, victim});  // has_room() keeps a place for it
  notes_what_is_left();
}

// Called before a task is taken, since each taken task must be noted.
bool worker_thief::has_room() noexcept {
  if (taken_.size() + 1 < taken_.capacity()) return true;  // a place is for hold()
  try {
    taken_.reserve(2 * taken_.size());
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::size_t worker_thief::workers() const { return here_.pool->workers(); }
const placement& worker_thief::machine() const { return here_.pool->placed; }

std::size_t worker_thief::random(std::size_t bound) {
  return static_cast<std::size_t>(base::random_below(bound, here_.random_state));
}

namespace {

/// The state of other workers that a policy sees before it takes anything. A simulated machine may make these looks
/// free.
using look = scoped_charge<charge::policy_look>;

}  // namespace

std::size_t worker_thief::load(worker_id victim) const {
  const worker& v = at(victim);
  here_.observer.looked_at(victim);
  const look now;
  return load_of_queues(v) + v.listed.load();
}

namespace {

bool request_pending(worker& victim) noexcept {
  const stack* s = victim.current.load(std::memory_order_acquire);
  const auto lowered = [](const auto& q) {
    return load_of<host_platform>(q) != 0 && q.limit.load(std::memory_order_relaxed) == q.lowered;
  };
  return (s && !s->deque && lowered(*s)) || lowered(victim.tasks);
}

}  // namespace

// On a large machine a round takes long.
bool worker_thief::is_interrupted() const noexcept {
  return here_.pool->may_deal && (here_.calls.is_full() || has_ready(here_));
}

worker& worker_thief::at(worker_id victim) const {
  if (victim >= workers())
    throw bad_input("worker " + std::to_string(victim) + " cannot be stolen from; allowed: 0 to " +
                    std::to_string(workers() - 1));
  return here_.pool->at(victim);
}

bool worker_thief::by_force(worker_id victim) const noexcept {
  return force || (asked(victim) && host_platform::now_ns() - asked_[victim] > force_after_ns);
}

void worker_thief::look_for_answer(worker_id victim, bool pending) noexcept {
  if (!pending)
    asked_[victim] = never_asked;
  else if (!asked(victim))
    asked_[victim] = host_platform::now_ns();
}

// Looks where take_from would take.
peeked worker_thief::peek(worker_id victim) {
  worker& v = at(victim);
  if (&v == &here_) return std::nullopt;
  here_.observer.looked_at(victim);
  check_touch(v);
  hint seen;
  stack* const s = v.current.load(std::memory_order_acquire);  // partner: attach
  const auto look = [&](const detail::task& t) {
    seen = hint_of_task(t);
    return true;
  };
  if ((s && look_at_hint(*s, s->hints, seen)) || v.backlog.look_at_oldest(look) ||
      look_at_hint(v.tasks, v.hints, seen) ||
      v.listed.peek([&](stack& listed) { return look_at_hint(listed, listed.hints, seen); })) {
    look_for_answer(victim, false);
    return seen;
  }
  // Only private tasks are left: do as try_steal would.
  const bool forced = by_force(victim);
  if (s && uncover_joins(*s, forced) && look_at_hint(*s, s->hints, seen)) return seen;
  if (uncover<host_platform>(v.tasks, task_records{v.tasks}, forced) && look_at_hint(v.tasks, v.hints, seen))
    return seen;
  look_for_answer(victim, request_pending(v));
  return std::nullopt;
}

stolen worker_thief::try_steal(worker_id victim, amount how_much, confirmation confirm) {
  worker& v = at(victim);
  const scoped_charge<charge::probe> reads;
  if (is_interrupted()) return {};
  const bool remote = machine()[victim].domain != machine()[here_.id].domain;
  const observed_claim claims(here_);
  stolen task;
  if (&v != &here_ && has_room())
    task = how_much == amount::half  ? take_half(here_, v, by_force(victim), confirm, max_taken)
           : takes_several(here_, v) ? take_half(here_, v, by_force(victim), confirm, 1)
                                     : take_from(v, by_force(victim), {.confirm = confirm, .taker = &here_});
  const bool pending = !task && &v != &here_ && request_pending(v), same_attempt = pending && asked(victim);
  look_for_answer(victim, pending);
  if (same_attempt) return task;
  if (!task) {
    here_.observer.missed(victim, remote);
    if (&v != &here_) withdraw_if_poor(v);
    return task;
  }
  here_.observer.stole(victim, machine().distance(here_.id, victim), remote);
  taken_.push_back({task.run(), task.frame(), task.side(), nullptr, victim});
  return task;
}

domain_pool& worker_thief::pool_of(domain_id domain) const {
  if (domain >= here_.pool->domains.size())
    throw bad_input("domain " + std::to_string(domain) + " does not exist; allowed: 0 to " +
                    std::to_string(here_.pool->domains.size() - 1));
  return here_.pool->domains[domain];
}

std::size_t worker_thief::domain_cache_bytes() const {
  return here_.pool->options.machine.domain_cache_bytes();
}
std::optional<worker_id> worker_thief::announced_in(domain_id domain) const {
  pool_of(domain);
  const look now;
  const auto& announced = here_.pool->announced;
  return announced ? announced->find(domain, here_.id) : std::nullopt;
}

bool worker_thief::tiered() const { return here_.pool->regions.load(std::memory_order_relaxed) != 0; }
std::size_t worker_thief::chosen() const {
  const policy_chooser* const choices = here_.pool->choices.get();
  return choices ? choices->chosen() : 0;
}
bool worker_thief::busy(domain_id domain) const {
  const domain_pool& pool = pool_of(domain);
  const look now;
  return pool.busy();
}

stolen worker_thief::try_take(domain_id domain) {
  const domain_id mine = machine()[here_.id].domain;
  domain_pool& from = pool_of(domain);
  const bool remote = domain != mine;
  const observed_claim claims(here_);
  // A domain's pool belongs to no worker: its head stands for it.
  std::optional<worker_id> head;
  if (!machine().domain_workers(domain).empty()) head = machine().head(domain);
  const auto missed = [&]() -> stolen {
    here_.observer.missed_in_pool(head, remote);
    return {};
  };
  if (!from.any() || !has_room() || !pool_of(mine).try_hold()) return missed();
  // From its own domain the newest, which is next in the order of the recursion; from another the oldest, the largest.
  inter_task* const t = from.take(!remote);
  if (!t) {
    release_token(*here_.pool, pool_of(mine));
    return missed();
  }
  here_.observer.took_from_pool(head, remote);
  taken_.push_back({t->run, t->frame, &t->side, t, head});
  return stolen(t->run, t->frame, &t->side);
}

void worker_thief::act_on_messages() {
  if (management* const managed = here_.pool->managed.get()) managed->look_for_work(here_);
}

void worker_thief::put_back(inter_task& t) {
  t.home.push(t);  // where its join looks for it
  release_token(*here_.pool, pool_of(machine()[here_.id].domain));
}

void execute(stolen task, stack& self, bool top_level) {
  begin_task(self);
  if (!task.side()) {
    auto& t = *static_cast<detail::task*>(task.frame());
    if (!top_level) return run_task(t, self);
    run_task_and_kin(t, self);
    end_task(self);
    return;
  }
  auto& side = *static_cast<stolen_side*>(task.side());
  // The writes come first, so that the line is fetched once.
  side.floor.store(self.top.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);          // read after `runner`
  side.runner.store(&self, std::memory_order_release);  // partner: a waiter that helps where its child runs
  detail::scope* given = side.scope.load(std::memory_order_relaxed);
  detail::scope inter_scope{};
  const bool inter = side.inter;
  if (inter) {
    const domain_id here = self.worker->pool->placed[self.worker->id].domain;
    self.token = &self.worker->pool->domains[here];  // taken with the task
    inter_scope = *given;
    inter_scope.domain = bound_to_domain_of(*self.worker);
    given = &inter_scope;
  }
  {
    detail::in_scope scope(self, given);
    if (inter && given->tied()) knows_domain(self);
    const observed_task runs(self, side, task.run());
    const auto run = reinterpret_cast<detail::fork_code>(task.run());
    try {
      run(task.frame(), self);
    } catch (...) {
      side.thrown = std::current_exception();
    }
  }
  if (top_level) end_if_alone(self);
  if (inter) give_up_token(self);
  if (top_level)
    end_task(self);
  else
    fold_counters(self);
  count_leftovers(self);
  scheduler_core& pool = *self.worker->pool;
  waiter* const waiting = side.done.finish();
  if (!waiting) return;
  if (top_level && waiting->suspended && pool.options.continuation == continuation::free)
    continue_stack(self, *waiting->suspended);
  else
    wake_where_child_ended(*waiting);
}

}  // namespace skua::core
