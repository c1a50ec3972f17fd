// Maps real addresses to numbers that do not depend on where memory lies.
//
//   address_space space(shape, machine.pages);
//   line_number line = space.first_line(address / page_bytes, core) + address % page_bytes / 64;
//
// Data: pages are numbered in the order of their first touches, and the first touch also decides the memory node. The
// number of a page decides which cache sets its lines share. So cores take numbers in runs, out of blocks for the cores
// that share a last-level cache, as kernels hand out pages to processors in batches. If cores took single numbers, then
// threads that touch their data in turns would each use a fraction of their caches' sets. Numbers are dense apart from
// this.
//
// A run does not depend on where data lie if they lie at the same offsets within their pages and share no page with
// other data. A program gets this by allocating declared data at multiples of page_bytes. At multiples of 64 bytes,
// lines are still divided alike, but the rest of a page, the page ends and thus the prefetcher's work may differ. At
// malloc's 16 bytes, an array may even need one line more. The same holds for memory that is used again: either
// forget() it, or let it keep its numbers and cached lines, as real memory does; then the choice of the memory that is
// used again must not change either.
//
// The runtime's words: lines of 64 bytes are numbered one by one, apart from data and from each other, so only a word's
// offset within its line matters. Objects with modelled words are aligned to 64 bytes (those of queues to 128: two
// lines, as two in hardware; a pair is never fetched together). Objects in a task's frame have no fixed alignment;
// new_words() announces them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/machine_shape.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class address_space {
 public:
  static constexpr std::size_t word_line_bytes = 64, word_bytes = 8;

  static constexpr std::size_t run_pages = 64, block_pages = 16384;
  static constexpr unsigned recent_bits = 15;  // 192 workers look at some dozens of words each

  /// On a machine of several nodes, `uniform` distributes pages in turn, like `interleave`. The shape must outlive
  /// this.
  address_space(const machine_shape& shape, page_policy pages);

  /// The first line of a data page, address / page_bytes. The first call for a page is its first touch, by this core.
  line_number first_line(std::uintptr_t page, std::size_t core);
  /// The memory node of a line's page.
  std::size_t home(line_number line) const noexcept { return homes_[line / lines_a_page_]; }

  line_number word_line(const void* address) {
    const auto word = reinterpret_cast<std::uintptr_t>(address) / word_bytes;
    const recent_word& known = recent_[place_of(word)];
    return known.word == word ? known.line : find_word_line(word);
  }
  /// Numbers the lines of a new object in memory that was used before. Its first line begins where the object begins,
  /// at any alignment. The returned lines are valid until the next call. Numbers without a word are used again.
  std::span<const line_number> new_words(const void* object, std::size_t bytes);

  /// Pages, lines and words that lie wholly in this range get new numbers at their next touch, like fresh memory.
  void forget(const void* address, std::size_t bytes);

  /// Whether pages are distributed over several memory nodes in turn, independently of the thread that touches them.
  bool deals_out_pages() const noexcept;
  std::size_t lines_a_page() const noexcept { return lines_a_page_; }
  std::size_t pages() const noexcept { return touched_; }
  std::size_t word_lines() const noexcept { return next_word_line_; }

 private:
  /// Page numbers that have not been given out yet.
  struct supply {
    line_number next = 0, end = 0;
  };

  /// A word that was looked up. Its number is read far more often than it changes, and a look into a hash table takes a
  /// tenth of a simulation.
  struct recent_word {
    std::uintptr_t word = 0;  // 0: none
    line_number line = 0;
  };

  // Objects of the workers lie at regular distances, so a multiplication spreads them.
  static std::size_t place_of(std::uintptr_t word) noexcept {
    return static_cast<std::size_t>(word * 0x9E3779B97F4A7C15ULL >> (64 - recent_bits));
  }
  line_number find_word_line(std::uintptr_t word);
  line_number next_page(std::size_t core);
  line_number take_word_line();
  void drop_word(line_number line);

  const machine_shape& shape_;
  page_policy policy_;
  std::size_t lines_a_page_, touched_ = 0;
  std::vector<supply> runs_, blocks_;  // by core; by last cache
  line_number next_block_ = 0;
  // Only for look-ups; nothing depends on their order.
  std::unordered_map<std::uintptr_t, line_number> pages_, word_lines_, words_;
  std::vector<std::uint16_t> homes_;  // by page number
  std::vector<recent_word> recent_ = std::vector<recent_word>(std::size_t{1} << recent_bits);
  line_number next_word_line_ = 0;
  std::vector<std::uint8_t>
      words_of_object_;  // by line number: the number of an object's words in it, 0: none
  std::vector<line_number> free_word_lines_, new_lines_;
};

}  // namespace skua::simulator
