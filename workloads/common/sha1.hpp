// SHA-1 of messages of at most 55 bytes, which is one block (FIPS 180-4, section 6.1). It is a source of random numbers
// that is the same in every implementation of a benchmark. It is not for security.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace workloads {

using sha1_digest = std::array<std::uint8_t, 20>;

inline void put_big_endian(std::uint8_t* to, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(word >> (24 - 8 * i));
}
inline std::uint32_t get_big_endian(const std::uint8_t* from) {
  return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 | from[3];
}

/// `message`: at most 55 bytes.
sha1_digest sha1_short(std::span<const std::uint8_t> message);

}  // namespace workloads
