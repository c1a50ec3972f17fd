#include "core/record/call_row.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "core/external/kept_worker.hpp"
#include "core/record/observed.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

/// About 2 us. A shorter time between two calls counts as user time of the worker.
constexpr std::uint64_t short_gap_ticks = 6'000;
/// About 200 us, as recorder::counts_last_ns: recording a row takes about two microseconds.
constexpr std::uint64_t long_row_ticks = 600'000;
/// About 1 us. A shorter call may go unmeasured.
constexpr std::uint64_t short_call_ticks = 3'000;
/// About 20 us. The hardware events of a shorter time between two calls count for the worker.
constexpr std::uint64_t long_gap_ticks = 60'000;

}  // namespace

void call_row::thread_keeps() noexcept {
  kept_ = true;
  leave_at(host_platform::ticks());
}

void call_row::call_begins(const void* from, const void* place) noexcept {
  in_call_ = true;
  waited_ = false;
  of_.worker->observer.kept_calls.add();
  if (of_.work_span) of_.work_span->called_from(from);
  measured_ = !open_ || calls_.is_to_measure(place, looks());
  if (measured_) measured_call_begins(from, place, host_platform::ticks());
}

void call_row::measured_call_begins(const void* from, const void* place, std::uint64_t now) noexcept {
  after_short_gap_ = !was_away(now);  // also where a long row has just ended
  if (open_ && !after_short_gap_) [[unlikely]]
    end_before(now);
  place_ = place;
  call_began_ = now;
  if (!open_) begin(now, from);
  count_unmeasured();
}

void call_row::call_ends() noexcept {
  in_call_ = false;
  const bool is_known = !measured_ && !waited_ && kept_ && !calls_.looked_at_since(looks());
  if (!is_known) measured_call_ends(host_platform::ticks());
}

void call_row::waits_for_thief() noexcept {
  if (in_call_ && open_ && (measured_ || !was_away(host_platform::ticks()))) waited_ = true;
}

// Also at the end of a call whose beginning was not measured, because it has turned out to be long.
void call_row::measured_call_ends(std::uint64_t now) noexcept {
  if (!measured_) count_unmeasured();
  left_ = now;
  of_.worker->observer.count_hardware_if_due(left_);
  if (measured_ && after_short_gap_ && left_ - call_began_ < short_call_ticks)
    calls_.was_short(place_, left_ - call_began_, looks());
  else if (waited_)
    calls_.was_stolen_from(looks());
  else
    calls_.was_long();
  if (kept_ && left_ - began_ < long_row_ticks) [[likely]] {
    if (of_.work_span && place_ != adding_to_group && !calls_.is_next_measured())
      of_.work_span->forks_are_not_seen();
    return;
  }
  end(left_);
  if (kept_) leave_at(left_);
}

void call_row::count_unmeasured() noexcept {
  const std::uint32_t calls = calls_.take_unmeasured();
  if (of_.work_span) of_.work_span->forks_are_seen(calls);
}

std::uint64_t call_row::looks() const noexcept { return of_.worker->observer.looks_while_kept.read(); }

bool call_row::was_away(std::uint64_t now) const noexcept {
  return now - left_ > short_gap_ticks + calls_.unmeasured() * short_call_ticks;
}

// As if the thread had left after the calls that were not measured. No activity of the worker began later. It may also have been in
// a long one of these calls, unless the own thread has looked: such a call says so at its end.
void call_row::end_before(std::uint64_t now) noexcept {
  if (calls_.unmeasured() != 0 && !calls_.looked_at_since(looks())) calls_.was_uncertain();
  left_ = std::min(now, std::max(left_ + calls_.unmeasured_ticks(), of_.worker->observer.watch.since()));
  end(left_);
  leave_at(left_);
  calls_.was_long();
}

bool call_row::thread_leaves() noexcept {
  if (!kept_) return false;
  kept_ = false;
  if (in_call_) return false;  // the call continues as any other
  if (open_) end_before(host_platform::ticks());
  return true;
}

void call_row::begin(std::uint64_t now, const void* from) noexcept {
  open_ = true;
  began_ = now;
  scheduler_core& pool = *of_.pool;
  worker_observer& observer = of_.worker->observer;
  if (pool.recorded) {
    const std::int64_t ns = host_platform::now_ns();
    pool.recorded->call_begins(ns);
    pool.recorded->external_thread_attaches(*of_.worker, ns);
  }
  observer.entered(activity::user, now);
  if (now - left_ > long_gap_ticks) observer.forget_hardware();
  if (observer.events) open_slice(of_, slice_, observe::trace_kind::call, 0);
  path_.emplace(of_, from);
}

void call_row::end(std::uint64_t at) noexcept {
  open_ = false;
  count_unmeasured();
  if (of_.work_span) of_.work_span->stop_at(at);
  path_.reset();
  if (slice_.of) close_slice(slice_, at);
  slice_.of = nullptr;
  if (recorder* const to = of_.pool->recorded.get()) to->call_ends(of_.pool->work_span->ns_at(at));
}

void call_row::leave_at(std::uint64_t at) noexcept {
  of_.worker->observer.entered(activity::asleep, at);
  if (recorder* const to = of_.pool->recorded.get())
    to->external_thread_leaves(*of_.worker, of_.pool->work_span->ns_at(at));
}

call_row* call_rows::of(stack& self) noexcept {
  if (self.row) return self.row;
  const std::lock_guard lock(guard_);
  try {
    all_.push_back(std::make_unique<call_row>(self));
    self.row = all_.back().get();
  } catch (const std::bad_alloc&) {  // then its calls are not recorded
  }
  return self.row;
}

void end_rows(const scheduler_core& pool) noexcept {
  if (!pool.rows) return;
  for (const auto& one : pool.all_workers) take_back(*one);
}

void external_thread_keeps(stack& self) noexcept {
  if (!self.pool->rows) return self.worker->observer.enters(activity::asleep);  // in virtual time
  if (call_row* const row = self.pool->rows->of(self)) row->thread_keeps();
}

}  // namespace skua::core
