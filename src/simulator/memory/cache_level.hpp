// All caches of one level: sets of lines, most recently used first, in one allocation. The directory (line_holders.hpp)
// knows which lines are present, so a miss does not search here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class cache_level {
 public:
  /// Makes `all` caches; those beyond the given ones are empty.
  cache_level(const std::vector<cache_instance>& caches, std::size_t all) {
    std::size_t lines = 0;
    for (const cache_instance& one : caches) {
      const auto sets = static_cast<line_number>(one.sets());
      caches_.push_back({sets, (sets & (sets - 1)) == 0 ? sets - 1 : 0, one.ways, lines});
      lines += sets * one.ways;
    }
    caches_.resize(all, shape{});
    lines_.assign(lines, no_line);
  }

  /// False for an empty cache, into which nothing may be inserted.
  bool has_room(std::size_t cache) const noexcept { return caches_[cache].ways != 0; }

  /// A line that is present becomes the most recently used.
  void use(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    const std::size_t ways = caches_[cache].ways;
    line_number* const way = std::find(set, set + ways, line);
    std::copy_backward(set, way, way + 1);
    *set = line;
  }

  /// Inserts a line that is not present as the most recently used. Returns the evicted line, or no_line.
  line_number insert(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    const std::size_t ways = caches_[cache].ways;
    const line_number leaves = set[ways - 1];
    std::copy_backward(set, set + ways - 1, set + ways);
    *set = line;
    return leaves;
  }

  /// Removes a line that is present.
  void remove(std::size_t cache, line_number line) noexcept {
    line_number* const set = set_of(cache, line);
    const std::size_t ways = caches_[cache].ways;
    line_number* const end = set + ways;
    line_number* const way = std::find(set, end, line);
    *std::copy(way + 1, end, way) = no_line;
  }

 private:
  line_number* set_of(std::size_t cache, line_number line) noexcept {
    const shape& one = caches_[cache];
    const std::size_t set = one.mask != 0 ? line & one.mask : line % one.sets;
    return &lines_[one.begin + set * one.ways];
  }

  struct shape {
    line_number sets, mask;  // mask: 0 if the number of sets is not a power of two
    std::size_t ways, begin;
  };
  std::vector<shape> caches_;
  std::vector<line_number> lines_;
};

}  // namespace skua::simulator
