#include "core/record/observer.hpp"

#include <algorithm>

#include "core/platform/symbols.hpp"
#include "core/record/call_row.hpp"
#include "core/record/observed.hpp"

namespace skua::core {

namespace {

// All that a search does between two tasks is one slice of a trace.
observe::trace_state drawn(activity what) noexcept {
  switch (what) {
    case activity::asleep:
      return observe::trace_state::asleep;
    case activity::looking:
    case activity::claiming:
    case activity::taking:
    case activity::waiting:
      return observe::trace_state::searching;
    default:
      return observe::trace_state::busy;
  }
}

// The counters of two CPUs may differ a little.
std::uint64_t between(std::uint64_t from, std::uint64_t to) noexcept { return to - std::min(to, from); }

}  // namespace

void worker_observer::draw_change(activity next, std::uint64_t now) noexcept {
  if (drawn(next) != drawn(watch.does()))
    events->add({now, static_cast<std::uint64_t>(drawn(next)), observe::trace_kind::state});
}

void worker_observer::count_hardware(activity next, std::uint64_t now) noexcept {
  observe::hardware_log& hardware = log->hardware;
  if (!hardware.did(watch.does(), between(watch.since(), now), next, now)) return;
  observe::hardware_reading reading;
  const std::uint64_t thread = host_platform::read_hardware(reading);
  hardware.take(thread, reading, now);
}

void worker_observer::change_activity(activity what) noexcept {
  const std::uint64_t now = host_platform::ticks();
  watch.begin_if_due([&] {
    if (log) log->timeline.clear(watch.begin_at());
  });
  if (log) {
    log->timeline.passed(watch.does(), watch.since(), now);
    if (log->hardware.on()) count_hardware(what, now);
  }
  if (events) draw_change(what, now);
  watch.to(what, now);
}

void worker_observer::entered(activity what, std::uint64_t at) noexcept {
  watch.begin_if_due([&] {
    if (log) log->timeline.clear(watch.begin_at());
  });
  if (log) {
    log->timeline.passed(watch.does(), watch.since(), at);
    if (log->hardware.on())
      static_cast<void>(log->hardware.did(watch.does(), between(watch.since(), at), what, at));
  }
  if (events) draw_change(what, at);
  watch.to(what, at);
}

// The latency counts from the last restart.
void worker_observer::keep_search_times(bool found) noexcept {
  const std::uint64_t now = host_platform::ticks();
  log->search_time.add(between(search_began_, now));
  if (!found) return;
  log->steal_latency.add(between(restarted_, now));
  log->steal_duration.add(between(asked_, now));
}

// Mostly of workers without a task, so it converts only what counts.
void passed_in_library(std::uint64_t cycles, double ghz) noexcept {
  const task_context* const self = detail::current;
  if (!self || !self->worker) return;
  worker_observer& observer = self->worker->observer;
  if (observer.watch.on() && observer.watch.does() == activity::user)
    observer.library_in_tasks_ps.add(static_cast<std::uint64_t>(static_cast<double>(cycles) * 1000 / ghz));
}

void count_declared(const stack& self, std::uint64_t bytes) noexcept {
  if (self.account) self.account->bytes.add(bytes);
  if (self.worker && self.worker->observer.log) self.worker->observer.log->declared.add(bytes);
}

void observed_loot::begin(stack& self, std::optional<worker_id> victim) noexcept {
  self_ = &self;
  here_ = self.worker;
  self.account = victim ? &here_->observer.log->with(*victim) : nullptr;
  began_ = host_platform::ticks();
  begun_before_ = tasks_begun(*here_);
}

// Only a task that ran without a pause has a size.
void observed_loot::end() noexcept {
  self_->account = nullptr;
  if (self_->worker != here_ || tasks_begun(*here_) != begun_before_ + 1) return;  // others ran meanwhile
  here_->observer.log->task_size.add(between(began_, host_platform::ticks()));
}

void observed_lock::begin(const void* from) noexcept {
  find_callers(from, where_);
  began_ = host_platform::ticks();
}

void observed_lock::end() noexcept {
  const stack* const self = current_stack();
  if (!self || !self->worker->observer.log) return;
  const std::uint64_t now = host_platform::ticks(), left = left_ != 0 ? left_ : now;
  self->worker->observer.log->locks.add(where_, between(began_, left), between(left, now), left_ != 0);
}

void external_thread_attached(const stack& self) noexcept {
  if (recorder* const to = self.pool->recorded.get())
    to->external_thread_attaches(*self.worker, host_platform::now_ns());
}

void external_thread_leaves(const stack& self) noexcept {
  if (self.row && self.row->thread_leaves()) return;
  if (recorder* const to = self.pool->recorded.get())
    to->external_thread_leaves(*self.worker, host_platform::now_ns());
  interrupt_slices(self);
}

void external_thread_returned(const stack& self) noexcept {
  external_thread_attached(self);
  resume_slices(self);
}

}  // namespace skua::core
