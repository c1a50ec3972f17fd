// The implementation of skua::mutex, blocking calls and isolated regions.
#include <skua/sync.hpp>

#include <exception>
#include <utility>

#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

using namespace core;

struct mutex::waiting_task {
  waiter* to_wake;
  waiting_task* next;
};

struct mutex::lock_request {
  mutex* of;
  waiting_task* node;
  bool acquired = false;  // false: the waiter was woken to try again
};

void mutex::lock_list() noexcept {
  while (guard_.exchange(1, std::memory_order_acquire)) host_platform::relax();
}

struct mutex::lock_event final : awaited_event {
  lock_event(mutex& m, bool (*e)(void*, void*), lock_request& r) : wanted(m), enqueue(e), request(r) {}
  bool done() override { return request.acquired = wanted.try_lock(); }
  stolen help(stack&, std::int64_t) override { return {}; }
  bool wait_by(waiter& w) override { return enqueue(&request, &w); }
  mutex& wanted;
  bool (*enqueue)(void*, void*);
  lock_request& request;
};

// False when the mutex was free and the caller has acquired it.
bool mutex::enqueue(void* request, void* to_wake) {
  auto& r = *static_cast<lock_request*>(request);
  waiting_task& node = *r.node;
  mutex& m = *r.of;
  node.to_wake = static_cast<waiter*>(to_wake);
  node.next = nullptr;
  m.lock_list();
  // seq_cst: partner of unlock(), which frees the mutex and then looks for waiters. One of the two sees the other.
  m.waiting_.fetch_add(1, std::memory_order_seq_cst);
  bool free = false;
  if (m.locked_.compare_exchange_strong(free, true, std::memory_order_seq_cst, std::memory_order_seq_cst)) {
    m.waiting_.fetch_sub(1, std::memory_order_relaxed);
    m.unlock_list();
    r.acquired = true;
    return false;
  }
  (m.last_ ? m.last_->next : m.first_) = &node;
  m.last_ = &node;
  m.unlock_list();
  return true;
}

void mutex::lock_slowly() {
  const detail::strand_pauses pause;
  for (int i = 0; i < 64; ++i) {
    if (!locked_.load(std::memory_order_relaxed) && waiting_.load(std::memory_order_relaxed) == 0 &&
        try_lock())
      return;
    host_platform::relax();
  }
  waiting_task node{};
  for (lock_request request{this, &node}; !request.acquired;) wait_in_line(request);
}

void mutex::wait_in_line(lock_request& request) {
  stack* self = current_stack();
  if (self) {
    lock_event event(*this, &enqueue, request);
    wait_for(*self, event);
  } else {
    waiter w;
    if (enqueue(&request, &w))
      while (w.woken.load(std::memory_order_acquire) == 0) host_platform::park(w.woken, 0, -1);
  }
}

// The first waiter is woken to try again; the mutex is not handed over. It may take long until that waiter can run, and
// tasks that run now would have to wait for it.
void mutex::unlock() {
  locked_.store(false, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const detail::strand_pauses pause;
  lock_list();
  waiting_task* const next = first_;
  if (next) {
    first_ = next->next;
    if (!first_) last_ = nullptr;
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }
  waiter* const to_wake = next ? next->to_wake : nullptr;  // the node ends with its stack
  unlock_list();
  if (to_wake) wake_waiter(*to_wake);
}

namespace detail {

namespace {

std::atomic<std::uint64_t> isolated_regions{0};

struct blocking_call {
  void (*code)(void*);
  void* data;
  std::uint64_t strand;
  completion<host_platform, waiter> ended;
  std::exception_ptr thrown;
};

void run_call(blocking_call& call) {
  const strand_here measured(call.strand);
  try {
    call.code(call.data);
  } catch (...) {
    call.thrown = std::current_exception();
  }
}

void start_on_spare_thread(blocking_call& call) {
  call.ended.reset();
  host_platform::run_on_spare_thread(
      [](void* data) {
        auto& c = *static_cast<blocking_call*>(data);
        run_call(c);
        if (waiter* caller = c.ended.finish()) wake_waiter(*caller);
      },
      &call);
}

}  // namespace

void run_blocking(void (*code)(void*), void* data) {
  stack* self = current_stack();
  if (!self) return code(data);
  blocking_call call{code, data, name_of_next(beginning::blocking_call), {}, nullptr};
  const strand_steps step;
  if (self->external() && isolated(*self)) {
    run_call(
        call);  // keep the worker: another thread that got it might block on a lock that the region holds
  } else if (self->external()) {
    // On the calling thread, as the caller may expect; the worker's own thread takes the worker over meanwhile.
    scheduler_core& pool = *self->seat->pool;
    const int before = static_cast<int>(self->seat->id);
    leave_worker(*self, false);
    set_current(nullptr);
    run_call(call);
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
