// Threads of Linux: futexes, membarrier, clocks, affinity. Calls of a virtual thread go to its machine.
#include "core/platform/platform.hpp"

#include <chrono>
#include <climits>
#include <cstddef>
#include <ctime>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/platform/process_fork.hpp"

namespace skua::core {

namespace {

bool register_membarrier() noexcept {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

enum class membarrier { unknown, works, refused };
constinit std::atomic<membarrier> membarrier_here{membarrier::unknown};

}  // namespace

// Not a static variable with a guard, because a child of fork() could find the guard locked. Two threads may both
// register.
bool host_platform::heavy_fence_works() noexcept {
  if (detail::time_is_virtual) return true;
  membarrier state = membarrier_here.load(std::memory_order_relaxed);
  if (state == membarrier::unknown) [[unlikely]] {
    const membarrier found = register_membarrier() ? membarrier::works : membarrier::refused;
    if (membarrier_here.compare_exchange_strong(state, found, std::memory_order_relaxed)) state = found;
  }
  return state == membarrier::works;
}

// A refusal in one thread counts for the process: filters for system calls are those of a thread, but threads inherit them.
bool host_platform::heavy_fence() noexcept {
  if (detail::time_is_virtual) {
    virtual_threads_here().spend(timed_step::heavy_fence);
    return true;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!heavy_fence_works()) return false;
  const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (!done) membarrier_here.store(membarrier::refused, std::memory_order_seq_cst);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return done;
}

void host_platform::wait_for_stores() noexcept {
  timespec left{0, 10'000'000};
  while (nanosleep(&left, &left) != 0) {
  }
}

void host_platform::park(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                         std::int64_t timeout_us) noexcept {
  if (detail::time_is_virtual) {
    if (word.load(std::memory_order_relaxed) == expected) virtual_threads_here().park(&word, timeout_us);
    return;
  }
  timespec limit{static_cast<time_t>(timeout_us / 1'000'000),
                 static_cast<long>(timeout_us % 1'000'000) * 1000};
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected,
          timeout_us < 0 ? nullptr : &limit, nullptr, 0);
}

void host_platform::unpark(std::atomic<std::uint32_t>& word) noexcept {
  if (detail::time_is_virtual) return virtual_threads_here().unpark(&word);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
          0);
}

std::int64_t host_platform::now_ns() noexcept {
  return detail::time_is_virtual ? virtual_threads_here().now_ns() : real_now_ns();
}

std::int64_t host_platform::real_now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void host_platform::yield_thread() noexcept {
  if (detail::time_is_virtual) return virtual_threads_here().spend(timed_step::yield);
  sched_yield();
}

namespace {

constinit thread_local int own_number = 0;
const in_child renumber([]() noexcept { own_number = 0; });

}  // namespace

// Not inlined, so that no compiler keeps the address of `own_number` while a stack continues on another thread.
[[gnu::noinline]] int host_platform::thread_number() noexcept {
  if (own_number == 0) own_number = gettid();
  return own_number;
}

int host_platform::current_cpu() noexcept {
  return detail::time_is_virtual ? static_cast<int>(virtual_threads_here().current_cpu()) : sched_getcpu();
}

}  // namespace skua::core
