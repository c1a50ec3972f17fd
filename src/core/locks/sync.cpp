// The implementation of blocking calls and isolated regions.
#include <skua/sync.hpp>

#include <exception>
#include <utility>

#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

using namespace core;

constinit thread_local const blocking_caller* core::blocking_caller_here = nullptr;

namespace detail {

namespace {

std::atomic<std::uint64_t> isolated_regions{0};

struct blocking_call {
  stack& caller;
  void (*code)(void*);
  void* data;
  std::uint64_t strand;
  completion<host_platform, waiter> ended;
  std::exception_ptr thrown;
};

void run_call(blocking_call& call, bool left_worker = false) {
  const blocking_caller here{call.caller, left_worker, blocking_caller_here};
  blocking_caller_here = &here;
  const strand_here measured(call.strand);
  try {
    call.code(call.data);
  } catch (...) {
    call.thrown = std::current_exception();
  }
  blocking_caller_here = here.outer;
}

void start_on_spare_thread(blocking_call& call) {
  call.ended.reset();
  host_platform::run_on_spare_thread(
      [](void* data) {
        auto& c = *static_cast<blocking_call*>(data);
        run_call(c);
        if (is_alone(c.caller)) end_child("the skua::blocking() call in which it was made");
        if (waiter* caller = c.ended.finish()) wake_waiter(*caller);
      },
      &call);
}

}  // namespace

void run_blocking(void (*code)(void*), void* data) {
  stack* self = current_stack();
  if (!self) return code(data);
  blocking_call call{*self, code, data, name_of_next(beginning::blocking_call), {}, nullptr};
  const strand_steps step;
  if (is_alone(*self)) {
    run_call(call);  // no other thread could use the worker
  } else if (self->external() && isolated(*self)) {
    run_call(
        call);  // keep the worker: another thread that got it might block on a lock that the region holds
  } else if (self->external()) {
    // On the calling thread, as the caller may expect; the worker's own thread takes the worker over meanwhile.
    scheduler_core& pool = *self->worker->pool;
    const int before = static_cast<int>(self->worker->id);
    leave_worker(*self, false);
    set_current(nullptr);
    run_call(call, true);
    if (is_alone(*self))
      sit_alone(*self);
    else
      take_worker_again(*self, pool, before);
  } else {
    start_on_spare_thread(call);
    completion_event event(call.ended);
    wait_for(*self, event);
  }
  if (call.thrown) std::rethrow_exception(std::move(call.thrown));
}

void run_isolated(void (*code)(void*), void* data) {
  task_context* w = current;
  if (!w) return enter_default([&](task_context&) { run_isolated(code, data); });
  std::pair called{code, data};
  const around_code kept(*w);
  scope* const outer = w->scope.load(std::memory_order_relaxed);
  scope region{nullptr, 1 + isolated_regions.fetch_add(1, std::memory_order_relaxed), outer};
  if (outer) {
    region.level = outer->level;
    region.boundary = outer->boundary;
    region.domain = outer->domain;
    region.part = outer->part;
    region.learns = outer->learns;
  }
  in_scope inside(*w, &region);
  kept.call(
      [](void* both, task_context&) {
        const auto& [call, with] = *static_cast<std::pair<void (*)(void*), void*>*>(both);
        call(with);
      },
      &called, *w);
}

}  // namespace detail
}  // namespace skua
