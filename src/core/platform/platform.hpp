// What the core asks of the world it runs in. There are two: that of real threads, which src/host implements, and that of
// a simulated machine (world.hpp), to which virtual threads are sent on.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/atomics.hpp>

#include "core/platform/virtual_threads.hpp"
#include "observe/hardware_log.hpp"

namespace skua::core {

/// A word that threads share. Every use of it takes its time on a simulated machine.
template <class T>
using shared = detail::shared_word<T>;

/// What the kernel counts of one thread since it began.
struct thread_counts {
  std::uint64_t on_cpu_ns = 0;
  std::uint64_t waiting_ns = 0;   // could have run and did not, since others did
  std::uint64_t preemptions = 0;  // switches that the thread did not ask for
};

/// What this process can count of the processor, and one sentence on what it cannot.
struct counted_hardware {
  std::vector<std::string> events;
  std::string missing;
  /// Between two readings, so that they take less than a hundredth of the time.
  std::uint64_t ticks_apart = 0;
};

struct host_platform : detail::host_atomics {
  using atomics = detail::host_atomics;

  /// Whether the calling thread is a virtual one.
  static bool in_virtual_time() noexcept { return detail::time_is_virtual; }

  /// Inside a spin loop.
  static void relax() noexcept {
    if (in_virtual_time()) [[unlikely]]
      return virtual_threads_here().relax();
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  /// The other half of light_fence(): afterwards every thread of the process has passed a full fence.
  static void heavy_fence() noexcept;
  /// False where the kernel refuses membarrier(2): then nobody takes by force, and sleepers wake by the clock as well.
  static bool heavy_fence_works() noexcept;

  /// Sleeps while `word` holds `expected`, at most `timeout_us` (negative: without end). May wake for no reason.
  static void park(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                   std::int64_t timeout_us = -1) noexcept;
  static void unpark(std::atomic<std::uint32_t>& word) noexcept;

  static std::int64_t now_ns() noexcept;
  /// The same of the machine on which the process runs, for virtual threads too.
  static std::int64_t real_now_ns() noexcept;
  /// A clock that costs little to read: of the processor, whose rate nobody says, and in virtual time now_ns().
  static std::uint64_t ticks() noexcept {
    if (in_virtual_time()) [[unlikely]]
      return static_cast<std::uint64_t>(virtual_threads_here().now_ns());
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<std::uint64_t>(real_now_ns());
#endif
  }
  static void yield_thread() noexcept;
  /// Runs code(data) on a thread that may block; threads are made as needed and kept for later calls.
  static void run_on_spare_thread(void (*code)(void*), void* data);
  /// The calling thread is that worker from now on. Nothing in real time, where each thread is bound to its CPU.
  static void attach(worker_id worker, std::uint32_t cpu) noexcept {
    if (in_virtual_time()) [[unlikely]]
      virtual_threads_here().attach(worker, cpu);
  }
  /// Binds the calling thread; false when the kernel refuses, and it then runs where the kernel likes.
  static bool bind_this_thread(std::uint32_t cpu) noexcept;
  /// The kernel's number of the real thread that runs.
  static int thread_number() noexcept;
  /// For how long the real thread that runs could have run until now and did not, since others did; -1 always where the
  /// kernel does not count that. Half a microsecond.
  static std::int64_t kept_waiting_ns() noexcept;
  /// Of the thread of this process with that number, or with 0 of the one that runs; none where the kernel does not say.
  /// About a microsecond for the own ones while there are files left (core/platform/kept_files.hpp), ten for others'.
  static std::optional<thread_counts> counts_of_thread(int number) noexcept;
  /// By so many threads. Real machines only, as the next one.
  static counted_hardware hardware_here(std::size_t threads);
  /// Counters of the real thread that runs, in the order of the events above. Who it is: a number of its own, never given
  /// again; 0 and zeros for one that is not counted, since it ends or there are no files left for it. From a tenth of a
  /// microsecond to a whole one.
  static std::uint64_t read_hardware(observe::hardware_reading& to) noexcept;
  static int process_number() noexcept;
  /// CPU time of this process; and of all processes of the machine, where the kernel says.
  static std::int64_t process_cpu_ns() noexcept;
  static std::optional<std::int64_t> machine_cpu_ns() noexcept;
  /// The CPU this thread is on, or -1.
  static int current_cpu() noexcept;
};

/// An object with shared words in a frame: whatever was there before has nothing to do with it. Nothing in real time.
template <class T>
void has_new_words(const T& object) noexcept {
  host_platform::made_words(&object, sizeof(object));
}

/// The first base of an object on the heap that has shared words, for the same reason: they are new before any of them is
/// used.
template <class Object>
struct on_new_words {
  // An empty first base lies where the object begins.
  on_new_words() noexcept { host_platform::made_words(this, sizeof(Object)); }
};

/// The owner has passed its fast path since it was in the core last. Nothing in real time.
inline void count_fast_path(fast_path passed) noexcept {
  if (host_platform::in_virtual_time()) [[unlikely]]
    virtual_threads_here().pass_fast_path(passed);
}

}  // namespace skua::core
