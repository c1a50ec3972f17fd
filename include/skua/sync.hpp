// Waiting for something other than a task: a mutex for tasks, calls that block, isolated regions, and data of which
// each worker has its own copy.
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
// Paper: suspended waits are from MassiveThreads; none for blocking and isolation.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/result.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/join.hpp>
#include <skua/scheduler.hpp>

namespace skua {

/// A mutex for tasks. Waiting suspends the task, and its worker continues with other tasks, except inside
/// skua::isolate. Tasks are woken in the order in which they began to wait, but a running task may lock the mutex
/// before a woken one. Unlike a std::mutex, it may be held across join. It is not recursive, and must not be destroyed
/// before every unlock() has returned. lock() of a free mutex is one atomic operation.
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
    bool free = false;
    if (!locked_.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed))
      lock_slowly();
  }
  bool try_lock() noexcept {
    bool free = false;
    return locked_.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock();

 private:
  struct waiting_task;
  struct lock_request;
  struct lock_event;
  void lock_slowly();
  void wait_in_line(lock_request& request);
  static bool enqueue(void* request, void* waiter);
  void lock_list() noexcept;
  void unlock_list() noexcept { guard_.store(0, std::memory_order_release); }

  alignas(64) detail::shared_word<bool> locked_{false};  // all words lie in one cache line
  detail::shared_word<int> guard_{0};
  detail::shared_word<std::size_t> waiting_{0};
  waiting_task* first_ = nullptr;
  waiting_task* last_ = nullptr;
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
/// thread_local variables, and the worker's thread takes over the worker's place; inside skua::isolate it does not.
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

/// One T for each worker of each scheduler, and one for each thread that is not a worker. A T is created from the
/// initial value at the first call of local(). A reference from local() may be used until the task's next wait. After
/// that, other tasks may use the same T.
template <class T>
class per_worker {
 public:
  per_worker() : make_([] { return T(); }) {}
  explicit per_worker(T initial) : make_([initial = std::move(initial)] { return initial; }) {}

  /// The T of the calling worker. Cost: one load and one comparison when it exists; a lock at the first call and on a
  /// thread that is not a worker.
  T& local() {
    const task_context* w = detail::current;
    const void* key = w ? static_cast<const void*>(w->seat) : nullptr;
    cell* found = key ? find(key) : nullptr;
    return found ? found->value : make_cell(key)->value;
  }

  /// Calls f(T&) for all values so far, in the order of their creation. Must not run while workers use their values.
  template <class F>
  void for_each(F&& f) {
    std::lock_guard lock(mutex_);
    for (auto& c : cells_) f(c->value);
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
    std::lock_guard lock(mutex_);
    for (auto& slot : index_) slot.store(nullptr, std::memory_order_relaxed);
    cells_.clear();
  }

 private:
  struct alignas(detail::line_pair) cell {
    const void* key;
    std::thread::id thread;
    T value;
  };
  static constexpr std::size_t slots = 64;

  static std::size_t slot_of(const void* key) noexcept {
    return (reinterpret_cast<std::uintptr_t>(key) / detail::line_pair) % slots;
  }
  cell* find(const void* key) noexcept {
    cell* c = index_[slot_of(key)].load(std::memory_order_acquire);  // partner: make_cell's release
    return c && c->key == key ? c : nullptr;
  }
  cell* make_cell(const void* key) {
    std::lock_guard lock(mutex_);
    for (auto& c : cells_)
      if (key ? c->key == key : !c->key && c->thread == std::this_thread::get_id()) return c.get();
    cells_.push_back(std::unique_ptr<cell>(new cell{key, std::this_thread::get_id(), make_()}));
    cell* made = cells_.back().get();
    cell* none = nullptr;
    if (key)
      index_[slot_of(key)].compare_exchange_strong(none, made, std::memory_order_release,
                                                   std::memory_order_relaxed);
    return made;
  }

  std::function<T()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<cell>> cells_;
  std::atomic<cell*> index_[slots] = {};
};

}  // namespace skua
