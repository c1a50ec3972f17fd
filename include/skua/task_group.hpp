// A task group: run any number of tasks, then wait for all of them.
//
//   skua::task_group tasks;
//   tasks.run(f, arg1, arg2);              // arguments are copied, as std::thread does
//   auto r = tasks.run_returning(g);
//   tasks.wait();
//   use(r.get());
//
// - The group's own tasks may call run() too, to any depth.
// - run() queues the task and returns; it runs no task. A queued task takes a record of 128 bytes and a pointer. Under
//   order::priority it takes 24 to 48 bytes more. A callable of more than 80 bytes also takes heap memory. Only memory limits
//   the number of queued tasks. When there is no memory, run() throws std::bad_alloc and the group is as before.
// - run() never waits. A thread that is not a worker leaves the task to the workers of the default scheduler, which take it
//   when they have no other task. So such a thread may call run() while it holds a lock that the tasks need. If the default
//   scheduler is simulated, run() enters the simulation instead. If a worker takes such a task but has no memory to queue it,
//   the worker runs it at once.
// - Exceptions: the first exception cancels the group. If several tasks throw, wait() looks at the tasks that the creator of
//   the group added, and throws the exception of the task that was added first. If none of these tasks threw, it throws the
//   exception that was thrown first. It also throws that one if an external thread created the group, or if the kernel
//   refuses membarrier(2).
// - wait() inside one of the group's own tasks throws std::logic_error, since the task would wait for its own end. This
//   includes waits inside everything that the task calls: joins, loops, other groups, other schedulers, skua::blocking. Other
//   cycles are not detected: two groups whose tasks wait for each other's group hang, and so does a task that waits for a
//   std::thread which waits for the task's group.
// - The destructor waits too, and throws what wait() would throw. If it runs because of another exception, it cancels
//   the group first and throws nothing. A group that is destroyed by one of its own tasks ends the process.
// - cancel() is cooperative: tasks that have not started never start. A running task may call skua::cancelled().
//   After wait() the group can be used again.
// - A group is neither copied nor moved. A callable, an argument or a result whose destructor may throw does not compile.
// - Cost: some nanoseconds for a task that stays on its worker. Records of tasks are reused, so such a task needs no
//   allocation, and no atomic read-modify-write. `make bench ARGS="--kernels skynet_tasks"` prints the time.
// - Lifetime: other tasks may use the group, and it may outlive the task that created it. But a group that was created
//   inside a task of another group, or inside an isolated region, must be destroyed before that task or region ends.
// - A group may outlive the scheduler in which it was created. That scheduler runs the group's queued tasks before it
//   ends. A later run() adds its task to the scheduler of the calling thread.
// - In a child of fork(), tasks of the group that were not in the calling thread's own queue do not run. The group's next
//   wait() then throws std::runtime_error. After that the group can be used again. scheduler.hpp says more.
// - Thread-safety: any thread may call run() and cancel(). Only one thread may be in wait() at a time.
// - When the group's last task ends, the thread in wait() wakes up. A suspended task continues when its worker is free
//   (scheduler_options::continuation).
// Paper: none; the form is oneTBB's task_group.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/pending.hpp>
#include <skua/detail/result.hpp>
#include <skua/detail/task.hpp>
#include <skua/join.hpp>

namespace skua {

namespace core {
struct group_work_span;
class scheduler_core;
class stack_work_span;
}  // namespace core

namespace detail {

/// While this object exists, the calling thread acts as the worker that it keeps between its calls. Empty: it keeps none.
class SKUA_API kept_context {
 public:
  kept_context();
  ~kept_context();
  kept_context(const kept_context&) = delete;
  kept_context& operator=(const kept_context&) = delete;
  explicit operator bool() const noexcept { return context_ != nullptr; }
  task_context& operator*() const noexcept { return *context_; }

 private:
  task_context* context_;
};

/// The record of a task that a thread without a worker adds to the default scheduler. The destructor gives it back unless it
/// was added.
class SKUA_API outside_record {
 public:
  /// None if the default scheduler is simulated. Throws std::bad_alloc.
  outside_record();
  ~outside_record();
  outside_record(const outside_record&) = delete;
  outside_record& operator=(const outside_record&) = delete;
  explicit operator bool() const noexcept { return record_ != nullptr; }
  task& operator*() const noexcept { return *record_; }

 private:
  friend class group_base;
  core::scheduler_core* pool_ = nullptr;
  task* record_ = nullptr;
};

class SKUA_API group_base {
 public:
  group_base();
  group_base(const group_base&) = delete;
  group_base& operator=(const group_base&) = delete;

  bool cancelled() const noexcept;
  void cancel() noexcept;

  // For the core.
  scope& own_scope() noexcept { return scope_; }
  void count(std::uint64_t tasks) noexcept;
  void finish_counted(std::uint64_t tasks) noexcept;
  void keep_exception(std::exception_ptr thrown, std::uint32_t order) noexcept;
  bool stops() const noexcept { return cancelled_.load(std::memory_order_relaxed); }

 protected:
  ~group_base();

  [[gnu::always_inline]] void push(task_context& w, task_pool& pool, task& t,
                                   std::uint8_t marks = task::plain) {
    t.group.store(this, std::memory_order_relaxed);
    t.marks = marks;
    if (&w != home_ || w.scope.load(std::memory_order_relaxed) != plain_scope_) [[unlikely]]
      prepare_foreign(w, t);
    else
      prepare_own(t);
    slot* const s = pool.own_top();
    if (pool.push_task(s, t)) [[unlikely]]
      slow_push(w, pool, s);
  }
  /// Adds the task whose callable is in the record. The calling thread has no worker, and waits for none.
  void push_from_outside(outside_record& record, std::uint8_t marks = task::plain) noexcept;
  /// `made_by` is the stack that creates the group; null for a group outside of all other groups.
  explicit group_base(task_context* made_by);
  /// Inside a task of this group, a wait in a call throws std::logic_error, and one in the destructor ends the process.
  enum class waits_in : bool { call, destructor };
  void wait_all(task_context& w, waits_in place);
  /// For a thread without a worker. It works on the tasks if a worker is free, and otherwise sleeps until they have ended.
  /// Needs no memory, unless a task made the group.
  void wait_from_outside(waits_in place);
  std::exception_ptr take_exception() noexcept;
  void reuse() noexcept;
  /// Whether a wait has nothing to do: home has added no task since the last wait, and the tasks that other threads
  /// added have ended, without an exception or a cancellation.
  bool untouched() const noexcept {
    return order_.load(std::memory_order_relaxed) == 0 && uncounted_.load(std::memory_order_relaxed) == 0 &&
           !cancelled_.load(std::memory_order_relaxed) && pending_.done();
  }

 private:
  void add_uncounted(std::uint64_t n) noexcept {
    uncounted_.store(uncounted_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void prepare_own(task& t) noexcept {
    const std::uint32_t order = order_.load(std::memory_order_relaxed);
    order_.store(order + 1, std::memory_order_relaxed);
    t.order = order;
    add_uncounted(1);
  }
  void wait_here(task_context& w);
  void run_while_there_are_tasks(task_context& w);
  bool wait_as_worker(bool& had_worker) noexcept;
  void sleep_until_done(core::scheduler_core* tasks_go_to, bool had_worker) noexcept;
  void prepare_foreign(task_context& w, task& t) noexcept;
  [[gnu::noinline]] void slow_push(task_context& w, task_pool& pool, slot* s);
  void push_exactly(task_context& w, task_pool& pool, slot* s, const void* from);
  struct owner_of_tasks;
  void push_slowly(task_context& w, task_pool& pool, slot* s);
  void take_back(task_context& w, task_pool& pool, slot* s) noexcept;
  void tell_work_span(core::stack_work_span& kept, task_pool& pool, slot* s, const void* from);
  void forget_work_span() noexcept;
  void run_own(task_context& w);
  template <bool Drawn>
  void run_own_tasks(task_context& w);
  void count_own(core::stack& self) noexcept;
  bool keeps_or_deals(task_context& w, task_pool& pool, slot* s) noexcept;
  void deal_rest(task_context& w);
  void run_newest_measured(task_context& w);
  task* make_bundle(task_context& w, std::size_t most, float ns) noexcept;
  void deal_ended(task_context& w) noexcept;
  void wait_all_of(task_context& w);
  void sleep_or_work() noexcept;
  bool is_below(const task_context* w) const noexcept;
  void refuse_own_tasks(const task_context* w, waits_in place) const;
  void lose_tasks() noexcept;
  void forget_tasks_of_parent(const task_context* w) noexcept;

  static constexpr std::size_t line = line_pair / 2;
  static constexpr std::uint32_t after_those_of_home = ~std::uint32_t{0};

  // Read by every thread that adds or runs a task of the group. Home is the stack that created the group. Tasks that
  // home adds are not counted until they become public.
  alignas(line) task_context* home_;
  scope* plain_scope_;  // tasks that home adds in this scope need no isolation or domain of their own
  scope scope_;
  std::exception_ptr thrown_;
  std::atomic<bool> cancelled_{false};
  std::atomic<int> guard_{0};
  std::uint32_t thrown_order_ = 0;
  std::atomic<std::uint32_t> process_;  // the process that made it, or first used it after a fork()
  std::atomic<core::group_work_span*> work_span_{nullptr};  // where a report is kept
  // Home writes these for every task. So they have a line of their own: beside the words that other threads read, they
  // made trees of tiny tasks slower on two workers than on one (`make bench` has such a tree, skynet_tasks).
  alignas(line) std::atomic<std::uint64_t> uncounted_{0};  // at least the private, uncounted tasks
  std::atomic<std::uint32_t> order_{0};                    // tasks that home has added since the last wait
  int depth_ = 0;                                          // number of home's nested calls of run_own
  std::uint32_t known_before_ = 0;  // idle workers that home knew before it dealt tasks; 0: it has dealt none
  // Written by every thread.
  alignas(line) pending_tasks<host_atomics> pending_;  // the counted tasks
};

/// Where run_returning's callable leaves its result.
template <class R>
struct returned {
  enum states { none, value, exception, taken };
  result_box<non_void<R>> box;
  std::exception_ptr thrown;
  std::atomic<states> state{none};  // atomic: another thread may call get() while the task runs
  ~returned() {
    if (state.load(std::memory_order_relaxed) == value) box.destroy();
  }
};

}  // namespace detail

/// A handle of the result of a task. The result is there after wait() of the task's group. Movable and copyable.
template <class R>
class task_result {
 public:
  /// The result. Throws what the task threw, or std::logic_error when it was cancelled or has not finished.
  /// A value can be taken once; the copies of a handle share it.
  R get() {
    using state = detail::returned<R>;
    if (!shared_)
      detail::refuse_use("skua: task_result::get() of a handle that was moved from and has no result");
    auto now = shared_->state.load(std::memory_order_acquire);  // partner: run_returning
    if (now == state::exception) std::rethrow_exception(shared_->thrown);
    if constexpr (std::is_void_v<R>) {
      if (now == state::value) return;
    } else {
      // Several threads may call get() of copies of the handle at the same time.
      if (now == state::value &&
          shared_->state.compare_exchange_strong(now, state::taken, std::memory_order_acquire))
        return shared_->box.take();
    }
    if (now == state::taken)
      detail::refuse_use("skua: task_result::get() for the second time; a value can be taken once");
    detail::refuse_use("skua: task_result::get() before task_group::wait(), or of a cancelled task");
  }

 private:
  explicit task_result(std::shared_ptr<detail::returned<R>> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<detail::returned<R>> shared_;
  friend class task_group;
};

class task_group : private detail::group_base {
  // The callable, without the hint that it may carry.
  template <class F>
  static decltype(auto) callable_in(F&& f) {
    if constexpr (detail::is_hinted<std::remove_cvref_t<F>>)
      return (std::forward<F>(f).callable);
    else
      return std::forward<F>(f);
  }
  template <class F>
  using callable_of = std::decay_t<decltype(callable_in(std::declval<F>()))>;
  // A task calls a copy of f with copies of its arguments.
  template <class F>
  static constexpr bool can_call = std::is_invocable_v<callable_of<F>&>;
  template <class F, class... Args>
  static constexpr bool can_call_with = std::is_invocable_v<callable_of<F>, std::decay_t<Args>...>;
  template <class F, class... Args>
  static auto bound(F&& f, Args&&... args) {
    return
        [f = std::decay_t<F>(std::forward<F>(f)),
         args = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)]() mutable -> decltype(auto) {
          return std::apply(std::move(f), std::move(args));
        };
  }

 public:
  task_group() = default;
  ~task_group() noexcept(false) {
    if (untouched()) return;
    const bool unwinding = std::uncaught_exceptions() > exceptions_at_start_;
    if (unwinding) cancel();
    std::exception_ptr thrown = wait_and_take(waits_in::destructor);
    if (thrown && !unwinding) std::rethrow_exception(std::move(thrown));
  }

  /// Runs f(args...) in parallel, on copies of both.
  template <class F>
  [[gnu::always_inline]] void run(F&& f) {
    // The two branches share no code, so that the callable goes from registers into its record.
    if constexpr (!can_call<F>)
      static_assert(can_call<F>,
                    "task_group::run(f) calls f(): f must not need an argument, also no task_context&");
    else if (task_context* w = detail::current) [[likely]]
      spawn(*w, std::forward<F>(f));
    else
      run_from_outside(std::decay_t<F>(std::forward<F>(f)));
  }
  template <class F, class... Args>
    requires(sizeof...(Args) > 0)
  void run(F&& f, Args&&... args) {
    if constexpr (!can_call_with<F, Args...>)
      static_assert(
          can_call_with<F, Args...>,
          "task_group::run(f, args...) calls f(args...) on copies: f must take them, and no task_context&");
    else if constexpr (detail::is_hinted<std::remove_cvref_t<F>>)
      run(hinted(f.hint, bound(std::forward<F>(f).callable, std::forward<Args>(args)...)));
    else
      run(bound(std::forward<F>(f), std::forward<Args>(args)...));
  }

  /// As run(), and returns a handle. Its get() returns the result after wait().
  template <class F, class... Args>
  auto run_returning(F&& f, Args&&... args)
      -> task_result<std::invoke_result_t<callable_of<F>, std::decay_t<Args>...>> {
    using result = std::invoke_result_t<callable_of<F>, std::decay_t<Args>...>;
    auto shared = std::make_shared<detail::returned<result>>();
    auto code = [shared,
                 call = bound(callable_in(std::forward<F>(f)), std::forward<Args>(args)...)]() mutable {
      SKUA_TRY {
        shared->box.emplace_from([&]() -> detail::non_void<result> { return detail::call(call); });
        shared->state.store(detail::returned<result>::value, std::memory_order_release);  // partner: get()
      }
      SKUA_CATCH {
        shared->thrown = std::current_exception();
        shared->state.store(detail::returned<result>::exception, std::memory_order_release);
        SKUA_RETHROW;
      }
    };
    if constexpr (detail::is_hinted<std::remove_cvref_t<F>>)
      run(hinted(f.hint, std::move(code)));
    else
      run(std::move(code));
    return task_result<result>(std::move(shared));
  }
  /// For one sentence instead of "no matching function".
  template <class F, class... Args>
    requires(!can_call_with<F, Args...>)
  void run_returning(F&&, Args&&...) {
    static_assert(
        can_call_with<F, Args...>,
        "task_group::run_returning(f, args...) calls f(args...) on copies: f must take them, and no "
        "task_context&");
  }

  /// Waits for all tasks added so far and for those that they add. Throws as described at the top of this file.
  void wait() {
    if (untouched()) return reuse();
    if (std::exception_ptr thrown = wait_and_take(waits_in::call)) std::rethrow_exception(std::move(thrown));
  }

  /// Tasks that have not started never start. In running tasks skua::cancelled() returns true.
  void cancel() noexcept { group_base::cancel(); }
  /// Whether this group, or one around it, was cancelled.
  bool cancelled() const noexcept { return group_base::cancelled(); }

 private:
  template <class F>
  [[gnu::always_inline]] void spawn(task_context& w, F&& f) {
    detail::task_pool& pool = *w.tasks;
    detail::task& t = pool.take_record();
    if constexpr (detail::is_hinted<std::remove_cvref_t<F>>) {
      SKUA_TRY { detail::fill_hinted(t, f.hint, std::forward<F>(f).callable); }
      SKUA_CATCH {
        pool.give_back(t);
        SKUA_RETHROW;
      }
      return push(w, pool, t, detail::task::hinted);
    } else if constexpr (std::is_nothrow_constructible_v<std::decay_t<F>, F&&> &&
                         detail::fits_inline<std::decay_t<F>>) {
      detail::fill(t, std::forward<F>(f));
    } else {
      SKUA_TRY { detail::fill(t, std::forward<F>(f)); }
      SKUA_CATCH {
        pool.give_back(t);
        SKUA_RETHROW;
      }
    }
    push(w, pool, t);
  }
  template <class F>
  [[gnu::noinline]] void run_from_outside(F f) {
    if (detail::kept_context kept; kept) return spawn(*kept, std::move(f));
    if (detail::outside_record record; record) {
      if constexpr (detail::is_hinted<F>) {
        detail::fill_hinted(*record, f.hint, std::move(f).callable);
        return push_from_outside(record, detail::task::hinted);
      } else {
        detail::fill(*record, std::move(f));
        return push_from_outside(record);
      }
    }
    auto enter = [&](task_context& w) { spawn(w, std::move(f)); };
    detail::call_outside(enter, __builtin_return_address(0));
  }
  std::exception_ptr wait_and_take(waits_in place) {
    if (task_context* w = detail::current)
      wait_all(*w, place);
    else
      wait_from_outside(place);
    std::exception_ptr thrown = take_exception();
    return thrown;
  }
  int exceptions_at_start_ = std::uncaught_exceptions();
};

/// Whether the calling task belongs to a cancelled group, at any depth. Costs a few loads. While any group of the
/// process is cancelled, it also costs a few loads for each level of nesting.
SKUA_API bool cancelled() noexcept;

}  // namespace skua
