// Some of the policies that a scheduler chooses from, by their numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace skua::core {

class policy_set {
 public:
  constexpr policy_set() noexcept = default;
  /// Bit i: policy i.
  constexpr explicit policy_set(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr policy_set of(std::size_t policy) noexcept { return policy_set(1u << policy); }

  constexpr bool empty() const noexcept { return bits_ == 0; }
  constexpr bool has(std::size_t policy) const noexcept { return bits_ >> policy & 1; }
  constexpr policy_set without(std::size_t policy) const noexcept {
    return policy_set(bits_ & ~(1u << policy));
  }
  void add(std::size_t policy) noexcept { bits_ |= 1u << policy; }
  void remove(std::size_t policy) noexcept { *this = without(policy); }
  /// Not of an empty one.
  std::size_t take_first() noexcept {
    const auto first = static_cast<std::size_t>(std::countr_zero(bits_));
    remove(first);
    return first;
  }

 private:
  std::uint32_t bits_ = 0;
};

}  // namespace skua::core
