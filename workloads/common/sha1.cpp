#include "workloads/common/sha1.hpp"

#include <bit>

namespace workloads {

sha1_digest sha1_short(std::span<const std::uint8_t> message) {
  std::array<std::uint8_t, 64> block = {};
  for (std::size_t i = 0; i < message.size(); ++i) block[i] = message[i];
  block[message.size()] = 0x80;
  put_big_endian(&block[60], static_cast<std::uint32_t>(8 * message.size()));

  std::array<std::uint32_t, 80> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = get_big_endian(&block[4 * t]);
  for (std::size_t t = 16; t < 80; ++t) w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);

  const std::array<std::uint32_t, 5> start = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::uint32_t a = start[0], b = start[1], c = start[2], d = start[3], e = start[4];
  const auto rounds = [&](std::size_t first, std::uint32_t constant, auto choose) {
    for (std::size_t t = first; t < first + 20; ++t) {
      const std::uint32_t next = std::rotl(a, 5) + choose(b, c, d) + e + constant + w[t];
      e = d, d = c, c = std::rotl(b, 30), b = a, a = next;
    }
  };
  using word = std::uint32_t;
  rounds(0, 0x5a827999, [](word x, word y, word z) { return (x & y) ^ (~x & z); });
  rounds(20, 0x6ed9eba1, [](word x, word y, word z) { return x ^ y ^ z; });
  rounds(40, 0x8f1bbcdc, [](word x, word y, word z) { return (x & y) ^ (x & z) ^ (y & z); });
  rounds(60, 0xca62c1d6, [](word x, word y, word z) { return x ^ y ^ z; });

  sha1_digest digest;
  const std::array<std::uint32_t, 5> end = {a, b, c, d, e};
  for (std::size_t i = 0; i < 5; ++i) put_big_endian(&digest[4 * i], start[i] + end[i]);
  return digest;
}

}  // namespace workloads
