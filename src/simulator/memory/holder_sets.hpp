// Who holds a line, as bits, and who of them is nearest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skua::simulator {

using holder_word = std::uint64_t;

inline bool has_bit(const holder_word* words, std::size_t bit) noexcept {
  return (words[bit / 64] >> (bit % 64) & 1) != 0;
}
inline void set_bit(holder_word* words, std::size_t bit) noexcept {
  words[bit / 64] |= holder_word{1} << (bit % 64);
}
inline void clear_bit(holder_word* words, std::size_t bit) noexcept {
  words[bit / 64] &= ~(holder_word{1} << (bit % 64));
}

/// What one core sees of the holders: for each distance the set of those who are so far away. A holder may be a thread or
/// a cache; holder h is bit first_bit + h of a line's words, and the bits below are the owner's to use.
class holder_sets {
 public:
  struct nearest_holder {
    std::size_t holder, distance;
  };
  static constexpr std::size_t nowhere = ~std::size_t{0};

  /// distance_of(core, holder) is below `distances`, or nowhere: then the core's sets do not have it.
  template <class Distance>
  holder_sets(std::size_t cores, std::size_t holders, std::size_t first_bit, std::size_t distances,
              const Distance& distance_of)
      : distances_(distances),
        first_bit_(first_bit),
        words_((first_bit + holders + 63) / 64),
        sets_(cores * distances * words_) {
    for (std::size_t core = 0; core < cores; ++core)
      for (std::size_t h = 0; h < holders; ++h)
        if (const std::size_t d = distance_of(core, h); d != nowhere)
          set_bit(&sets_[(core * distances_ + d) * words_], first_bit + h);
  }

  std::size_t words() const noexcept { return words_; }
  const holder_word* at(std::size_t core, std::size_t distance) const noexcept {
    return &sets_[(core * distances_ + distance) * words_];
  }

  /// The lowest of the nearest.
  std::optional<nearest_holder> nearest(std::size_t core, const holder_word* held) const noexcept {
    const holder_word* set = at(core, 0);
    for (std::size_t d = 0; d < distances_; ++d, set += words_)
      for (std::size_t w = 0; w < words_; ++w)
        if (const holder_word both = held[w] & set[w]; both != 0)
          return nearest_holder{64 * w + static_cast<std::size_t>(std::countr_zero(both)) - first_bit_, d};
    return std::nullopt;
  }

 private:
  std::size_t distances_, first_bit_, words_;
  std::vector<holder_word> sets_;
};

}  // namespace skua::simulator
