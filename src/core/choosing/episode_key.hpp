#pragma once

#include <cstddef>
#include <cstdint>

namespace skua::core {

enum class episode_kind : std::uint8_t { call, region, loop };

/// Where an episode is, and how large: episodes whose sizes have the same number of bits are alike.
struct episode_key {
  episode_kind kind;
  std::uint64_t site;  // an address of the program
  std::uint32_t size_bits;
  bool operator==(const episode_key&) const = default;
};

constexpr const char* name_of(episode_kind kind) noexcept {
  constexpr const char* names[] = {"call", "region", "loop"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace skua::core
