// What a program says of a region, for a policy to compute a boundary level from; see shaped.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace skua {

struct region_shape {
  std::size_t input_bytes = 0;  // all that the region reads and writes; 0: unknown
  std::size_t branching = 2;    // children of a task: 2 or more
  std::optional<std::uint32_t> boundary_level = std::nullopt;  // instead of what the policy would compute
};

}  // namespace skua
