// Who holds a line, as bits, and who of them is nearest.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/machine/memory_types.hpp"

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

// ---- the directory

// For each line, which caches hold it and which of them has it modified: some words of bits a line, in pieces that come
// as lines are touched. The caches' bits begin above the owner's.

class line_directory {
 public:
  static constexpr std::size_t owner_bits = 16;
  static constexpr std::size_t none = (std::size_t{1} << owner_bits) - 1;  // more than there may be caches

  explicit line_directory(std::size_t words_a_line) : words_(words_a_line) {}

  /// Stays where it is.
  holder_word* at(line_number line) {
    const std::size_t piece = line / lines_a_piece;
    if (piece >= pieces_.size() || !pieces_[piece]) [[unlikely]]
      add(piece);
    return &pieces_[piece][line % lines_a_piece * words_];
  }
  const holder_word* find(line_number line) const noexcept {
    const std::size_t piece = line / lines_a_piece;
    if (piece >= pieces_.size() || !pieces_[piece]) return nullptr;
    return &pieces_[piece][line % lines_a_piece * words_];
  }

  static bool holds(const holder_word* line, std::size_t cache) noexcept {
    return has_bit(line, owner_bits + cache);
  }
  static void add_holder(holder_word* line, std::size_t cache) noexcept { set_bit(line, owner_bits + cache); }
  static void drop_holder(holder_word* line, std::size_t cache) noexcept {
    clear_bit(line, owner_bits + cache);
  }
  /// The cache that has it modified, or nobody.
  static std::size_t owner(const holder_word* line) noexcept { return none - (line[0] & none); }
  static void set_owner(holder_word* line, std::size_t cache) noexcept {
    line[0] = (line[0] & ~holder_word{none}) | (none - cache);  // kept so that no bits mean nobody
  }

 private:
  static constexpr std::size_t lines_a_piece = 4096;

  void add(std::size_t piece) {
    if (piece >= pieces_.size()) pieces_.resize(piece + 1);
    pieces_[piece] = std::make_unique<holder_word[]>(lines_a_piece * words_);
  }

  std::size_t words_;
  std::vector<std::unique_ptr<holder_word[]>> pieces_;
};

}  // namespace skua::simulator
