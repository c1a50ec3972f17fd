// A sequence of values that programs and the library exchange: the CPUs in scheduler_options, the workers of a report.
//
//   skua::sequence<std::uint32_t> cpus = {0, 2, 4};
//   std::vector<skua::worker_times> times = pool.report().times;     // converts to a std::vector, and from one
//
// Use it as a std::vector. A program and the library cannot exchange a std::vector, because its layout depends on the flags
// of the compiler: with -D_GLIBCXX_DEBUG it is a larger type. So no function of the library takes or returns a std::vector, or
// a type that contains one. The layout of a sequence is always the same.
// Cost: that of a std::vector. A conversion copies the values.
// Throws: std::bad_alloc, and what a copy of a value throws; at() throws std::out_of_range.
// Thread-safety: that of a std::vector.
// Paper: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/exceptions.hpp>

namespace skua {

/// Values in consecutive memory; see the top of this file.
template <class T>
class sequence {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using iterator = T*;
  using const_iterator = const T*;

  sequence() noexcept = default;
  explicit sequence(std::size_t size) : sequence() { resize(size); }
  sequence(std::size_t size, const T& value) : sequence() { resize(size, value); }
  sequence(std::initializer_list<T> values) : sequence(values.begin(), values.end()) {}
  template <std::input_iterator It>
  sequence(It first, It last) : sequence() {  // so that the destructor runs if a copy throws
    if constexpr (std::forward_iterator<It>) reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) push_back(*first);
  }
  sequence(const std::vector<T>& values) : sequence(values.begin(), values.end()) {}
  sequence(const sequence& other) : sequence(other.begin(), other.end()) {}
  sequence(sequence&& other) noexcept { swap(other); }
  // Two operators. A single one that takes its argument by value and is noexcept would make the implicit assignment of a
  // struct noexcept too, although copying the argument may throw.
  sequence& operator=(const sequence& other) { return *this = sequence(other); }
  sequence& operator=(sequence&& other) noexcept {
    sequence(std::move(other)).swap(*this);
    return *this;
  }
  ~sequence() {
    clear();
    std::allocator<T>().deallocate(values_, capacity_);
  }
  operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  T* data() noexcept { return values_; }
  const T* data() const noexcept { return values_; }
  T* begin() noexcept { return values_; }
  const T* begin() const noexcept { return values_; }
  const T* cbegin() const noexcept { return values_; }
  T* end() noexcept { return values_ + size_; }
  const T* end() const noexcept { return values_ + size_; }
  const T* cend() const noexcept { return values_ + size_; }
  T& operator[](std::size_t at) noexcept { return values_[at]; }
  const T& operator[](std::size_t at) const noexcept { return values_[at]; }
  T& at(std::size_t at) { return values_[checked(at)]; }
  const T& at(std::size_t at) const { return values_[checked(at)]; }
  T& front() noexcept { return values_[0]; }
  const T& front() const noexcept { return values_[0]; }
  T& back() noexcept { return values_[size_ - 1]; }
  const T& back() const noexcept { return values_[size_ - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) move_to(capacity);
  }
  void resize(std::size_t size) {
    shrink_to(size);
    reserve(size);
    while (size_ < size) emplace_back();
  }
  void resize(std::size_t size, const T& value) {
    shrink_to(size);
    if (size_ < size) insert(end(), size - size_, value);
  }
  void assign(std::size_t size, const T& value) { *this = sequence(size, value); }
  template <std::input_iterator It>
  void assign(It first, It last) {
    *this = sequence(first, last);
  }
  void clear() noexcept { shrink_to(0); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ < capacity_) {
      T* const made = std::construct_at(values_ + size_, std::forward<Args>(args)...);
      ++size_;
      return *made;
    }
    T value(std::forward<Args>(args)...);  // before the values move: an argument may be one of them
    move_to((std::max)(std::size_t{4}, 2 * capacity_));
    return emplace_back(std::move(value));
  }
  void push_back(const T& value) { emplace_back(value); }
  void push_back(T&& value) { emplace_back(std::move(value)); }
  void pop_back() noexcept { shrink_to(size_ - 1); }
  T* insert(const T* before, T value) {
    const std::ptrdiff_t at = before - begin();
    emplace_back(std::move(value));
    std::rotate(begin() + at, end() - 1, end());
    return begin() + at;
  }
  T* insert(const T* before, std::size_t count, const T& value) {
    const std::ptrdiff_t at = before - begin();
    const auto old_size = static_cast<std::ptrdiff_t>(size_);
    const T copied = value;  // it may be one of the values
    reserve(size_ + count);
    for (std::size_t i = 0; i < count; ++i) emplace_back(copied);
    std::rotate(begin() + at, begin() + old_size, end());
    return begin() + at;
  }
  T* erase(const T* at) { return erase(at, at + 1); }
  T* erase(const T* first, const T* last) {
    T* const gap = begin() + (first - begin());
    T* const rest = std::move(begin() + (last - begin()), end(), gap);
    shrink_to(static_cast<std::size_t>(rest - begin()));
    return gap;
  }
  void swap(sequence& other) noexcept {
    std::swap(values_, other.values_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  friend bool operator==(const sequence& a, const sequence& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::size_t checked(std::size_t at) const {
    if (at >= size_) detail::refuse_index("skua: sequence::at() after the last value");
    return at;
  }
  void shrink_to(std::size_t size) noexcept {
    while (size_ > size) std::destroy_at(values_ + --size_);
  }
  void move_to(std::size_t capacity) {
    static_assert(std::is_nothrow_move_constructible_v<T>);
    T* const values = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), values);
    std::destroy(begin(), end());
    std::allocator<T>().deallocate(values_, capacity_);
    values_ = values;
    capacity_ = capacity;
  }

  T* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace skua
