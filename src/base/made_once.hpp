// A value that the first use makes, in place of a static variable of a function. When a thread calls fork() while another
// one makes such a variable, the child waits for ever for a thread that it does not have.
#pragma once

#include <atomic>
#include <memory>

namespace skua::base {

/// For static storage. The value is never destroyed, so it can be used during static destruction. Several threads may
/// make one each; the first is kept. So making it must have no lasting effect outside of the value.
template <class T>
class made_once {
 public:
  constexpr made_once() noexcept = default;
  made_once(const made_once&) = delete;
  made_once& operator=(const made_once&) = delete;

  /// `make` returns a T. Throws what it throws, and bad_alloc; then the next call makes the value.
  template <class Make>
  T& get(Make make) {
    // acquire: partner of the exchange below, and of replace().
    if (T* const kept = value_.load(std::memory_order_acquire)) [[likely]]
      return *kept;
    std::unique_ptr<T> mine(new T(make()));
    T* kept = nullptr;
    // release: partner of the load above. acquire: if another thread's value is there, this thread sees all of it.
    if (value_.compare_exchange_strong(kept, mine.get(), std::memory_order_release,
                                       std::memory_order_acquire))
      kept = mine.release();
    return *kept;
  }
  T& get() {
    return get([] { return T(); });
  }
  /// Null before the first get().
  T* made() const noexcept { return value_.load(std::memory_order_acquire); }  // partners as in get()
  /// In a child of fork(), which has one thread.
  void replace(T* other) noexcept { value_.store(other, std::memory_order_release); }  // partner: get()

 private:
  std::atomic<T*> value_{nullptr};
};

}  // namespace skua::base
