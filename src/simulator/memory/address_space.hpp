// Real addresses as numbers that do not depend on where memory lies.
//
//   address_space space(shape, machine.pages);
//   line_number line = space.first_line(address / page_bytes, core) + address % page_bytes / 64;
//
// Data: pages are numbered in the order in which they are first touched, and a page's place in memory is decided then.
// A page's number decides too which sets its lines share. So cores take numbers in runs, out of blocks of those who
// share a last cache, as kernels hand out pages to processors in batches: were they taken one by one, threads that touch
// their data in turns would each use a fraction of their caches' sets. Numbers are dense but for these.
//
// What happens is the same wherever data lie if they lie in the same place within their pages and share no page with
// other data: whoever wants that allocates declared data at multiples of page_bytes. At multiples of 64 bytes, lines are
// still cut alike, but what else is on a page, where pages end and so what the prefetcher does may differ; at malloc's
// 16, an array may even need a line more. The same holds for memory that is used again: forget() it, or let it keep its
// numbers and what caches hold of it, as real memory would; then which memory is used again must not change either.
//
// The runtime's own words: lines of 64 bytes are numbered one by one, apart from data and from each other, so only their
// place within a line matters. Objects whose words are touched lie at multiples of 64 bytes (those of queues at 128: two
// lines, as two in hardware; a pair is never fetched together). Those that lie in a task's frame, which are anywhere, are
// told by new_words().
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

  /// `uniform` on a machine of several nodes means dealt out, as interleave does. The shape must live as long.
  address_space(const machine_shape& shape, page_policy pages);

  /// Of a data page, address / page_bytes; the core that asks first touches it first.
  line_number first_line(std::uintptr_t page, std::size_t core);
  /// Where a line's page lies.
  std::size_t home(line_number line) const noexcept { return homes_[line / lines_a_page_]; }

  line_number word_line(const void* address);
  /// An object in memory that was used for something else: its lines, numbered anew, begin where it begins, wherever that
  /// is. Returns them, until the next call; numbers that no word has any more are given out again.
  std::span<const line_number> new_words(const void* object, std::size_t bytes);

  /// Whatever lies wholly in there gets new numbers when it is touched again, as fresh memory does.
  void forget(const void* address, std::size_t bytes);

  /// Whether pages lie in several memories in turn, whoever touches them.
  bool deals_out_pages() const noexcept;
  std::size_t lines_a_page() const noexcept { return lines_a_page_; }
  std::size_t pages() const noexcept { return touched_; }
  std::size_t word_lines() const noexcept { return next_word_line_; }

 private:
  /// Numbers of pages that are still to be given out.
  struct supply {
    line_number next = 0, end = 0;
  };

  line_number next_page(std::size_t core);
  line_number take_word_line();
  void drop_word(line_number line);

  const machine_shape& shape_;
  page_policy policy_;
  std::size_t lines_a_page_, touched_ = 0;
  std::vector<supply> runs_, blocks_;  // by core; by last cache
  line_number next_block_ = 0;
  // Looked into only; nothing depends on their order.
  std::unordered_map<std::uintptr_t, line_number> pages_, word_lines_, words_;
  std::vector<std::uint16_t> homes_;  // by number of page
  line_number next_word_line_ = 0;
  std::vector<std::uint8_t>
      words_of_object_;  // by line number: how many words of an object have it, 0: of no object
  std::vector<line_number> free_word_lines_, new_lines_;
};

}  // namespace skua::simulator
