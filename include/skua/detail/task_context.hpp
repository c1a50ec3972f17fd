// A stack's handle on the worker that runs it: the queue of its joins and the context of its tasks.
//
// Each stack (of a task or of an external thread) has its own queue, so stacks may suspend and resume in any order, and
// a reference to the object stays valid over a wait. The object is never freed while its scheduler exists, because a
// thief may still read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include <skua/detail/export.hpp>
#include <skua/detail/split_queue.hpp>

namespace skua {

class task_context;

namespace core {
struct worker;
class stack;
class learner;
}  // namespace core

namespace detail {

class group_base;
struct task_pool;

using slot = basic_slot<host_atomics>;
using fork_code = void (*)(void* frame, task_context& runner);

/// A part of the ring of all domains, in units of 1/256 of a domain. Without a size, the policy does not spread tasks
/// (steal_policy::spreads).
struct domain_part {
  std::uint16_t begin = 0, size = 0;
};

/// State that the tasks of a group or of an isolated region share. It lies in the frame that opened the scope.
struct scope {
  group_base* group;        // the group whose cancellation applies; may be null
  std::uint64_t isolation;  // 0: none
  scope* outer;
  // In a region (shaped.hpp): the level of the task, and the boundary level from which on tasks are intra-domain.
  std::uint32_t level = 0, boundary = 0;
  std::uint16_t domain = 0;         // 1 + the domain of the intra-domain tasks
  domain_part part = {};            // above the boundary: for which domains the tasks are meant
  bool of_region = false;           // on the stack of a join or of a region's entry
  core::learner* learns = nullptr;  // counts forks; it receives the forks of all levels

  /// Whether forks here create inter-domain tasks.
  bool above_boundary() const noexcept { return level < boundary; }
  /// Whether tasks forked here never leave the domain.
  bool tied() const noexcept { return boundary != 0 && level >= boundary; }
};

/// How a join above the boundary ended: which children have left a result, and the leftmost exception.
struct forked {
  bool first = false, second = false;
  std::exception_ptr thrown;
};

/// How a fork continues after the slow path of its push.
enum class fork_way : std::uint8_t {
  plain,
  watched,  // its work and span are recorded: fork_work_span
  levels    // it is in a region: the record is removed, and fork_levels() runs both callables
};

/// Tag in a record's frame pointer: the frame is a loop_claims, which must be informed when it becomes public.
inline constexpr std::uintptr_t loop_tag = 1;
/// Tag in a record's frame pointer: the frame is a hint_source, or with both tags a hinted_loop_part.
inline constexpr std::uintptr_t hint_tag = 2;

template <class T>
T* without_tags(void* frame) noexcept {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(frame) & ~(loop_tag | hint_tag));
}
template <class T>
void* with_tags(T* frame, std::uintptr_t tags) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(frame) | tags);
}

}  // namespace detail

/// The running task's handle on its worker. A callable of run() or join() receives it as an argument. Never store it
/// beyond the task.
class task_context : public detail::split_queue<detail::host_atomics> {
 public:
  task_context(const task_context&) = delete;
  task_context& operator=(const task_context&) = delete;

  // For the inlined fast paths of this library only.
  detail::task_pool* tasks = nullptr;  // the worker's pool of group tasks
  core::worker* worker = nullptr;

  // The current scope and the slot at which it was entered, read by thieves under a seqlock.
  std::atomic<std::uint32_t> scope_version{0};
  std::uint32_t worker_number =
      0;  // of the worker that runs here, among those of all schedulers; for per_worker
  std::atomic<detail::scope*> scope{nullptr};
  std::atomic<detail::slot*> scope_base{nullptr};

  /// The slow half of a push; `s` is the record just pushed.
  SKUA_API void slow_push(detail::slot* s) noexcept;
  /// The slow half of the push of a join. `from` is the call site of the join.
  SKUA_API detail::fork_way slow_fork(detail::slot* s, const void* from) noexcept;
  /// The slow half of the push of a loop with `size` positions; returns `watched` or `plain`.
  SKUA_API detail::fork_way slow_loop(detail::slot* s, const void* from, std::uint64_t size,
                                      std::uint32_t grain) noexcept;
  /// Runs both children as inter-domain tasks: the first one here, the second one on the worker that takes it. With
  /// `siblings` not 0, the first one is the join of so many siblings of the second one, and is not a task itself.
  SKUA_API detail::forked fork_levels(detail::fork_code first, void* first_frame, detail::fork_code second,
                                      void* second_frame, unsigned siblings);
  /// Whether this worker's policy and machine support inter-domain tasks.
  SKUA_API bool has_tiers() const noexcept;
  /// After a failed pop: true when the caller must run the record at `s` after all.
  SKUA_API bool reclaim(detail::slot* s) noexcept;
  /// Waits for the thief of the record at `s`. Returns the thief's exception, or null.
  SKUA_API std::exception_ptr finish(detail::slot* s) noexcept;
  SKUA_API void enter_scope(detail::scope* inner) noexcept;
  SKUA_API void leave_scope(detail::scope* outer, detail::slot* outer_base) noexcept;

 protected:
  task_context() = default;
};

namespace detail {

/// The handle of the stack that runs on this thread, or null on a thread that is not a worker now.
extern SKUA_API constinit thread_local task_context* current __attribute__((tls_model("initial-exec")));

/// Enters a scope for the duration of a block.
class in_scope {
 public:
  in_scope(task_context& w, scope* inner)
      : worker_(w),
        outer_(w.scope.load(std::memory_order_relaxed)),
        outer_base_(w.scope_base.load(std::memory_order_relaxed)) {
    w.enter_scope(inner);
  }
  ~in_scope() { worker_.leave_scope(outer_, outer_base_); }
  in_scope(const in_scope&) = delete;
  in_scope& operator=(const in_scope&) = delete;

 private:
  task_context& worker_;
  scope* outer_;
  slot* outer_base_;
};

/// Calls code(data, worker) as a worker of the default scheduler, on this thread's own stack. `from` as in
/// call_outside.
SKUA_API void run_outside(void (*code)(void*, task_context&), void* data, const void* from);

/// Calls f(task_context&) from a thread that is not a worker, and discards the result.
template <class F>
void enter_default(F&& f, const void* from = nullptr) {
  run_outside([](void* data, task_context& w) { (*static_cast<std::remove_reference_t<F>*>(data))(w); },
              const_cast<void*>(static_cast<const void*>(&f)), from);
}

}  // namespace detail
}  // namespace skua
