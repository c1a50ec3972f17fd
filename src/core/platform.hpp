// What the core asks of the world it runs in. This is the world of real threads; src/host implements it.
#pragma once

#include <atomic>
#include <cstdint>

#include <skua/detail/atomics.hpp>

namespace skua::core {

struct host_platform : detail::host_atomics {
  using atomics = detail::host_atomics;

  /// Inside a spin loop.
  static void relax() noexcept {
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
                   std::int64_t timeout_us) noexcept;
  static void unpark(std::atomic<std::uint32_t>& word) noexcept;

  static std::int64_t now_ns() noexcept;
  static void yield_thread() noexcept;
  /// Runs code(data) on a thread that may block; threads are made as needed and kept for later calls.
  static void run_on_spare_thread(void (*code)(void*), void* data);
  /// Binds the calling thread; false when the kernel refuses, and it then runs where the kernel likes.
  static bool bind_this_thread(std::uint32_t cpu) noexcept;
  /// The CPU this thread is on, or -1.
  static int current_cpu() noexcept;
};

}  // namespace skua::core
