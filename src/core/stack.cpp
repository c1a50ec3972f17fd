// A stack, and how a scheduler gets stacks and keeps them for later.
#include "core/stack.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <unordered_set>
#include <utility>

#include "base/made_once.hpp"
#include "core/platform/process_fork.hpp"
#include "core/queue/queue_operations.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

namespace {

std::size_t bytes_of_slots() { return whole_pages((join_capacity + 1) * sizeof(detail::slot)); }
std::size_t bytes_of_sides() { return whole_pages(join_capacity * sizeof(stolen_side)); }

/// Never destroyed: a scheduler may be static.
struct existing_stacks {
  fork_safe_lock guard;
  std::unordered_set<const task_context*> addresses;
};
existing_stacks& all_stacks() {
  static constinit base::made_once<existing_stacks> all;
  return all.get();
}

}  // namespace

bool stack_exists(const task_context* at) noexcept {
  existing_stacks& all = all_stacks();
  const std::lock_guard lock(all.guard);
  return all.addresses.contains(at);
}

void forget_stacks(bool (*keep)(const stack&)) noexcept {
  existing_stacks& all = all_stacks();
  const std::lock_guard lock(all.guard);
  std::erase_if(all.addresses, [&](const task_context* s) { return !keep(static_cast<const stack&>(*s)); });
}

// [guard | stack | slots | sides]; without the first two for a thread's own stack.
stack::stack(std::size_t bytes)
    : bytes_(whole_pages(bytes)),
      mapping_(bytes_ + bytes_of_slots() + bytes_of_sides(), bytes_ ? stack_guard_bytes : 0) {
  char* const slots_at = static_cast<char*>(memory()) + bytes_;
  initialise<host_platform>(*this, reinterpret_cast<detail::slot*>(slots_at), join_capacity);
  // Fresh pages are zero, which is an empty side: no need to touch a megabyte.
  sides_ = reinterpret_cast<stolen_side*>(slots_at + bytes_of_slots());
  scope_base.store(first_slot, std::memory_order_relaxed);
  existing_stacks& all = all_stacks();
  const std::lock_guard lock(all.guard);
  all.addresses.insert(this);
}

void stack::use_deque() {
  deque = std::make_unique<joins_deque>();
  armed = first_slot;
  limit.store(first_slot, std::memory_order_relaxed);
  split.store(last + 1, std::memory_order_relaxed);
}

stack::~stack() {
  {
    existing_stacks& all = all_stacks();
    const std::lock_guard lock(all.guard);
    all.addresses.erase(this);
  }
  end_context(execution);
}

// ---- the stacks of a scheduler

namespace {

void first_arrival() {
  arrive();
  worker_loop();
}

}  // namespace

stack* scheduler_core::take_stack(worker& here) noexcept {
  stack* s = here.free_stacks;
  if (s) {
    here.free_stacks = s->next;
    --here.free_stacks_count;
  } else {
    s = take_free_stack();
    if (!s) s = make_stack();
  }
  if (s) count_stack(+1);
  return s;
}

stack* scheduler_core::take_free_stack() noexcept {
  const std::lock_guard lock(memory_mutex_);
  stack* const s = free_stacks_;
  if (s) free_stacks_ = s->next;
  return s;
}

stack* scheduler_core::make_stack() noexcept try {
  auto made = std::make_unique<stack>(options.stack_bytes);
  if (joins == queue_kind::chase_lev) made->use_deque();
  stack* const s = made.get();
  s->pool = this;
  start_context(s->execution, s->memory(), s->bytes(), &first_arrival);
  {
    std::lock_guard lock(memory_mutex_);
    all_stacks_.push_back(std::move(made));
  }
  if (work_span) work_span->add(*s);  // last: it keeps the address
  return s;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void scheduler_core::give_back_stack(worker& here, stack& s) noexcept {
  count_stack(-1);
  s.next = here.free_stacks;
  here.free_stacks = &s;
  if (++here.free_stacks_count <= max_free_stacks) return;
  // The newest ones stay: they are in this CPU's cache.
  stack* last_kept = here.free_stacks;
  for (std::size_t i = 1; i < max_free_stacks / 2; ++i) last_kept = last_kept->next;
  stack* const surplus = std::exchange(last_kept->next, nullptr);
  stack* last = surplus;
  while (last->next) last = last->next;
  here.free_stacks_count = max_free_stacks / 2;
  const std::lock_guard lock(memory_mutex_);
  last->next = free_stacks_;
  free_stacks_ = surplus;
}

stack& scheduler_core::take_external_stack(worker& here) {
  if (stack* s = std::exchange(here.spare_external_stack, nullptr)) return *s;
  {
    const std::lock_guard lock(memory_mutex_);
    if (stack* s = free_external_stacks_) {
      free_external_stacks_ = s->next;
      return *s;
    }
  }
  // Not under the lock. On a simulated machine other threads run in the meantime and would wait for the lock forever.
  auto made = std::make_unique<stack>(0);
  if (joins == queue_kind::chase_lev) made->use_deque();
  made->pool = this;
  stack& s = *made;
  {
    const std::lock_guard lock(memory_mutex_);
    all_stacks_.push_back(std::move(made));
  }
  if (work_span) work_span->add(s);
  return s;
}

void scheduler_core::give_back_external_stack(worker& here, stack& s) noexcept {
  if (!here.spare_external_stack) {
    here.spare_external_stack = &s;
    return;
  }
  std::lock_guard lock(memory_mutex_);
  s.next = free_external_stacks_;
  free_external_stacks_ = &s;
}

}  // namespace skua::core
