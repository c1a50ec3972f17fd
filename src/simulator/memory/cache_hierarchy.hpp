// Declared data in the caches of a machine: sets and ways, inclusion between levels, sharing of caches, coherence, and
// the memory behind them.
//
// The caches of a core, from the first to the last level, are its path. A line that is not in the path comes from the
// nearest other cache that has it, or from memory. It is then inserted into those caches of the path that take
// requested lines (inclusive and independent ones; always the first). Exclusive and victim caches receive what the next
// smaller cache evicts, and give up the lines that are requested from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/machine_shape.hpp"
#include "simulator/machine/memory_types.hpp"
#include "simulator/memory/address_space.hpp"
#include "simulator/memory/cache_level.hpp"
#include "simulator/memory/interconnect.hpp"
#include "simulator/memory/line_holders.hpp"

namespace skua::simulator {

/// The counters of one cache. Its requests come from the next smaller cache, or from the core.
struct cache_counters {
  std::uint64_t hits = 0, demand_misses = 0;
  std::uint64_t prefetch_misses = 0;     // requests of the prefetcher; its hits are not counted
  std::uint64_t evictions = 0;           // because this cache was full
  std::uint64_t back_invalidations = 0;  // because a larger, inclusive cache was full
  std::uint64_t invalidations = 0;       // because another core wrote
  std::uint64_t write_backs = 0;         // of modified lines, to a larger cache or to memory
};

class cache_hierarchy {
 public:
  /// The arguments must outlive this.
  cache_hierarchy(const machine_model& machine, const machine_shape& shape, const address_space& space,
                  interconnect& between);

  /// The cycles of one access of a core, including queueing for bandwidth.
  cycles demand(std::size_t core, line_number line, access how, cycles now);
  /// Fetches a line into the core's cache at prefetch_level() unless that cache or a smaller one has it. Returns the
  /// cycles until the line arrives, 0 if nothing was fetched.
  cycles prefetch(std::size_t core, line_number line, cycles now);
  /// The largest level that is not the last and takes requested lines.
  std::size_t prefetch_level() const noexcept { return prefetch_level_; }

  /// `cache` is a number of machine_shape.
  bool holds(std::size_t cache, line_number line) const noexcept;
  /// The cache that has the line modified, or line_directory::no_owner.
  std::size_t owner(line_number line) const noexcept;

  std::span<const cache_counters> counters() const noexcept { return counters_; }
  /// The number of lines from caches outside of the path, by distance.
  std::span<const std::uint64_t> transfers() const noexcept { return transfers_; }

 private:
  struct supply {
    cycles cost;
    std::size_t from;  // a cache outside of the path, or no_owner
  };
  enum class asked_by : std::uint8_t { core, prefetcher };

  bool takes_what_is_asked_for(std::size_t level) const noexcept {
    return level == 0 || simulator::takes_what_is_asked_for(contents_[level]);
  }
  /// A core that lacks a level has an empty cache there.
  bool is_there(std::size_t level, std::size_t cache) const noexcept {
    return levels_[level].has_room(cache - shape_.first_cache(level));
  }
  std::size_t on_path(std::size_t core, std::size_t level) const noexcept {
    return paths_[core * levels_.size() + level];
  }
  std::size_t find_on_path(std::size_t core, const holder_word* entry, std::size_t level) const noexcept;
  bool stale(std::size_t core, std::size_t level, const holder_word* entry) const noexcept;
  supply bring(std::size_t core, line_number line, holder_word* entry, std::size_t to_level,
               asked_by requester, bool write);
  supply from_path(std::size_t core, holder_word* entry, std::size_t level, bool write);
  supply from_outside(std::size_t core, line_number line, const holder_word* entry, bool write);
  cycles from_memory(std::size_t core, line_number line);
  cycles transfer(std::size_t core, std::size_t supplier, bool modified);
  void fill(std::size_t core, line_number line, holder_word* entry, std::size_t to_level, std::size_t end,
            bool modified);
  cycles own(std::size_t core, line_number line, holder_word* entry, const supply& got);
  void put(std::size_t level, std::size_t cache, line_number line, holder_word* entry);
  void evict(std::size_t level, std::size_t cache, line_number line);
  bool invalidate_below(std::size_t cache, line_number line, holder_word* entry);
  void pass_up(std::size_t level, std::size_t cache, line_number line, holder_word* entry, bool modified);
  void take_out(std::size_t cache, line_number line, holder_word* entry);
  bool held_beyond(const holder_word* entry, std::size_t core, std::size_t other_core) const noexcept;
  const holder_word* path_set(std::size_t core) const noexcept { return path_sets_.at(core, 0); }
  const holder_word* below_set(std::size_t cache) const noexcept { return below_sets_.at(cache, 0); }

  const machine_shape& shape_;
  const address_space& space_;
  interconnect& interconnect_;
  std::vector<cache_content> contents_;  // by level
  std::vector<cache_level> levels_;
  std::vector<std::uint32_t> paths_;                 // by core and level
  std::vector<std::uint32_t> cache_levels_, cores_;  // by cache: its level and its first core
  holder_sets outside_;                              // by core: the caches outside of its path, by distance
  holder_sets path_sets_, below_sets_;  // by core: its path; by cache: the smaller caches below it
  line_directory directory_;
  std::size_t prefetch_level_ = 0;
  cycles now_ = 0;  // the time of the current access
  std::vector<cache_counters> counters_;
  std::vector<std::uint64_t> transfers_;
};

}  // namespace skua::simulator
