// What the core asks of the machine that it runs on: time, waiting, fences, threads, counters. There are two kinds of
// threads. platform.cpp and its neighbours serve real threads with Linux, and pass calls of virtual threads to their
// simulated machine (virtual_threads.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/atomics.hpp>

#include "base/for_simulator.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/virtual_threads.hpp"
#include "observe/hardware_log.hpp"

namespace skua::core {

/// A word that threads share. Every use of it takes its time on a simulated machine.
template <class T>
using shared = detail::shared_word<T>;

/// What the kernel counts of one thread since it began.
struct thread_counts {
  std::uint64_t on_cpu_ns = 0;
  std::uint64_t waiting_ns = 0;   // the thread was ready, but other threads ran
  std::uint64_t preemptions = 0;  // involuntary switches
  std::uint64_t sleeps = 0;       // voluntary switches
};

/// What this process can count with the processor's counters.
struct counted_hardware {
  std::vector<std::string> events;
  std::string missing;  // one sentence on what it cannot count
  /// The minimum distance between two readings, so that readings take less than a hundredth of the time.
  std::uint64_t ticks_apart = 0;
};

struct host_platform : detail::host_atomics {
  using atomics = detail::host_atomics;

  // ---- how virtual threads differ, by what the core wants to know. Only the platform asks which kind a thread is.

  /// Whether the threads take turns: another one may run whenever this one uses a shared word, and at no other time. None
  /// waits for a CPU.
  static bool threads_take_turns() noexcept { return detail::time_is_virtual; }
  /// Whether the core must charge the time of all code, the program's and its own. Then no push may take the fast path.
  static bool charges_code() noexcept { return detail::time_is_virtual; }
  /// Whether numbers that were tuned on real machines, in nanoseconds or positions of a loop, fit the machine.
  static bool tuning_fits() noexcept { return !detail::time_is_virtual; }
  /// Whether the kernel and the processor count what the calling thread does.
  static bool counts_threads() noexcept { return !detail::time_is_virtual; }

  // ---- what threads ask for

  /// Inside a spin loop.
  static void relax() noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      return virtual_threads_here().spend(timed_step::relax);
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// The other half of light_fence(). When it returns true every thread of the process has executed a full fence. False:
  /// the kernel refuses membarrier(2), and no thread has.
  SKUA_FOR_SIMULATOR static bool heavy_fence() noexcept;
  /// Used when heavy_fence() has failed and another thread has executed light_fence() after its last store: waits for
  /// ten milliseconds. A processor delays a store for far less; but that is no guarantee, unlike the fence.
  static void wait_for_stores() noexcept;
  /// False where the kernel refuses membarrier(2), and from the first refusal on: a program may forbid it to itself at any
  /// time (seccomp). Then no thief takes by force, owners publish everything, and parked workers wake on a timer as well.
  static bool heavy_fence_works() noexcept;

  /// Sleeps while `word` holds `expected`, at most `timeout_us` (negative: no limit). May wake without a cause.
  static void park(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                   std::int64_t timeout_us = -1) noexcept;
  static void unpark(std::atomic<std::uint32_t>& word) noexcept;

  static std::int64_t now_ns() noexcept;
  /// The clock of the real machine, for virtual threads too.
  SKUA_FOR_SIMULATOR static std::int64_t real_now_ns() noexcept;
  /// A clock that is cheap to read: the processor's counter, whose rate is unknown. In virtual time: now_ns().
  static std::uint64_t ticks() noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      return static_cast<std::uint64_t>(virtual_threads_here().now_ns());
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<std::uint64_t>(real_now_ns());
#endif
  }
  /// The same clock in ticks of a few GHz.
  static std::uint64_t short_ticks() noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      return 2 * ticks();
#if defined(__x86_64__) || defined(__i386__)
    return ticks();
#else
    return 2 * ticks();
#endif
  }
  SKUA_FOR_SIMULATOR static void yield_thread() noexcept;
  /// Runs code(data) on a thread that may block. Threads are created as needed and kept for later calls.
  static void run_on_spare_thread(void (*code)(void*), void* data);
  /// The calling thread is that worker from now on. Does nothing in real time, where the kernel chooses the CPU.
  static void attach(worker_id worker, std::uint32_t cpu) noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      virtual_threads_here().attach(worker, cpu);
  }
  /// The kernel's number of the calling real thread.
  SKUA_FOR_SIMULATOR static int thread_number() noexcept;
  /// How long the calling real thread has been ready while other threads ran. Always -1 where the kernel does not count
  /// it. Takes half a microsecond.
  SKUA_FOR_SIMULATOR static std::int64_t kept_waiting_ns() noexcept;
  /// The counts of one thread of this process; 0: the calling thread. Nothing where the kernel does not count. Takes about
  /// a microsecond for the calling thread while files are left (resource_limits.hpp), ten for others.
  static std::optional<thread_counts> counts_of_thread(int number) noexcept;
  /// Whether this real thread of this process runs or waits for a CPU now. The counts of a thread that waits for a CPU stand
  /// still until it gets one. Takes about ten microseconds.
  static bool is_ready(int thread) noexcept;
  /// What `threads` threads can count. Real threads only, as read_hardware().
  static counted_hardware hardware_here(std::size_t threads);
  /// Reads the counters of the calling real thread, in the order of counted_hardware::events. Returns a number of the thread
  /// that is unique in the process; 0 (and zeros) for a thread that is not counted, since it ends or no files are left.
  /// Takes 0.1 to 1 microsecond.
  static std::uint64_t read_hardware(observe::hardware_reading& to) noexcept;
  static int process_number() noexcept;
  /// The process to which threads that wait here belong, and whether it is this one. Virtual threads move to the child of
  /// fork() together with the one that calls it.
  static std::uint32_t process_of_waiters() noexcept { return process_generation(); }
  static bool is_process_of_waiters(std::uint32_t process) noexcept {
    return process == process_generation() || detail::time_is_virtual;
  }
  /// The CPU time of this process, and of all processes of the machine where the kernel counts it.
  static std::int64_t process_cpu_ns() noexcept;
  static std::optional<std::int64_t> machine_cpu_ns() noexcept;
  /// The CPU on which the calling thread runs, or -1.
  static int current_cpu() noexcept;
};

/// Call it for an object with shared words in a stack frame: a simulated machine then forgets what was at its addresses
/// before. Does nothing in real time.
template <class T>
void has_new_words(const T& object) noexcept {
  host_platform::made_words(&object, sizeof(object));
}

/// The same for an object on the heap. It must be the first base, so that the words are new before any of them is used.
template <class Object>
struct on_new_words {
  // An empty first base has the address of the object.
  on_new_words() noexcept { host_platform::made_words(this, sizeof(Object)); }
};

/// The owner has passed this fast path since it entered the core last. Does nothing in real time.
inline void count_fast_path(timed_step passed) noexcept {
  if (detail::time_is_virtual) [[unlikely]]
    virtual_threads_here().spend(passed);
}

}  // namespace skua::core
