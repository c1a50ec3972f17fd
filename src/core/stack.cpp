#include "core/stack.hpp"

#include <mutex>
#include <unordered_set>

#include "base/made_once.hpp"
#include "core/platform/process_fork.hpp"
#include "core/queue/queue_operations.hpp"

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

}  // namespace skua::core
