// Memory for code that cannot do without it and cannot throw, such as the messages between managers. When the system has
// none, it comes from a reserve of 256 KiB; when that is used up, the thread waits for other threads to free some. After a
// second of waiting the process ends with a sentence (std::terminate).
//
// Cost: that of operator new while there is memory. Thread-safety: any thread may call both functions.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "base/for_simulator.hpp"

namespace skua::base {

/// Aligned as operator new aligns.
SKUA_FOR_SIMULATOR void* sure_allocate(std::size_t bytes) noexcept;
SKUA_FOR_SIMULATOR void sure_deallocate(void* memory, std::size_t bytes) noexcept;

template <class T>
struct sure_allocator {
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  using value_type = T;
  sure_allocator() = default;
  template <class U>
  sure_allocator(const sure_allocator<U>&) noexcept {}
  T* allocate(std::size_t n) noexcept { return static_cast<T*>(sure_allocate(n * sizeof(T))); }
  void deallocate(T* memory, std::size_t n) noexcept { sure_deallocate(memory, n * sizeof(T)); }
  friend bool operator==(sure_allocator, sure_allocator) noexcept { return true; }
};

template <class T>
using sure_vector = std::vector<T, sure_allocator<T>>;
template <class T>
using sure_deque = std::deque<T, sure_allocator<T>>;

}  // namespace skua::base
