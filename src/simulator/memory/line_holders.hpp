// The caches or threads that hold a line, as bits: which one is nearest, and the directory of all lines.
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

/// For each core and distance, the set of holders at this distance. A holder is a thread or a cache. Holder h is bit
/// first_bit + h of a line's words; the bits below are free for the user of the class.
class holder_sets {
 public:
  struct nearest_holder {
    std::size_t holder, distance;
  };
  static constexpr std::size_t nowhere = ~std::size_t{0};

  /// distance_of(core, holder) is below `distances`, or `nowhere` for a holder that is in none of the core's sets.
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

  /// The nearest holder; of several, the one with the lowest number.
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

/// Which caches hold a line, and which of them has it modified: a few words per line, in blocks that are allocated when
/// lines are touched. The bits of the caches begin above those of the owner.
class line_directory {
 public:
  static constexpr std::size_t owner_bits = 16;
  static constexpr std::size_t no_owner = (std::size_t{1} << owner_bits) - 1;  // above all numbers of caches

  explicit line_directory(std::size_t words_a_line) : words_(words_a_line) {}

  /// The address of a line's words never changes.
  holder_word* at(line_number line) {
    const std::size_t block = line / lines_per_block;
    if (block >= blocks_.size() || !blocks_[block]) [[unlikely]]
      add(block);
    return &blocks_[block][line % lines_per_block * words_];
  }
  const holder_word* find(line_number line) const noexcept {
    const std::size_t block = line / lines_per_block;
    if (block >= blocks_.size() || !blocks_[block]) return nullptr;
    return &blocks_[block][line % lines_per_block * words_];
  }

  static bool holds(const holder_word* line, std::size_t cache) noexcept {
    return has_bit(line, owner_bits + cache);
  }
  static void add_holder(holder_word* line, std::size_t cache) noexcept { set_bit(line, owner_bits + cache); }
  static void drop_holder(holder_word* line, std::size_t cache) noexcept {
    clear_bit(line, owner_bits + cache);
  }
  /// The cache that has the line modified, or no_owner.
  static std::size_t owner(const holder_word* line) noexcept { return no_owner - (line[0] & no_owner); }
  static void set_owner(holder_word* line, std::size_t cache) noexcept {
    line[0] = (line[0] & ~holder_word{no_owner}) | (no_owner - cache);  // so zero bits mean no owner
  }

 private:
  static constexpr std::size_t lines_per_block = 4096;

  void add(std::size_t block) {
    if (block >= blocks_.size()) blocks_.resize(block + 1);
    blocks_[block] = std::make_unique<holder_word[]>(lines_per_block * words_);
  }

  std::size_t words_;
  std::vector<std::unique_ptr<holder_word[]>> blocks_;
};

}  // namespace skua::simulator
