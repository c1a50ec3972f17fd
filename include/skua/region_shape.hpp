// What a program says of a region, for a policy to compute a boundary level from; see shaped.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace skua {

/// A number of things, from an integer of any type; a negative one is refused where it is used.
class count {
 public:
  template <std::integral I>
  constexpr count(I n) noexcept : value_(static_cast<std::size_t>(n)), negative_(n < I{0}) {}
  constexpr operator std::size_t() const noexcept { return value_; }
  constexpr bool negative() const noexcept { return negative_; }

 private:
  std::size_t value_;
  bool negative_;
};

struct region_shape {
  count input_bytes = 0;  // all that the region reads and writes; 0: unknown
  count branching = 2;    // children of a task: 2 or more
  std::optional<std::uint32_t> boundary_level = std::nullopt;  // instead of what the policy would compute
};

}  // namespace skua
