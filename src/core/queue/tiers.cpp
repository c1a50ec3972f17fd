#include "core/queue/tiers.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <skua/shaped.hpp>

#include "core/choosing/episode.hpp"
#include "core/dealing/dealing.hpp"
#include "core/platform/costs.hpp"
#include "core/queue/domain_parts.hpp"
#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

namespace core {

void domain_pool::push(inter_task& t) noexcept {
  const std::lock_guard lock(guard_);
  t.pooled = true;
  t.newer = nullptr;
  t.older = newest_;
  (newest_ ? newest_->newer : oldest_) = &t;
  newest_ = &t;
  count_.fetch_add(1, std::memory_order_relaxed);
}

void domain_pool::unlink(inter_task& t) noexcept {
  (t.newer ? t.newer->older : newest_) = t.older;
  (t.older ? t.older->newer : oldest_) = t.newer;
  t.pooled = false;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

bool domain_pool::withdraw(inter_task& t) noexcept {
  const std::lock_guard lock(guard_);
  const bool here = t.pooled;
  if (here) unlink(t);
  return here;
}

inter_task* domain_pool::take(bool newest) noexcept {
  if (!any()) return nullptr;
  const std::lock_guard lock(guard_);
  inter_task* const t = newest ? newest_ : oldest_;
  if (t) unlink(*t);
  return t;
}

// Under the lock.
bool domain_pool::hold() noexcept {
  if (busy()) return false;
  holders_.fetch_add(1, std::memory_order_relaxed);
  lent_.store(false, std::memory_order_relaxed);
  return true;
}

bool domain_pool::try_hold() noexcept {
  if (busy()) return false;
  const std::lock_guard lock(guard_);
  const bool held = hold();
  return held;
}

bool domain_pool::hold_or_queue(queued& q) noexcept {
  const std::lock_guard lock(guard_);
  const bool held = hold();
  if (!held) {
    (last_ ? last_->next : first_) = &q;
    last_ = &q;
    queued_.fetch_add(1, std::memory_order_relaxed);
  }
  return !held;
}

waiter* domain_pool::take_queued() noexcept {
  queued* const q = first_;
  if (!q) return nullptr;
  first_ = q->next;
  if (!first_) last_ = nullptr;
  queued_.fetch_sub(1, std::memory_order_relaxed);
  return q->to_wake;  // `q` ends with its stack
}

bool domain_pool::idle_for(std::int64_t ns, std::int64_t now, std::uint64_t begun) noexcept {
  const std::lock_guard lock(guard_);
  const bool same = idle_begun_ == begun && idle_since_ != 0;
  const bool long_enough = same && now - idle_since_ > ns;
  if (!same || long_enough) idle_since_ = now;
  idle_begun_ = begun;
  return long_enough;
}

waiter* domain_pool::release() noexcept {
  const std::lock_guard lock(guard_);
  waiter* const next = take_queued();  // the token passes directly to the next waiter
  if (!next) holders_.fetch_sub(1, std::memory_order_relaxed);
  return next;
}

waiter* domain_pool::lend_once_more() noexcept {
  const std::lock_guard lock(guard_);
  waiter* const next = take_queued();
  if (next)
    holders_.fetch_add(1, std::memory_order_relaxed);
  else
    lent_.store(any(), std::memory_order_relaxed);
  return next;
}

namespace {

struct token_wait final : awaited_event {
  explicit token_wait(domain_pool& p) : pool(p) {}
  bool done() override { return pool.try_hold(); }
  bool wait_by(waiter& w) override {
    turn.to_wake = &w;
    return pool.hold_or_queue(turn);
  }
  stolen help(stack&, std::int64_t) override { return {}; }
  domain_pool& pool;
  domain_pool::queued turn;
};

domain_pool& domain_of(const stack& s) noexcept {
  scheduler_core& pool = *s.worker->pool;
  return pool.domains[pool.placed[s.worker->id].domain];
}

// The parts of regions count only domains that have workers.
domain_id occupied_domain(const placement& placed, std::size_t index) noexcept {
  domain_id d = 0;
  while (placed.domain_workers(d).empty() || index-- != 0) ++d;
  return d;
}
detail::domain_part all_domains_from(const worker& here) noexcept {
  const placement& placed = here.pool->placed;
  std::size_t index = 0;
  for (domain_id d = 0; d < placed[here.id].domain; ++d) index += !placed.domain_workers(d).empty();
  return all_domains(index, here.pool->occupied_domains);
}

/// The pool of the domain for which a task is meant, or that of this domain.
domain_pool& pool_for(const stack& self, detail::domain_part part) noexcept {
  if (part.size == 0) return domain_of(self);
  scheduler_core& pool = *self.pool;
  return pool.domains[occupied_domain(pool.placed, domain_at(part, pool.occupied_domains))];
}

// Wakes the nearest domain's head worker that may take a task from the pools.
void wake_a_head(scheduler_core& pool, domain_id nearest) noexcept {
  for (std::size_t k = 0; k < pool.placed.domains(); ++k) {
    const auto d = static_cast<domain_id>((nearest + k) % pool.placed.domains());
    if (pool.placed.domain_workers(d).empty() || pool.domains[d].busy()) continue;
    const worker_id head = pool.placed.head(d);
    if (pool.idle.is_asleep(head) && pool.idle.wake(head)) return;
  }
}

}  // namespace

void take_token(stack& self) {
  for (;;) {
    domain_pool& mine = domain_of(self);
    if (isolated(self) || is_alone(self)) {
      // Do not wait: this thread would do nothing else meanwhile, and the holder may have to continue on it, or be missing.
      if (mine.try_hold()) self.token = &mine;
      return;
    }
    token_wait event(mine);
    if (!event.done()) wait_plainly_for(self, event);
    self.token = &mine;
    if (&domain_of(self) == &mine) return;
    give_up_token(self);  // an external thread has moved to a worker of another domain meanwhile
  }
}

void give_up_token(stack& self) noexcept {
  scheduler_core& pool = *self.pool;
  domain_pool& held = *std::exchange(self.token, nullptr);
  release_token(pool, held);
}

void release_token(scheduler_core& pool, domain_pool& held) noexcept {
  if (waiter* const next = held.release()) return wake_waiter(*next);
  host_platform::light_fence();
  if (std::ranges::any_of(pool.domains, &domain_pool::any))
    wake_a_head(pool, static_cast<domain_id>(&held - pool.domains.data()));
}

namespace {

// Far longer than any thread with work waits for a CPU, since a task on its way between two queues is invisible.
constexpr std::int64_t stuck_after_ns = 100'000'000;

}  // namespace

// The token's holder may wait for something that only other workers of its domain can do. The token must not keep those
// workers from doing it: locks and groups know nothing of tokens.
void unblock_domain(scheduler_core& pool, domain_id domain) noexcept {
  domain_pool& mine = pool.domains[domain];
  if (!mine.busy()) return;
  std::uint64_t begun = 0;
  bool idle = true;
  for (const worker_id w : pool.placed.domain_workers(domain)) {
    const worker& p = pool.at(w);
    begun += p.begun.load(std::memory_order_relaxed);
    idle &= !p.running.load(std::memory_order_relaxed) && !p.ready.any() && load_of_tasks(p) == 0;
  }
  if (!idle) begun = ~std::uint64_t{0};
  if (!mine.idle_for(stuck_after_ns, host_platform::now_ns(), begun) || !idle) return;
  if (waiter* const next = mine.lend_once_more()) wake_waiter(*next);
}

namespace {

using forking_above = scoped_charge<charge::above_boundary>;  // without the children and without waiting

std::exception_ptr run_here(task_context& w, detail::fork_code code, void* frame, detail::beginning which,
                            slotless_fork& recorded) {
  std::exception_ptr thrown;
  recorded.begins(which == detail::beginning::second_child);
  {
    const detail::strand_here strand(which);
    try {
      code(frame, w);
    } catch (...) {
      thrown = std::current_exception();
    }
  }
  recorded.ended();
  return thrown;
}

std::exception_ptr run_inside(task_context& w, detail::scope& child, detail::fork_code code, void* frame,
                              detail::beginning which, slotless_fork& recorded) {
  detail::in_scope inside(w, &child);
  if (child.tied()) knows_domain(static_cast<stack&>(w));
  return run_here(w, code, frame, which, recorded);
}

// The siblings of a task run in the scope of their parent, for which other domains are meant now. The scope itself stays as it is:
// other stacks may run in it, too.
std::exception_ptr run_siblings(task_context& w, const detail::scope* now, detail::domain_part part,
                                detail::fork_code code, void* frame, slotless_fork& recorded) {
  if (part.size == 0) return run_here(w, code, frame, detail::beginning::first_child, recorded);
  detail::scope same = *now;
  same.part = part;
  return run_inside(w, same, code, frame, detail::beginning::first_child, recorded);
}

}  // namespace

}  // namespace core

using namespace core;

detail::forked task_context::fork_levels(detail::fork_code first, void* first_frame, detail::fork_code second,
                                         void* second_frame, unsigned siblings) {
  stack& self = static_cast<stack&>(*this);
  scheduler_core& pool = *self.pool;
  detail::scope* const now = scope.load(std::memory_order_relaxed);
  const void* const from = __builtin_return_address(0);
  if (now && now->learns)
    return fork_and_learn(self, first, first_frame, second, second_frame, siblings, from);
  detail::scope child{now ? now->group : nullptr, isolation_of(self), now};
  child.level = (now ? now->level : 0) + 1;
  child.boundary = std::max(now ? now->boundary : 0, child.level);
  child.of_region = true;
  const detail::domain_part whole = now ? now->part : detail::domain_part{};
  const divided_part parts = divide(whole, siblings);
  child.part = parts.second;

  slotless_fork recorded(self, from);
  count_regions counted(pool);
  forking_above timed;
  domain_pool& home = pool_for(self, child.part);
  inter_task sibling(reinterpret_cast<void*>(second), second_frame, child, home);
  recorded.second_is(sibling.side);
  name_child(sibling.side);
  const detail::strand_steps step;
  home.push(sibling);
  host_platform::light_fence();
  wake_a_head(pool, static_cast<domain_id>(&home - pool.domains.data()));

  // Below a leaf the stack holds the domain already.
  const bool takes_token = !self.token && !(now && now->tied());
  timed.end();
  if (takes_token) take_token(self);
  detail::forked done;
  detail::scope here = child;  // the worker that takes the sibling makes its own copy
  here.domain = bound_to_domain_of(*worker);
  here.part = parts.first;
  done.thrown = siblings != 0
                    ? run_siblings(*this, now, parts.first, first, first_frame, recorded)
                    : run_inside(*this, here, first, first_frame, detail::beginning::first_child, recorded);
  done.first = !done.thrown;
  timed.begin();
  const bool not_taken = home.withdraw(sibling);
  timed.end();
  if (not_taken) {
    if (done.first) {
      here.domain = bound_to_domain_of(*worker);  // the stack may have moved
      here.part = parts.second;
      done.thrown = run_inside(*this, here, second, second_frame, detail::beginning::second_child, recorded);
      done.second = !done.thrown;
    }
  } else {
    const bool gives_up = self.token && child.isolation == 0;
    if (gives_up) give_up_token(self);
    wait_for_child(self, sibling.side);
    recorded.second_was_taken();
    if (gives_up && !takes_token) take_token(self);
    done.second = !sibling.side.thrown;
    if (!done.thrown) done.thrown = std::move(sibling.side.thrown);
  }
  if (takes_token && self.token) give_up_token(self);
  return done;
}

bool task_context::has_tiers() const noexcept {
  const scheduler_core& pool = *worker->pool;
  return pool.occupied_domains > 1 && worker->policy->has_tiers();
}

namespace detail {

void run_shaped(task_context& w, const region_shape& shape, void (*code)(void*, task_context&), void* data) {
  stack& self = static_cast<stack&>(w);
  const auto measured =
      core::episode::of_region(w, place_of_code(reinterpret_cast<const void*>(code)), shape);
  scope* const outer = w.scope.load(std::memory_order_relaxed);
  const bool nested = outer && outer->tied();
  const std::uint32_t boundary =
      nested || !w.has_tiers()
          ? 0
          : shape.boundary_level.value_or(w.worker->policy->boundary_level(*w.worker->view, shape));
  if (boundary == 0) return code(data, w);
  const around_code kept(w);
  scope region{outer ? outer->group : nullptr, isolation_of(w), outer};
  region.of_region = true;
  region.level = 1;
  region.boundary = boundary;
  const struct knows_all_at_end {
    stack& s;
    ~knows_all_at_end() { knows_all_again(s); }  // unless it is in another region
  } afterwards{self};
  count_regions counted(*self.pool);
  const bool takes_token = !self.token;
  if (takes_token) take_token(self);
  region.domain = bound_to_domain_of(*w.worker);
  if (w.worker->policy->spreads()) region.part = all_domains_from(*w.worker);
  if (region.tied()) knows_domain(self);
  struct give_back {
    stack& s;
    bool taken;
    ~give_back() {
      if (taken && s.token) give_up_token(s);
    }
  } at_end{self, takes_token};
  in_scope inside(w, &region);
  kept.call(code, data, w);
}

}  // namespace detail
}  // namespace skua
