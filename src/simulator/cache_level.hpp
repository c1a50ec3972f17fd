// All caches of one level: sets of lines in the order of their use, the latest first, in one piece of memory. Which lines
// are there is asked elsewhere (line_directory.hpp), so a miss does not search.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/machine_model.hpp"
#include "simulator/memory_types.hpp"

namespace skua::simulator {

class cache_level {
 public:
  cache_level(const cache_model& model, std::size_t caches)
      : sets_(static_cast<line_number>(model.sets())),
        mask_((sets_ & (sets_ - 1)) == 0 ? sets_ - 1 : 0),
        ways_(model.ways),
        lines_(caches * sets_ * ways_, no_line) {}

  /// A line that is there becomes the latest.
  void use(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    line_number* const way = std::find(set, set + ways_, line);
    std::copy_backward(set, way, way + 1);
    *set = line;
  }

  /// A line that is not there comes in as the latest; returns the one that had to leave, or no_line.
  line_number insert(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    const line_number leaves = set[ways_ - 1];
    std::copy_backward(set, set + ways_ - 1, set + ways_);
    *set = line;
    return leaves;
  }

  /// A line that is there leaves.
  void remove(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    line_number* const end = set + ways_;
    line_number* const way = std::find(set, end, line);
    *std::copy(way + 1, end, way) = no_line;
  }

 private:
  line_number* set_of(std::size_t cache, line_number line) noexcept {
    const std::size_t set = mask_ != 0 ? line & mask_ : line % sets_;
    return &lines_[(cache * sets_ + set) * ways_];
  }

  line_number sets_, mask_;  // mask: 0 where the sets are no power of two
  std::size_t ways_;
  std::vector<line_number> lines_;
};

}  // namespace skua::simulator
