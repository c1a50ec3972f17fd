// Types that the parts of the memory model share.
#pragma once

#include <cstddef>
#include <cstdint>

#include <skua/simulation.hpp>

namespace skua::simulator {

using cycles = std::uint64_t;

/// Lines of a machine's caches are numbered in the order of their first touches, so the numbers are dense.
using line_number = std::uint32_t;
inline constexpr line_number no_line = 0xFFFFFFFF;

enum class access : std::uint8_t { read, write, atomic };  // atomic: a read-modify-write

/// Data as tasks declare them (skua/declare.hpp): `rows` pieces of `bytes` each, `pitch` bytes apart.
struct data_rows {
  std::uintptr_t address;
  std::size_t bytes, rows = 1, pitch = 0;
};

/// The part of a range in one page. `goes_on`: the range continues on the next page.
struct data_piece {
  std::uintptr_t address;
  std::size_t bytes;
  bool goes_on = false;
};

}  // namespace skua::simulator
