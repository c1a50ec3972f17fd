// Words that the parts of the model of memory share.
#pragma once

#include <cstddef>
#include <cstdint>

#include <skua/simulation.hpp>

namespace skua::simulator {

using cycles = std::uint64_t;

/// Lines of a machine's caches, numbered in the order in which they are first touched, so that they lie densely.
using line_number = std::uint32_t;
inline constexpr line_number no_line = 0xFFFFFFFF;

enum class access : std::uint8_t { read, write, atomic };  // atomic: read, modify and write in one

/// Data as tasks declare them (skua/declare.hpp): `rows` pieces of `bytes` each, `pitch` bytes from one to the next.
struct data_rows {
  std::uintptr_t address;
  std::size_t bytes, rows = 1, pitch = 0;
};

/// Bytes of one page of a range. `goes_on`: so does the range, on the next page.
struct data_piece {
  std::uintptr_t address;
  std::size_t bytes;
  bool goes_on = false;
};

}  // namespace skua::simulator
