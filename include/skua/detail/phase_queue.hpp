// The queue of one participant of a phase. It returns the newest, oldest or greatest task first. A range of integers is
// one entry.
#pragma once

#include <algorithm>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <deque>
#include <type_traits>

#include <skua/detail/phase_core.hpp>
#include <skua/order.hpp>

namespace skua::detail {

/// An entry of the queue: one value, or count() consecutive values. Only integers can form a range.
template <class T>
struct phase_entry {
  T value;
  static constexpr bool is_range = false;
  std::uint64_t count() const noexcept { return 1; }
};
template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>)
struct phase_entry<T> {
  T value;
  std::uint64_t values = 1;
  static constexpr bool is_range = true;
  std::uint64_t count() const noexcept { return values; }
  /// Removes and returns the last `n` values. At least one value must remain.
  phase_entry split(std::uint64_t n) noexcept {
    values -= n;
    return {static_cast<T>(static_cast<std::uint64_t>(value) + values), n};
  }
};

template <class T, class Less>
class phase_queue final : public phase_tasks {
 public:
  using entry = phase_entry<T>;
  static_assert(sizeof(entry) <= sizeof(phase_words));
  static constexpr bool can_order = std::is_invocable_r_v<bool, const Less&, const T&, const T&>;

  phase_queue(order by, const Less& less) : order_(by), less_{less} {}

  std::uint64_t size() const noexcept override { return size_; }

  void push(const entry& e) {
    assert(is_mine());
    entries_.push_back(e);
    if constexpr (can_order)
      if (order_ == order::priority) std::push_heap(entries_.begin(), entries_.end(), less_);
    size_ += e.count();
  }
  /// The owner's next task. The queue must not be empty.
  T pop() {
    assert(is_mine());
    --size_;
    entry& e = order_ == order::lifo ? entries_.back() : entries_.front();
    const T value = e.value;
    if constexpr (entry::is_range) {
      if (e.values > 1) {
        entry rest{static_cast<T>(value + 1), e.values - 1};
        if (order_ != order::priority) {
          e = rest;
          return value;
        }
        remove_next();
        size_ -= rest.count();
        push(rest);
        return value;
      }
    }
    remove_next();
    return value;
  }

  void put(const phase_words& one) override {
    entry e;
    std::memcpy(static_cast<void*>(&e), one.data(), sizeof(e));
    push(e);
  }
  /// The task for a thief: with lifo the one that the owner would run last, else the one that it would run next.
  phase_words take(std::uint64_t max, std::uint64_t& taken) override {
    assert(is_mine());
    entry& oldest = entries_.front();
    taken = (std::min)(max, oldest.count());
    size_ -= taken;
    phase_words words{};
    if constexpr (entry::is_range) {
      if (taken < oldest.count()) {
        const entry back = oldest.split(taken);
        std::memcpy(words.data(), &back, sizeof(back));
        return words;
      }
    }
    std::memcpy(words.data(), static_cast<const void*>(&oldest), sizeof(oldest));
    if (order_ == order::lifo)
      entries_.pop_front();
    else
      remove_next();
    return words;
  }
  void clear() noexcept override {
    entries_.clear();
    size_ = 0;
  }

 private:
  void remove_next() {
    if (order_ == order::lifo) return entries_.pop_back();
    if constexpr (can_order) {
      if (order_ == order::priority) {
        std::pop_heap(entries_.begin(), entries_.end(), less_);
        return entries_.pop_back();
      }
    }
    entries_.pop_front();
  }

  struct entry_less {
    Less less;
    bool operator()(const entry& a, const entry& b) const
      requires can_order
    {
      return less(a.value, b.value);
    }
  };

  order order_;
  entry_less less_;
  std::deque<entry> entries_;
  std::uint64_t size_ = 0;
};

}  // namespace skua::detail
