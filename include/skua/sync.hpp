// Waiting for something other than a task: a mutex for tasks, calls that block, isolated regions, and one value
// for each worker.
//
//   skua::mutex m;
//   { std::lock_guard lock(m); list.push_back(x); }          // waiting suspends the task, not the worker
//   auto line = skua::blocking([&] { return read_line(socket); });   // the worker continues with other tasks
//   skua::isolate([&] { std::lock_guard lock(std_mutex); parallel_sort(v.begin(), v.end()); });
//   skua::per_worker<long> counts;  counts.local() += 1;  long n = counts.combine(0L, std::plus<>{});
//
// Cost: given at each entity below.
// Throws: blocking and isolate throw what their callable throws; per_worker throws std::bad_alloc and what making or
// combining a T throws.
// Thread-safety: any thread may use all of it, whether it is a worker or not, except where an entity says otherwise.
//
// Condition variables, semaphores, latches and barriers are those of the standard library. Their waits block the thread, so
// call them inside skua::blocking:
//   skua::blocking([&] { permits.acquire(); });
//   skua::blocking([&] { std::unique_lock lock(m); changed.wait(lock, ready); value = take(); });
// - Lock, wait and unlock inside one such call. After the call the task continues only when its worker is free. Until then, a
//   mutex that is still locked stays locked, and a permit of a semaphore stays taken.
// - The standard library decides which waiter continues first. A waiter is not delayed because the worker of another one is
//   busy.
// - std::condition_variable_any also accepts a skua::mutex. Outside of skua::blocking, its wait blocks the worker until it is
//   notified, and then waits for the mutex as lock() does.
// Paper: suspended waits are from MassiveThreads; none for blocking and isolation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/lock_words.hpp>
#include <skua/detail/result.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/join.hpp>
#include <skua/scheduler.hpp>

namespace skua {

/// A mutex for tasks. Waiting suspends the task, and its worker continues with other tasks, except inside
/// skua::isolate. Unlike a std::mutex, it may be held across join. It is not recursive, is neither copied nor moved,
/// and must not be destroyed before every unlock() has returned. lock() of a free mutex is one atomic operation.
///
/// Fairness: unlock() frees the mutex and wakes the task or thread that has waited longest. The woken task then tries to lock
/// the mutex, but a running task may be faster. If it fails, it is the next one to be woken. So the wait of a task has no bound
/// while other tasks lock the mutex again and again.
///  - When the woken task cannot run soon, because its worker runs another task, unlock() wakes the next one too. So a free
///    mutex does not wait for a busy worker.
///  - unlock() wakes at most one of the tasks that are suspended on the same worker, and takes the workers in turn.
///  - A worker that already has `suspended_stacks` suspended stacks suspends no more. A waiting task there is not in the queue
///    of waiters, and tries about every 100 microseconds.
class SKUA_API mutex {
 public:
  constexpr mutex() noexcept {
    if (std::is_constant_evaluated()) return;
    detail::host_atomics::made_words(this, sizeof(*this));
  }
  ~mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    if (!words_.try_lock()) lock_slowly();
  }
  bool try_lock() noexcept { return words_.try_lock(); }
  void unlock();

 private:
  void lock_slowly();

  alignas(64) detail::lock_words<detail::host_atomics> words_;  // all in one cache line
};

namespace detail {
SKUA_API void run_blocking(void (*code)(void*), void* data);
SKUA_API void run_isolated(void (*code)(void*), void* data);

/// Calls f() through a function that takes code and data. Returns the result of f.
template <class F, class Through>
decltype(auto) call_through(F& f, Through through) {
  using result = std::invoke_result_t<F&>;
  if constexpr (std::is_void_v<result>) {
    through([](void* data) { (*static_cast<std::remove_reference_t<F>*>(data))(); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f))));
  } else {
    struct frame {
      F& code;
      result_box<result> box;
    } here{f, {}};
    through(
        [](void* data) {
          auto& self = *static_cast<frame*>(data);
          self.box.emplace_from([&]() -> result { return self.code(); });
        },
        &here);
    return here.box.take();
  }
}
}  // namespace detail

/// Calls f, which may block (read, sleep, wait for a lock), while the worker continues with other tasks. Returns the
/// result of f and throws what f throws. Costs about ten microseconds.
/// On a worker, f runs on another thread while this task is suspended. So f uses the thread_local variables of that
/// thread, and must itself unlock a std::mutex that it locks. On an external thread f runs on that thread, with its own
/// thread_local variables, and the worker's thread takes over the worker; inside skua::isolate it does not.
/// Inside f the thread is not a worker: a join, a loop or task_group::run there goes to the default scheduler.
/// When the system cannot create another thread, f runs on the worker.
template <class F>
decltype(auto) blocking(F&& f) {
  return detail::call_through(f, &detail::run_blocking);
}

/// Calls f as an isolated region. A wait inside it runs only tasks that were created inside it, and runs them on this
/// stack. So f can hold a lock across a join without a deadlock with itself, and its thread_local values do not change
/// unexpectedly. During an isolated region the worker's thread resumes no other task. So the region must not wait for a
/// skua::mutex whose holder may itself be waiting. Returns the result of f and throws what f throws.
template <class F>
decltype(auto) isolate(F&& f) {
  return detail::call_through(f, &detail::run_isolated);
}

/// One T for each worker, and one for each thread that is not a worker. A T is created from the initial value at the
/// first call of local(). Its constructor may fork and wait. If another task of the same worker calls local()
/// meanwhile, a second T is made and one of the two is destroyed. Workers that exist at the same time have different
/// values, also those of several schedulers. The workers of a later scheduler continue with the values of workers
/// whose scheduler has ended. A reference from local() may be used until the task's next wait. After that, other
/// tasks may use the same T. A per_worker is neither copied nor moved. If making a T throws, local() throws that, and
/// the next call tries again.
template <class T>
class per_worker {
 public:
  per_worker() : make_([] { return T(); }) {}
  explicit per_worker(T initial) : make_([initial = std::move(initial)] { return initial; }) {}
  per_worker(const per_worker&) = delete;
  per_worker& operator=(const per_worker&) = delete;

  /// The T of the calling worker: about two nanoseconds when it exists, whatever the number of workers. The first call of a
  /// worker, and each call of a thread that is not a worker, takes a lock.
  T& local() {
    const task_context* const w = detail::current;
    if (!w) return make_cell(nullptr)->value;
    cell* const found = find(w->worker_number);
    return found ? found->value : make_cell(w)->value;
  }

  /// Calls f(T&) for all values so far, in the order of their creation. f may fork and wait. Must not run while workers use
  /// their values.
  template <class F>
  void for_each(F&& f) {
    for (std::size_t i = 0; cell* const c = cell_at(i); ++i) f(c->value);
  }
  /// Combines `initial` with all values so far, in the order of their creation. Must not run while workers use their
  /// values.
  template <class Combine>
  T combine(T initial, Combine&& combine_two) {
    for_each([&](T& value) { initial = combine_two(std::move(initial), value); });
    return initial;
  }
  /// Destroys all values. Must not run while workers use their values.
  void clear() {
    std::vector<std::unique_ptr<cell>> old;  // destroyed after the lock is free: a destructor of T may wait
    std::lock_guard lock(mutex_);
    table* const now = table_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < now->size; ++i) now->cells[i].store(nullptr, std::memory_order_relaxed);
    old.swap(cells_);
  }

 private:
  struct alignas(detail::line_pair) cell {
    std::uint32_t number;    // of the worker; `outside` for a thread
    std::thread::id thread;  // that thread
    T value;
  };
  /// The cells of workers 0 .. size-1, where they exist.
  struct table {
    explicit table(std::size_t n) : size(n), cells(new std::atomic<cell*>[n]) {
      for (std::size_t i = 0; i < n; ++i) cells[i].store(nullptr, std::memory_order_relaxed);
    }
    const std::size_t size;
    const std::unique_ptr<std::atomic<cell*>[]> cells;
  };
  static constexpr std::uint32_t outside = ~std::uint32_t{0};

  cell* find(std::uint32_t worker) const noexcept {
    const table* const now = table_.load(std::memory_order_acquire);  // partner: reach
    // acquire: partner of make_cell's release.
    return worker < now->size ? now->cells[worker].load(std::memory_order_acquire) : nullptr;
  }
  /// Under the lock: a table with an entry for this worker. Workers may still look at the smaller one before it, in
  /// which they miss newer cells; then they come to make_cell.
  table& reach(std::uint32_t worker) {
    table& before = *table_.load(std::memory_order_relaxed);
    if (worker < before.size) return before;
    std::size_t size = 2 * before.size;
    while (size <= worker) size *= 2;
    tables_.push_back(std::make_unique<table>(size));
    table& larger = *tables_.back();
    for (std::size_t i = 0; i < before.size; ++i)
      larger.cells[i].store(before.cells[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    table_.store(&larger, std::memory_order_release);
    return larger;
  }
  cell* cell_at(std::size_t i) {
    std::lock_guard lock(mutex_);
    return i < cells_.size() ? cells_[i].get() : nullptr;
  }
  /// Under the lock.
  cell* find_made(std::uint32_t worker, std::thread::id thread) {
    if (worker != outside) return reach(worker).cells[worker].load(std::memory_order_relaxed);
    for (auto& c : cells_)
      if (c->number == outside && c->thread == thread) return c.get();
    return nullptr;
  }
  static std::uint32_t number_of(const task_context* w) noexcept { return w ? w->worker_number : outside; }
  cell* make_cell(const task_context* w) {
    const std::thread::id thread = w ? std::thread::id() : std::this_thread::get_id();
    {
      std::lock_guard lock(mutex_);
      if (cell* const made = find_made(number_of(w), thread)) return made;
    }
    // Not under the lock: the constructor of T may wait. Then the task may continue on another worker.
    std::unique_ptr<cell> made(new cell{outside, thread, make_()});
    made->number = number_of(w);
    std::lock_guard lock(mutex_);
    if (cell* const others = find_made(made->number, thread)) return others;
    cells_.push_back(std::move(made));
    cell* const mine = cells_.back().get();
    if (w) reach(mine->number).cells[mine->number].store(mine, std::memory_order_release);
    return mine;
  }

  std::function<T()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<cell>> cells_;
  std::vector<std::unique_ptr<table>> tables_ = first_table();
  std::atomic<table*> table_{tables_.front().get()};

  static std::vector<std::unique_ptr<table>> first_table() {
    std::vector<std::unique_ptr<table>> one;
    one.push_back(std::make_unique<table>(64));
    return one;
  }
};

}  // namespace skua
