// Simulated times depend on addresses, which decide what the simulated caches hold. This memory begins at a boundary of 2 MB.
#pragma once

#include <cstddef>
#include <new>

/// Memory that lies in the simulated caches in the same way in each process.
template <class T>
struct at_same_place {
  using value_type = T;
  static constexpr std::align_val_t alignment{1 << 21};
  at_same_place() = default;
  template <class U>
  at_same_place(const at_same_place<U>&) noexcept {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }
  void deallocate(T* p, std::size_t) noexcept { ::operator delete(p, alignment); }
  bool operator==(const at_same_place&) const = default;
};
