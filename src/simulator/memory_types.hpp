// Words that the parts of the model of memory share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skua::simulator {

using cycles = std::uint64_t;

/// Lines of a machine's caches, numbered in the order in which they are first touched, so that they lie densely.
using line_number = std::uint32_t;
inline constexpr line_number no_line = 0xFFFFFFFF;

enum class access : std::uint8_t { read, write, atomic };  // atomic: read, modify and write in one

/// How much of a machine is modelled; each level has all of those before it.
enum class detail_level : std::uint8_t {
  steps,     // of workers, at fixed costs: memory costs nothing
  lines,     // the runtime's own shared words, in caches without end
  caches,    // the data that tasks declare, in caches as they are
  bandwidth  // of memory and links, and prefetching
};

/// Data as tasks declare them (skua/declare.hpp): `rows` pieces of `bytes` each, `pitch` bytes from one to the next.
struct data_rows {
  std::uintptr_t address;
  std::size_t bytes, rows = 1, pitch = 0;
};

}  // namespace skua::simulator
