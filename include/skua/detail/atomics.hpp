// The atomics of real threads, and of virtual ones. The model checker brings its own, so that it runs the code that
// ships.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/export.hpp>

#if defined(SKUA_LIBRARY) && !defined(__SANITIZE_THREAD__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SKUA_SANITIZE_THREAD_HERE
#endif
#endif
#ifndef SKUA_SANITIZE_THREAD_HERE
#define SKUA_TELLS_TSAN
// Null where ThreadSanitizer's runtime is not in the process.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void* address);
[[gnu::weak]] void __tsan_release(void* address);
}
#endif
#endif

namespace skua::detail {

// ThreadSanitizer does not see the atomics of a library that is compiled without it. So the library tells what its shared
// words order, where a program that is compiled with the sanitizer has brought its runtime.
inline void tell_acquire([[maybe_unused]] const void* word,
                         [[maybe_unused]] std::memory_order order) noexcept {
#ifdef SKUA_TELLS_TSAN
  if (order != std::memory_order_relaxed && order != std::memory_order_release && &__tsan_acquire != nullptr)
      [[unlikely]]
    __tsan_acquire(const_cast<void*>(word));
#endif
}
inline void tell_release([[maybe_unused]] const void* word,
                         [[maybe_unused]] std::memory_order order) noexcept {
#ifdef SKUA_TELLS_TSAN
  if (order != std::memory_order_relaxed && order != std::memory_order_acquire && &__tsan_release != nullptr)
      [[unlikely]]
    __tsan_release(const_cast<void*>(word));
#endif
}

/// How a shared word is used: whoever writes it needs its line alone.
enum class use : std::uint8_t { look, store, exchange };

/// Whether this thread is a virtual one of a simulated machine.
extern SKUA_API constinit thread_local bool time_is_virtual __attribute__((tls_model("initial-exec")));
/// By a virtual thread, before it uses the word: takes as long as the machine needs to bring its line here.
SKUA_API void touch_word(const void* word, use how) noexcept;
/// By a virtual thread, which has made an object with shared words where something else may have been.
SKUA_API void made_words(const void* object, std::size_t bytes) noexcept;

/// A word that threads share. On a simulated machine every use of it takes its time.
template <class T>
class shared_word : public std::atomic<T> {
  using word = std::atomic<T>;
  static constexpr auto relaxed = std::memory_order_relaxed, strongest = std::memory_order_seq_cst;

 public:
  using word::word;

  T load(std::memory_order order = strongest) const noexcept {
    const T v = touched(use::look).word::load(order);
    tell_acquire(this, order);
    return v;
  }
  void store(T v, std::memory_order order = strongest) noexcept {
    tell_release(this, order);
    touched(use::store).word::store(v, order);
  }
  T exchange(T v, std::memory_order order) noexcept {
    return told(order, [&](word& w) { return w.exchange(v, order); });
  }
  T fetch_add(T v, std::memory_order order) noexcept {
    return told(order, [&](word& w) { return w.fetch_add(v, order); });
  }
  T fetch_sub(T v, std::memory_order order) noexcept {
    return told(order, [&](word& w) { return w.fetch_sub(v, order); });
  }
  T fetch_or(T v, std::memory_order order) noexcept {
    return told(order, [&](word& w) { return w.fetch_or(v, order); });
  }
  T fetch_and(T v, std::memory_order order) noexcept {
    return told(order, [&](word& w) { return w.fetch_and(v, order); });
  }
  bool compare_exchange_weak(T& expected, T v, std::memory_order success,
                             std::memory_order failure = relaxed) noexcept {
    return compared(success, failure,
                    [&](word& w) { return w.compare_exchange_weak(expected, v, success, failure); });
  }
  bool compare_exchange_strong(T& expected, T v, std::memory_order success,
                               std::memory_order failure = relaxed) noexcept {
    return compared(success, failure,
                    [&](word& w) { return w.compare_exchange_strong(expected, v, success, failure); });
  }

 private:
  template <class Change>
  [[gnu::always_inline]] T told(std::memory_order order, Change change) noexcept {
    tell_release(this, order);
    const T before = change(touched(use::exchange));
    tell_acquire(this, order);
    return before;
  }
  template <class Change>
  [[gnu::always_inline]] bool compared(std::memory_order success, std::memory_order failure,
                                       Change change) noexcept {
    tell_release(this, success);
    const bool changed = change(touched(use::exchange));
    tell_acquire(this, changed ? success : failure);
    return changed;
  }
  const shared_word& touched(use how) const noexcept {
    if (time_is_virtual) [[unlikely]]
      touch_word(this, how);
    return *this;
  }
  shared_word& touched(use how) noexcept {
    if (time_is_virtual) [[unlikely]]
      touch_word(this, how);
    return *this;
  }
};

struct host_atomics {
  template <class T>
  using atomic = shared_word<T>;

  /// The word as its owner's fast path uses it, where even to ask for the time would cost too much. What such a path
  /// takes on a simulated machine is counted where it meets the core next.
  template <class T>
  static std::atomic<T>& quietly(shared_word<T>& word) noexcept {
    return word;
  }
  template <class T>
  static const std::atomic<T>& quietly(const shared_word<T>& word) noexcept {
    return word;
  }

  /// Words that lie where something else may have been, before their first use. Nothing in real time.
  static void made_words(const void* first, std::size_t bytes) noexcept {
    if (time_is_virtual) [[unlikely]]
      detail::made_words(first, bytes);
  }

  /// The owner's half of an asymmetric fence: keeps the compiler from reordering. The other half is
  /// heavy_fence() in src/core/platform/platform.hpp, run by whoever wants the owner's attention.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
};

}  // namespace skua::detail
