// For each line, which caches hold it and which of them has it modified: some words of bits a line, in pieces that come
// as lines are touched. The caches' bits begin above the owner's.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "simulator/machine/memory_types.hpp"
#include "simulator/memory/holder_sets.hpp"

namespace skua::simulator {

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
