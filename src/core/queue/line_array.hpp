// An array of words that threads share: it begins a line, wherever it lies.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

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

}  // namespace skua::core
