// Declared data in the caches of a machine as they are: sets and ways, what larger caches hold of what smaller ones do,
// who shares one, coherence between them, and the memory behind them.
//
// A core's caches, from its first to its last, are its path. A line that the path does not have comes from the nearest
// cache that does or from memory; then it is put into those of the path that take what was asked for (inclusive and
// independent ones; the first always), while exclusive and victim caches get what the one below throws out, and give away
// what they are asked for.
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

/// Of one cache. Its misses are asked for by the smaller cache before it, or by the core.
struct cache_counters {
  std::uint64_t hits = 0, demand_misses = 0;
  std::uint64_t prefetch_misses = 0;     // of lines that the prefetcher asked for; its hits are not counted
  std::uint64_t evictions = 0;           // for lack of room here
  std::uint64_t back_invalidations = 0;  // because a larger, inclusive cache had no room
  std::uint64_t invalidations = 0;       // because another core wrote
  std::uint64_t write_backs = 0;         // modified lines that left for a larger cache or memory
};

class cache_hierarchy {
 public:
  /// The others must live as long.
  cache_hierarchy(const machine_model& machine, const machine_shape& shape, const address_space& space,
                  interconnect& between);

  /// Cycles of one access of a core, queueing for bandwidth included.
  cycles demand(std::size_t core, line_number line, access how, cycles now);
  /// Brings a line that a core's caches up to prefetch_level() do not have there; how long until it comes. Nothing where
  /// they have it.
  cycles prefetch(std::size_t core, line_number line, cycles now);
  /// The largest that is not the last and takes what is asked for.
  std::size_t prefetch_level() const noexcept { return prefetch_level_; }

  /// By number, as machine_shape has them.
  bool holds(std::size_t cache, line_number line) const noexcept;
  /// The cache that has the line modified, or line_directory::nobody.
  std::size_t owner(line_number line) const noexcept;

  std::span<const cache_counters> counters() const noexcept { return counters_; }
  /// Lines from caches outside of the path, by distance.
  std::span<const std::uint64_t> transfers() const noexcept { return transfers_; }

 private:
  struct supply {
    cycles cost;
    std::size_t from;  // a cache outside of the path, or nobody
  };
  enum class asked_by : std::uint8_t { core, prefetcher };

  bool takes_what_is_asked_for(std::size_t level) const noexcept {
    return level == 0 || simulator::takes_what_is_asked_for(contents_[level]);
  }
  /// Cores may lack a level, and have an empty cache there.
  bool is_there(std::size_t level, std::size_t cache) const noexcept {
    return levels_[level].has_room(cache - shape_.first_cache(level));
  }
  std::size_t on_path(std::size_t core, std::size_t level) const noexcept {
    return paths_[core * levels_.size() + level];
  }
  std::size_t find_on_path(std::size_t core, const holder_word* entry, std::size_t level) const noexcept;
  bool stale(std::size_t core, std::size_t level, const holder_word* entry) const noexcept;
  supply bring(std::size_t core, line_number line, holder_word* entry, std::size_t to_level, asked_by whom,
               bool write);
  supply from_path(std::size_t core, holder_word* entry, std::size_t level, bool write);
  supply from_outside(std::size_t core, line_number line, const holder_word* entry, bool write);
  cycles from_memory(std::size_t core, line_number line);
  cycles transfer(std::size_t core, std::size_t supplier, bool modified);
  void fill(std::size_t core, line_number line, holder_word* entry, std::size_t to_level, std::size_t end,
            bool modified);
  cycles own(std::size_t core, line_number line, holder_word* entry, const supply& got);
  void put(std::size_t level, std::size_t cache, line_number line, holder_word* entry);
  void evict(std::size_t level, std::size_t cache, line_number line);
  bool empty_below(std::size_t cache, line_number line, holder_word* entry);
  void pass_up(std::size_t level, std::size_t cache, line_number line, holder_word* entry, bool modified);
  void take_out(std::size_t cache, line_number line, holder_word* entry);
  bool any_beyond(const holder_word* entry, std::size_t core, std::size_t other_core) const noexcept;
  const holder_word* path_set(std::size_t core) const noexcept { return path_sets_.at(core, 0); }
  const holder_word* below_set(std::size_t cache) const noexcept { return below_sets_.at(cache, 0); }

  const machine_shape& shape_;
  const address_space& space_;
  interconnect& between_;
  std::vector<cache_content> contents_;  // by level
  std::vector<cache_level> levels_;
  std::vector<std::uint32_t> paths_;                 // by core and level
  std::vector<std::uint32_t> cache_levels_, cores_;  // of a cache: its level and its first core
  holder_sets outside_;                              // by core: caches outside of its path by their distance
  holder_sets path_sets_, below_sets_;  // by core: its path; by cache: those between it and its cores
  line_directory directory_;
  std::size_t prefetch_level_ = 0;
  cycles now_ = 0;  // of the access under way
  std::vector<cache_counters> counters_;
  std::vector<std::uint64_t> transfers_;
};

}  // namespace skua::simulator
