// The shape of a region as the program describes it. A policy computes a boundary level from it; see shaped.hpp.
//
//   skua::shaped({.input_bytes = 8 * n, .branching = 2}, [&] { sort(v.begin(), v.end()); });
//
// Throws: nothing; skua::shaped() throws bad_input for values that are not allowed.
// Thread-safety: plain values.
// Paper: CAB, equation 4.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace skua {

/// A number, converted from an integer of any type. The functions that use it reject a negative number.
class count {
 public:
  template <std::integral Integer>
  constexpr count(Integer n) noexcept : value_(static_cast<std::size_t>(n)), negative_(n < Integer{0}) {}
  constexpr operator std::size_t() const noexcept { return value_; }
  constexpr bool negative() const noexcept { return negative_; }

 private:
  std::size_t value_;
  bool negative_;
};

/// The shape of a region.
struct region_shape {
  count input_bytes = 0;  // bytes that the region reads and writes in total; 0: unknown
  count branching = 2;    // children of a task: 2 or more
  std::optional<std::uint32_t> boundary_level =
      std::nullopt;  // replaces the level that the policy would compute
};

}  // namespace skua
