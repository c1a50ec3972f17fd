// The words of a lock that has a line of waiters. src/core/locks/lock_line.hpp has the operations on them, except those
// that take a free lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/atomics.hpp>

namespace skua::detail {

/// The entry of one waiter in the line of a lock. It lies in the frame of the waiter.
struct lock_entry {
  void* waiter = nullptr;
  lock_entry* next = nullptr;
  bool was_told = false;  // it has tried again without success, and returns to the front of the line
  bool held_up = false;   // its thread does something else, so it cannot try soon after it is told
};

template <class P, class Entry = lock_entry>
struct lock_words {
  using entry = Entry;

  /// Takes the lock if it is free. acquire: partner of unlock(); what the last holder did is visible.
  bool try_lock() noexcept {
    bool free = false;
    return locked.compare_exchange_strong(free, true, std::memory_order_acquire, std::memory_order_relaxed);
  }

  typename P::template atomic<bool> locked{false};
  typename P::template atomic<int> guard{0};            // protects the members below
  typename P::template atomic<std::size_t> in_line{0};  // the number of entries, also read without the guard
  Entry* first = nullptr;
  Entry* last = nullptr;
  const Entry* expected = nullptr;  // the waiter that was told, and is about to try again
  std::uint32_t process = 0;        // the process of the waiters (process_generation())
};

}  // namespace skua::detail
