// Memory of a virtual worker's stack: reserved at once, committed as touched, with a guard below.
#pragma once

#include <cstddef>
#include <utility>

namespace skua::core {

class stack_memory {
 public:
  stack_memory() = default;
  /// Throws bad_alloc.
  explicit stack_memory(std::size_t bytes);
  ~stack_memory();
  stack_memory(stack_memory&& other) noexcept { swap(other); }
  stack_memory& operator=(stack_memory&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t bytes() const noexcept { return bytes_; }
  void* memory() const noexcept;

 private:
  void swap(stack_memory& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(bytes_, other.bytes_);
  }
  void* mapping_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace skua::core
