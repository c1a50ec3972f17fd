#include "core/record/call_row.hpp"

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
/// About 20 us. The hardware events of a shorter time between two calls count for the worker.
constexpr std::uint64_t long_gap_ticks = 60'000;

}  // namespace

void call_row::thread_keeps() noexcept {
  kept_ = true;
  leave_at(host_platform::ticks());
}

void call_row::call_begins(const void* from) noexcept {
  const std::uint64_t now = host_platform::ticks();
  if (open_ && now - left_ > short_gap_ticks) [[unlikely]] {
    end(left_);
    leave_at(left_);
  }
  in_call_ = true;
  of_.seat->observer.kept_calls.add();
  if (!open_) [[unlikely]]
    return begin(now, from);
  if (of_.work_span) of_.work_span->called_from(from);
}

void call_row::call_ends() noexcept {
  left_ = host_platform::ticks();
  in_call_ = false;
  of_.seat->observer.count_hardware_if_due(left_);
  if (kept_ && left_ - began_ < long_row_ticks) [[likely]]
    return;
  end(left_);
  if (kept_) leave_at(left_);
}

bool call_row::thread_leaves() noexcept {
  if (!kept_) return false;
  kept_ = false;
  if (in_call_) return false;  // the call continues as any other
  if (!open_) return true;
  end(left_);
  leave_at(left_);
  return true;
}

void call_row::begin(std::uint64_t now, const void* from) noexcept {
  open_ = true;
  began_ = now;
  scheduler_core& pool = *of_.seat_pool;
  worker_observer& observer = of_.seat->observer;
  if (pool.recorded) {
    const std::int64_t ns = host_platform::now_ns();
    pool.recorded->call_begins(ns);
    pool.recorded->external_thread_attaches(*of_.seat, ns);
  }
  observer.entered(activity::user, now);
  if (now - left_ > long_gap_ticks) observer.forget_hardware();
  if (observer.events) open_slice(of_, slice_, observe::trace_kind::call, 0);
  path_.emplace(of_, from);
}

void call_row::end(std::uint64_t at) noexcept {
  open_ = false;
  if (of_.work_span) of_.work_span->stop_at(at);
  path_.reset();
  if (slice_.of) close_slice(slice_, at);
  slice_.of = nullptr;
  if (recorder* const to = of_.seat_pool->recorded.get()) to->call_ends(of_.seat_pool->work_span->ns_at(at));
}

void call_row::leave_at(std::uint64_t at) noexcept {
  of_.seat->observer.entered(activity::asleep, at);
  if (recorder* const to = of_.seat_pool->recorded.get())
    to->external_thread_leaves(*of_.seat, of_.seat_pool->work_span->ns_at(at));
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
  if (!self.seat_pool->rows) return;
  if (call_row* const row = self.seat_pool->rows->of(self)) row->thread_keeps();
}

}  // namespace skua::core
