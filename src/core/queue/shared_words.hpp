// Building blocks for words that threads share: an array that begins at a cache line, and a spin lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>

#include <skua/detail/split_queue.hpp>

#include "core/locks/spin_pause.hpp"
#include "core/platform/platform.hpp"

namespace skua::core {

/// An array aligned to a pair of cache lines, so that its first word shares a line with nothing else.
template <class T>
class line_array {
 public:
  line_array() = default;
  /// Throws bad_alloc.
  explicit line_array(std::size_t size)
      : first_(static_cast<T*>(::operator new(size * sizeof(T), std::align_val_t{detail::line_pair}))),
        size_(size) {
    std::uninitialized_value_construct_n(first_, size);
  }
  ~line_array() {
    if (!first_) return;
    std::destroy_n(first_, size_);
    ::operator delete(first_, std::align_val_t{detail::line_pair});
  }
  line_array(const line_array&) = delete;
  line_array& operator=(const line_array&) = delete;

  T* get() const noexcept { return first_; }
  T& operator[](std::size_t i) const noexcept { return first_[i]; }
  std::size_t size() const noexcept { return size_; }

 private:
  T* first_ = nullptr;
  std::size_t size_ = 0;
};

/// A lock for rare and short critical sections; for std::lock_guard.
class spin_lock {
 public:
  void lock() noexcept {
    // acquire: partner of unlock(); makes visible what the last holder wrote.
    while (held_.exchange(1, std::memory_order_acquire)) wait();
  }
  bool try_lock() noexcept { return held_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }  // partner: lock()

 private:
  // Only reads. If each waiting thread exchanged the word without a pause, ThreadSanitizer's own lock of that word
  // could keep the holder from the word for ever.
  // relaxed: the exchange that follows acquires.
  void wait() noexcept {
    spin_pause<host_platform>().until([&] { return held_.load(std::memory_order_relaxed) == 0; });
  }

  shared<int> held_{0};
};

}  // namespace skua::core
