// The slow path of fork and join, on the task_context that the fast path holds.
#include <algorithm>

#include <skua/detail/task_context.hpp>

#include "core/idle/slow_push.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

using namespace core;

namespace {

// Everything is public as soon as it is pushed, so what a thief needs is written first.
void push_to_deque(stack& self, detail::slot* s) noexcept {
  if (s >= self.last) {                            // full, as in slow_push
    self.top.store(s, std::memory_order_release);  // as in pop
    return;
  }
  count_leftovers(self);  // a thief of the record may wait for the tasks
  join_records{self}.publish(s);
  self.deque->push(self.index_of(s));
  self.worker->pool->published(*self.worker);
}

bool reclaim_from_deque(stack& self, detail::slot* s) noexcept {
  if (s >= self.last || self.deque->pop()) return true;
  self.top.store(s + 1, std::memory_order_relaxed);  // until finish()
  return false;
}

// As push_slowly() asks for it.
struct owner_of_joins {
  stack& self;

  static bool gathers(detail::slot*) noexcept { return false; }
  void opens() noexcept {
    update_announcement(self);
    rearm_joins(self);
    attend_to_messages(self);
  }
  bool has_room(detail::slot* s) noexcept {
    if (s < self.last) return true;
    self.top.store(s, std::memory_order_release);  // as in pop; the join runs its child
    return false;
  }
  bool keeps_private(detail::slot* s) noexcept { return core::keeps_private(self, s); }
  bool hands_over(detail::slot* s) noexcept { return hand_over(self, s); }
  void publishes() noexcept { publish_here(self); }
};

}  // namespace

void task_context::slow_push(detail::slot* s) noexcept {
  stack& self = static_cast<stack&>(*this);
  const observed_push publishes(self, s);
  if (self.deque) return push_to_deque(self, s);
  if (no_request<host_platform>(*this, s)) return;
  push_slowly<host_platform>(*worker->pool, *worker, *this, s, owner_of_joins{self});
}

detail::fork_way task_context::slow_fork(detail::slot* s, const void* from) noexcept {
  const detail::scope* const now = scope.load(std::memory_order_relaxed);
  if (!now || !now->above_boundary() || !worker->pool->keeps_tiers()) {
    if (!work_span) {
      slow_push(s);
      return detail::fork_way::plain;
    }
    if (!host_platform::charges_code()) [[likely]] {
      if (no_request<host_platform>(*this, s) && work_span->counts_only()) return detail::fork_way::plain;
      return work_span->fork(s, work_span->call_site(call_site_kind::join, from));
    }
    const observed_fork step(static_cast<stack&>(*this), s);
    return work_span->fork(s, work_span->call_site(call_site_kind::join, from));
  }
  const around_code kept(*this);
  // No worker may take it (join_records::publish), although a thief may have made it public by force. While a shape is being
  // learnt any worker may take it: then it is an ordinary join, and one fork is not counted.
  const bool back = pop(s) || core::reclaim<host_platform>(*this, s, stay_public::all);
  attend_to_messages(static_cast<stack&>(*this));
  return back ? detail::fork_way::levels : detail::fork_way::plain;
}

detail::fork_way task_context::slow_loop(detail::slot* s, const void* from, std::uint64_t size,
                                         std::uint32_t grain) noexcept {
  if (!work_span) {
    slow_push(s);
    return detail::fork_way::plain;
  }
  const observed_fork step(static_cast<stack&>(*this), s);
  return work_span->loop(s, site_at(call_site_kind::loop, from), size, grain);
}

bool task_context::reclaim(detail::slot* s) noexcept {
  stack& self = static_cast<stack&>(*this);
  const observed_reclaim takes_back(self, s);
  if (self.deque) return reclaim_from_deque(self, s);
  withdraw_announcement(self);
  if (const handed_record* const handed = self.handed.find(s)) {
    if (take_back(self, *handed)) return true;
    top.store(s + 1, std::memory_order_relaxed);  // until finish()
    return false;
  }
  const bool ours = core::reclaim<host_platform>(*this, s, worker->pool->stays_public(stay_public::none));
  attend_to_messages(self);
  return ours;
}

namespace {

// The wait for a stolen join. A wait in place helps at the stack that runs the child and takes only descendants of the
// awaited task (leapfrogging): no records that lay in that queue before. In an isolated region it takes only tasks of
// the region.
struct join_wait final : awaited_event {
  explicit join_wait(stolen_side& s) : side(s) {}
  bool done() override { return side.done.done(); }
  bool wait_by(waiter& w) override { return side.done.wait_by(&w); }
  stolen help(stack& self, std::int64_t waited_ns) override {
    task_context* const runner = side.runner.load(std::memory_order_acquire);
    if (isolated(self))
      if (stolen t = take_of_region(self, waited_ns, runner != nullptr)) return t;
    if (!runner || !may_help_elsewhere(*self.worker)) return {};
    const restriction only{.isolation = isolation_of(self),
                           .floor = side.floor.load(std::memory_order_relaxed),
                           .taker = self.worker};
    return take_join(static_cast<stack&>(*runner), waited_ns > force_after_ns, only);
  }
  bool lost_in_child() const override { return true; }

  // Messages may have brought back the child, or a task of the region that it waits for. A child that has not begun may
  // lie behind a long task of the worker that took it.
  static stolen take_of_region(stack& self, std::int64_t waited_ns, bool begun) {
    const restriction only{.isolation = isolation_of(self), .taker = self.worker};
    if (!begun) return take_help(self, only, waited_ns, help_from::tasks);
    return self.worker->pool->managed ? take_own_help(*self.worker, only) : stolen();
  }

  stolen_side& side;
};

/// A worker that has handed its work to others finds no other work soon. To continue another stack and come back would take
/// about as long.
constexpr std::int64_t handed_awaited_ns = 10'000;

bool ends_soon(stolen_side& side, bool handed) noexcept {
  const std::int64_t end = handed ? host_platform::now_ns() + handed_awaited_ns : 0;
  for (int i = 0; i < 64 || (handed && host_platform::now_ns() < end); ++i) {
    if (side.done.done()) return true;
    host_platform::relax();
  }
  return side.done.done();
}

}  // namespace

void core::wait_for_child(stack& self, stolen_side& side, bool handed) {
  const scoped_activity waits(self, activity::waiting);
  if (!ends_soon(side, handed)) {
    join_wait event(side);
    wait_for(self, event);
    if (is_alone(self) && !side.done.done()) [[unlikely]]
      side.thrown = lost_in_parent();
  }
  expect_thief(self);
}

std::exception_ptr task_context::finish(detail::slot* s) noexcept {
  const detail::strand_pauses pause;
  stack& self = static_cast<stack&>(*this);
  stolen_side& side = self.side(s);
  {
    const observed_child_wait waits(self, s);
    wait_for_child(self, side, self.handed.find(s) != nullptr);
  }
  std::exception_ptr thrown = std::move(side.thrown);
  side.thrown = nullptr;
  handed_has_ended(self, s);
  if (self.deque)
    top.store(s, std::memory_order_relaxed);
  else
    retire<host_platform>(*this, s);
  attend_to_messages(self);
  return thrown;
}

// A seqlock for thieves that publish by force (read_context in queue/shared_records.cpp). Records forked in the outer
// scope are stamped with it, those above `scope_base` belong to the current one.
void task_context::enter_scope(detail::scope* inner) noexcept {
  stack& self = static_cast<stack&>(*this);
  detail::scope* const outer = scope.load(std::memory_order_relaxed);
  detail::slot* const newest = std::min(top.load(std::memory_order_relaxed), last);
  for (detail::slot* s = scope_base.load(std::memory_order_relaxed); s < newest; ++s) {
    self.side(s).scope.store(outer, std::memory_order_relaxed);
    self.side(s).isolation.store(outer ? outer->isolation : 0, std::memory_order_relaxed);
    self.side(s).bound.store(bound_of_record(s, outer), std::memory_order_relaxed);
  }
  leave_scope(inner, newest);
}

void task_context::leave_scope(detail::scope* outer, detail::slot* outer_base) noexcept {
  const std::uint32_t version = scope_version.load(std::memory_order_relaxed);
  scope_version.store(version + 1, std::memory_order_relaxed);
  // release, both: a thief that reads one of them reads the odd version too, and tries again.
  scope_base.store(outer_base, std::memory_order_release);
  scope.store(outer, std::memory_order_release);
  if (outer && outer->above_boundary())
    limit.store(lowered, std::memory_order_relaxed);  // so that forks come to slow_fork
  scope_version.store(version + 2, std::memory_order_release);
}

}  // namespace skua
