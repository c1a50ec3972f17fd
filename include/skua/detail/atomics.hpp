// The atomics of real threads, and of virtual ones. The model checker brings its own, so that it runs the code that
// ships.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/export.hpp>

namespace skua::detail {

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

  T load(std::memory_order order = strongest) const noexcept { return touched(use::look).word::load(order); }
  void store(T v, std::memory_order order = strongest) noexcept { touched(use::store).word::store(v, order); }
  T exchange(T v, std::memory_order order) noexcept {
    return touched(use::exchange).word::exchange(v, order);
  }
  T fetch_add(T v, std::memory_order order) noexcept {
    return touched(use::exchange).word::fetch_add(v, order);
  }
  T fetch_sub(T v, std::memory_order order) noexcept {
    return touched(use::exchange).word::fetch_sub(v, order);
  }
  T fetch_or(T v, std::memory_order order) noexcept {
    return touched(use::exchange).word::fetch_or(v, order);
  }
  T fetch_and(T v, std::memory_order order) noexcept {
    return touched(use::exchange).word::fetch_and(v, order);
  }
  bool compare_exchange_weak(T& expected, T v, std::memory_order success,
                             std::memory_order failure = relaxed) noexcept {
    return touched(use::exchange).word::compare_exchange_weak(expected, v, success, failure);
  }
  bool compare_exchange_strong(T& expected, T v, std::memory_order success,
                               std::memory_order failure = relaxed) noexcept {
    return touched(use::exchange).word::compare_exchange_strong(expected, v, success, failure);
  }

 private:
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
