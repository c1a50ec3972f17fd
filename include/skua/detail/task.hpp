// Group tasks: fixed-size records in a pool for each worker, pushed and popped like joins.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <skua/detail/task_context.hpp>
#include <skua/hint.hpp>

namespace skua::detail {

struct task;

/// Calls the closure, then destroys it; may throw. Without a worker: only destroys it.
using task_code = void (*)(task&, task_context*);

/// A word of a task that only the thread that holds the task writes. Other threads may read it, but must not rely on the value.
template <class T>
class task_word {
 public:
  operator T() const noexcept { return word_.load(std::memory_order_relaxed); }
  task_word& operator=(T to) noexcept {
    word_.store(to, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<T> word_;
};

/// One task of a group. Records are reused but never freed while the scheduler lives: a thief may still look at one.
struct alignas(64) task {
  static constexpr std::size_t inline_bytes = 80;

  task_word<task_code> run;
  std::atomic<group_base*> group;        // atomic: a thief may look before it claims
  std::atomic<std::uint64_t> isolation;  // the region it was run in, 0 in every free record
  union {
    task* next;               // in a free list
    const hint_source* hint;  // of a task that is marked hinted; lies in its closure
  };
  std::atomic<std::uint32_t> bound;  // to a domain (stolen_side::bound), 0 in every free record
  std::uint32_t order;               // position in the group: the leftmost exception wins
  // Written by the thread that holds it: the pusher, then the publisher under the queue's guard.
  enum : std::uint8_t { plain = 0, counted = 1, isolated = 2, hinted = 4, bound_to_domain = 8, part = 16 };
  static constexpr std::uint8_t restricted = isolated | bound_to_domain | part;
  // counted: among the group's pending tasks; a task still private to its home is not. part: it stands for several tasks
  // (src/core/dealing/dealt_tasks.hpp).
  task_word<std::uint8_t> marks;
  void mark(std::uint8_t more) noexcept { marks = static_cast<std::uint8_t>(marks | more); }
  task_word<std::uint32_t>
      told;  // by the measurement of work and span: its number of this task, while the task runs
  alignas(16) unsigned char closure[inline_bytes];
};

template <class F>
inline constexpr bool fits_inline =
    sizeof(F) <= task::inline_bytes && alignof(F) <= 16 && std::is_nothrow_move_constructible_v<F>;

/// Puts a callable into a task; one that is too large, or may throw when moved, goes to the heap.
template <class F>
[[gnu::always_inline]] inline void fill(task& t, F&& f) {
  using closure = std::decay_t<F>;
  static_assert(std::is_nothrow_destructible_v<closure>,
                "the destructor of a task's callable and arguments must not throw");
  if constexpr (fits_inline<closure>) {
    ::new (static_cast<void*>(t.closure)) closure(std::forward<F>(f));
    t.run = [](task& self, task_context* w) {
      struct destroy_after {
        closure& c;
        ~destroy_after() { c.~closure(); }
      } held{*std::launder(reinterpret_cast<closure*>(self.closure))};
      if (w) [[likely]]
        static_cast<void>(held.c());
    };
  } else {
    ::new (static_cast<void*>(t.closure)) closure*(new closure(std::forward<F>(f)));
    t.run = [](task& self, task_context* w) {
      std::unique_ptr<closure> held(*std::launder(reinterpret_cast<closure**>(self.closure)));
      if (w) static_cast<void>((*held)());
    };
  }
}

/// Puts a callable with a hint into a task.
template <class H, class F>
void fill_hinted(task& t, const H& hint, F&& f) {
  struct closure {
    hint_value<H> hint;
    std::decay_t<F> callable;
    auto operator()() { return callable(); }
  };
  fill(t, closure{hint_value<H>(hint), std::forward<F>(f)});
  if constexpr (fits_inline<closure>)
    t.hint = &std::launder(reinterpret_cast<closure*>(t.closure))->hint;
  else
    t.hint = &(*std::launder(reinterpret_cast<closure**>(t.closure)))->hint;
}

/// The group tasks of one worker. Only the thread that holds the worker pushes and pops; thieves take from the oldest end.
struct task_pool : split_queue<host_atomics> {
  // Every slot's `run` is the same, written once.
  bool push_task(slot* s, task& t) noexcept { return push(s, &t); }

  task* free = nullptr;
  std::size_t free_count = 0;

  task& take_record() {
    if (task* t = free) [[likely]] {
      free = t->next;
      --free_count;
      return *t;
    }
    return refill();
  }
  void give_back(task& t) noexcept {
    if (t.marks & task::restricted) {
      t.isolation.store(0, std::memory_order_relaxed);
      t.bound.store(0, std::memory_order_relaxed);
    }
    give_back_unmarked(t);
  }
  /// Gives back a task that is not restricted.
  void give_back_unmarked(task& t) noexcept {
    t.next = free;
    free = &t;
    if (++free_count > 2 * batch) [[unlikely]]
      spill();
  }

  static constexpr std::size_t batch = 256;
  /// Whether the next `n` calls of take_record() need no memory. Gets a batch when there are too few records; false when
  /// there is no memory for one. `n` is at most `batch`.
  bool reserve(std::size_t n) noexcept;
  SKUA_API task& refill();
  SKUA_API void spill() noexcept;
  core::worker* owner = nullptr;
  std::size_t refills = 0;  // since the last batch was given back
};

}  // namespace skua::detail
