// The runtime's own shared words, in caches of unlimited size: which threads hold a line, what a transfer costs, and
// how long a thread waits while others get the line. An access takes O(threads / 64); memory grows with the number of
// lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/machine/machine_shape.hpp"
#include "simulator/machine/memory_types.hpp"
#include "simulator/memory/interconnect.hpp"
#include "simulator/memory/line_holders.hpp"

namespace skua::simulator {

struct word_counters {
  std::uint64_t hits = 0, first_touches = 0;
  std::uint64_t upgrades = 0;  // of lines that the writer and other threads held
  cycles queueing = 0;
};

class coherent_lines {
 public:
  coherent_lines(const machine_shape& shape, interconnect& between);

  /// The cycles from `now` until the access of `thread` is done.
  cycles touch(std::size_t thread, line_number line, access how, cycles now);

  /// Resets the line to one that no thread has touched.
  void renew(line_number line);

  const word_counters& counters() const noexcept { return counters_; }
  /// The number of transfers by distance.
  std::span<const std::uint64_t> transfers() const noexcept { return transfers_; }

 private:
  struct supply {
    cycles cost;
    bool was_modified;
  };

  holder_word* at(line_number line);
  bool held_elsewhere(std::size_t core, const holder_word* held) const noexcept;
  bool held_by_others(std::size_t thread, const holder_word* held) const noexcept;
  bool held_by_third(std::size_t core, std::size_t supplier, const holder_word* held) const noexcept;
  supply fetch(std::size_t core, const holder_word* entry, bool write, cycles start);

  const machine_shape& shape_;
  interconnect& interconnect_;
  holder_sets threads_;
  std::size_t entry_words_;
  std::vector<holder_word> entries_;  // per line: busy until; 0, or 1 + the thread that modified it; holders
  std::vector<std::uint64_t> transfers_;
  word_counters counters_;
};

}  // namespace skua::simulator
