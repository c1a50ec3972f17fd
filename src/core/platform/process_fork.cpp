#include "core/platform/process_fork.hpp"

#include <cstdio>
#include <cstdlib>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/platform/platform.hpp"

namespace skua::core {

namespace generations {
constinit std::atomic<std::uint32_t> now{0};
}

std::uint32_t exported_process_generation() noexcept { return process_generation(); }

// ---- locks

void plain_lock::lock() noexcept {
  std::uint32_t before = free;
  // acquire, twice: partner of unlock().
  if (!state_.compare_exchange_strong(before, locked, std::memory_order_acquire, std::memory_order_relaxed))
    while (state_.exchange(waited_for, std::memory_order_acquire) != free)
      syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAIT_PRIVATE, waited_for, nullptr,
              nullptr, 0);
  detail::tell_acquire(&state_, std::memory_order_acquire);
}

void plain_lock::unlock() noexcept {
  detail::tell_release(&state_, std::memory_order_release);
  if (state_.exchange(free, std::memory_order_release) == waited_for)
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&state_), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

namespace {

// Constant-initialised and never destroyed, as locks may be static objects.
constinit plain_lock guard_of_list;
constinit fork_safe_lock* first_lock = nullptr;

constinit plain_lock scheduler_is_made;
constinit thread_local int making_depth = 0;

constinit in_child* first_in_child = nullptr;
using action = void (*)() noexcept;
constinit action before_fork = nullptr;
constinit action after_fork = nullptr;

}  // namespace

// Under the guard of the list.
struct all_fork_safe_locks {
  static void add(fork_safe_lock& one) noexcept {
    one.next_ = first_lock;
    if (first_lock) first_lock->before_ = &one;
    first_lock = &one;
  }
  static void remove(fork_safe_lock& one) noexcept {
    (one.before_ ? one.before_->next_ : first_lock) = one.next_;
    if (one.next_) one.next_->before_ = one.before_;
  }
  static void lock() noexcept {
    for (fork_safe_lock* l = first_lock; l; l = l->next_) l->lock();
  }
  static void unlock() noexcept {
    for (fork_safe_lock* l = first_lock; l; l = l->next_) l->unlock();
  }
};

fork_safe_lock::fork_safe_lock() noexcept {
  guard_of_list.lock();
  all_fork_safe_locks::add(*this);
  guard_of_list.unlock();
}

fork_safe_lock::~fork_safe_lock() {
  guard_of_list.lock();
  all_fork_safe_locks::remove(*this);
  guard_of_list.unlock();
}

making_scheduler::making_scheduler() noexcept : real_(!host_platform::threads_take_turns()) {
  if (real_ && making_depth++ == 0) scheduler_is_made.lock();
}

making_scheduler::~making_scheduler() {
  if (real_ && --making_depth == 0) scheduler_is_made.unlock();
}

// ---- the handlers

struct all_in_child {
  static void run() noexcept {
    for (const in_child* one = first_in_child; one; one = one->next_) one->run_();
  }
};

namespace {

// The order in which the locks are taken: a thread that makes a scheduler takes those of the core, and these two take
// fork_safe_locks.
void prepare() noexcept {
  if (making_depth == 0) scheduler_is_made.lock();
  if (before_fork) before_fork();
  guard_of_list.lock();
  all_fork_safe_locks::lock();
}

void release() noexcept {
  all_fork_safe_locks::unlock();
  guard_of_list.unlock();
  if (after_fork) after_fork();
  if (making_depth == 0) scheduler_is_made.unlock();
}

void begin_child() noexcept {
  generations::now.fetch_add(1, std::memory_order_relaxed);
  release();
  all_in_child::run();
}

// While the library is loaded, which is before a second thread can use it.
void watch_forks() noexcept {
  static const int error = pthread_atfork(prepare, release, begin_child);
  static_cast<void>(error);  // no memory: then a child may hang
}

}  // namespace

in_child::in_child(void (*run)() noexcept) noexcept : run_(run), next_(first_in_child) {
  first_in_child = this;
  watch_forks();
}

around_fork::around_fork(void (*before)() noexcept, void (*after)() noexcept) noexcept {
  before_fork = before;
  after_fork = after;
  watch_forks();
}

void end_child(const char* where) noexcept {
  std::fprintf(
      stderr,
      "skua: a child of fork() has come to the end of %s; the thread that continues there exists only in "
      "the parent process, so the child ends: call exit(), _exit() or exec() before\n",
      where);
  std::_Exit(2);
}

}  // namespace skua::core
