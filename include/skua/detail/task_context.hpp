// A stack's handle on the worker that runs it: the queue of its joins and the context of its tasks.
//
// Each stack (a task's, or that of a thread from outside) carries its own queue, so stacks may suspend and
// resume in any order, and a reference to it stays good over a wait. The object is never freed while
// its scheduler lives: a thief may still be looking.
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

/// What the tasks of a group or of an isolated region share; lives in the frame that opened it.
struct scope {
  group_base* group;        // whose cancellation counts; may be null
  std::uint64_t isolation;  // 0: none
  scope* outer;
  // Where levels matter (shaped.hpp): the depth of the task in its region, and from which on it is intra-domain.
  std::uint32_t level = 0, boundary = 0;
  std::uint32_t domain = 0;         // 1 + that of the intra-domain tasks
  bool of_region = false;           // on the stack of a join or of a region's entry
  core::learner* learns = nullptr;  // counts forks, which then come to it at every level

  /// Forks here make inter-domain tasks.
  bool above_boundary() const noexcept { return level < boundary; }
  /// Tasks forked here never leave the domain.
  bool tied() const noexcept { return boundary != 0 && level >= boundary; }
};

/// How a join above the boundary ended: which children have left a result, and the leftmost exception.
struct forked {
  bool first = false, second = false;
  std::exception_ptr thrown;
};

/// What is to become of a fork whose push came to the slow path.
enum class fork_way : std::uint8_t {
  plain,
  watched,  // its structure is kept: fork_work_span
  levels    // levels matter: the record is no more, and fork_levels() runs both callables
};

/// Set in a record's frame pointer when the frame is a loop_claims, which must learn that it became public.
inline constexpr std::uintptr_t loop_tag = 1;
/// The same when it is a hint_source, or with both tags a hinted_loop_share.
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

/// The running task's handle on its worker. Get it with this_worker(); never store it beyond the task.
class task_context : public detail::split_queue<detail::host_atomics> {
 public:
  task_context(const task_context&) = delete;
  task_context& operator=(const task_context&) = delete;

  // For the inlined fast paths of this library only.
  detail::task_pool* tasks = nullptr;  // the place's pool of group tasks
  core::worker* seat = nullptr;

  // The current scope and the slot at which it was entered, read by thieves under a seqlock.
  std::atomic<std::uint32_t> scope_version{0};
  std::uint32_t worker_number =
      0;  // of the worker that runs here, among those of all schedulers; for per_worker
  std::atomic<detail::scope*> scope{nullptr};
  std::atomic<detail::slot*> scope_base{nullptr};

  /// The slow half of a push; `s` is the record just pushed.
  SKUA_API void slow_push(detail::slot* s) noexcept;
  /// The same of a join's, which is called from there.
  SKUA_API detail::fork_way slow_fork(detail::slot* s, const void* from) noexcept;
  /// The same of a loop of so many positions; `watched` or `plain`.
  SKUA_API detail::fork_way slow_loop(detail::slot* s, const void* from, std::uint64_t size,
                                      std::uint32_t grain) noexcept;
  /// Runs both children as inter-domain tasks: the first here, the second where it is taken. With `siblings` the first is
  /// the join of the second one's siblings, and no task itself.
  SKUA_API detail::forked fork_levels(detail::fork_code first, void* first_frame, detail::fork_code second,
                                      void* second_frame, bool siblings);
  /// Whether inter-domain tasks mean anything to this worker's policy and machine.
  SKUA_API bool has_tiers() const noexcept;
  /// After a failed pop: true when the record at `s` is to be run by the caller after all.
  SKUA_API bool reclaim(detail::slot* s) noexcept;
  /// Waits for the thief of the record at `s`; what it threw, or null.
  SKUA_API std::exception_ptr finish(detail::slot* s) noexcept;
  SKUA_API void enter_scope(detail::scope* inner) noexcept;
  SKUA_API void leave_scope(detail::scope* outer, detail::slot* outer_base) noexcept;

 protected:
  task_context() = default;
};

namespace detail {

/// The handle of the stack that runs on this thread, or null on a thread that is no worker now.
extern SKUA_API constinit thread_local task_context* current __attribute__((tls_model("initial-exec")));

/// Enters a scope for a block.
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

/// Calls code(data) as a worker of the standard scheduler, on this thread's own stack. `from` as in call_outside.
SKUA_API void run_outside(void (*code)(void*, task_context&), void* data, const void* from);

/// Calls f(worker&), whose result is discarded, from a thread that is no worker.
template <class F>
void enter_default(F&& f, const void* from = nullptr) {
  run_outside([](void* data, task_context& w) { (*static_cast<std::remove_reference_t<F>*>(data))(w); },
              const_cast<void*>(static_cast<const void*>(&f)), from);
}

}  // namespace detail
}  // namespace skua
