// Atomics for real and virtual threads. The model checker supplies its own ones, so that it checks the production code.
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

// ThreadSanitizer does not see the atomics of a library that is compiled without it. So the library announces what its
// shared words order when the runtime of the sanitizer is in the process.
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

/// How a shared word is used. A writer needs exclusive access to the cache line.
enum class use : std::uint8_t { look, store, exchange };

/// Whether this thread is a virtual thread of a simulated machine.
extern SKUA_API constinit thread_local bool time_is_virtual __attribute__((tls_model("initial-exec")));
/// A virtual thread calls this before it uses the word. It takes the virtual time that the machine needs to fetch the
/// line.
SKUA_API void touch_word(const void* word, use how) noexcept;
/// A virtual thread calls this after it has created an object with shared words in memory that may have been used
/// before.
SKUA_API void made_words(const void* object, std::size_t bytes) noexcept;

/// A word that threads share. On a simulated machine each use takes virtual time.
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

  /// The word for its owner's fast path, where even the check for virtual time would cost too much. On a simulated
  /// machine the time of such a path is added when it enters the core next.
  template <class T>
  static std::atomic<T>& quietly(shared_word<T>& word) noexcept {
    return word;
  }
  template <class T>
  static const std::atomic<T>& quietly(const shared_word<T>& word) noexcept {
    return word;
  }

  /// Called before the first use of words in memory that may have been used before. It does nothing in real time.
  static void made_words(const void* first, std::size_t bytes) noexcept {
    if (time_is_virtual) [[unlikely]]
      detail::made_words(first, bytes);
  }

  /// The owner's half of an asymmetric fence: it keeps the compiler from reordering. The other half is heavy_fence() in
  /// src/core/platform/platform.hpp. The thread that requests the owner's attention runs it.
  static void light_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
};

}  // namespace skua::detail
