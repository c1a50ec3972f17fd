// What lies beside a record so that other workers can take it: whether it is a loop, the scope in which it was forked, which
// workers may take it, and its hint. It is written when the record becomes public.
#pragma once

#include <cstdint>

#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/steal_policy.hpp>

#include "core/stack.hpp"

namespace skua::core {

/// For the joins of a stack: what the queues do and write when a record of `owner` becomes public.
struct join_records {
  stack& owner;
  bool interrupt(detail::slot* s) noexcept;
  void resume(detail::slot* s) noexcept;
  void publish(detail::slot* s) noexcept;
  /// Group tasks that were pushed before these joins were forked must be counted before a thief of a join can wait for
  /// them.
  bool before_force() noexcept;
};
/// The same for the group tasks of a worker.
struct task_records {
  detail::task_pool& pool;
  counted_ahead* ahead = nullptr;  // of the stack that runs at the pool's worker, if it publishes itself
  bool interrupt(detail::slot*) noexcept { return false; }
  void resume(detail::slot*) noexcept {}
  bool before_force() noexcept { return true; }
  void publish(detail::slot* s) noexcept;
};

/// Whether the task is a loop, from which its thief takes a part.
bool is_loop(const stolen& task) noexcept;

/// The workers that may take tasks forked in this scope (stolen_side::bound).
inline std::uint32_t bound_of(const detail::scope* now) noexcept {
  if (!now || now->boundary == 0 || now->learns) return 0;
  return now->above_boundary() ? bound_to_none : now->domain;
}

/// The workers that may take the record at `s`.
std::uint32_t bound_of_record(const detail::slot* s, const detail::scope* forked_in) noexcept;

/// Publishes the tasks that lie in another worker's pool, by force or by asking that worker.
void publish_tasks_of(worker& owner, stack& self) noexcept;

}  // namespace skua::core
