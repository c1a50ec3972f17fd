// Lines into and out of single caches, and what follows from that.
#include <bit>

#include "simulator/memory/cache_hierarchy.hpp"

namespace skua::simulator {

using directory = line_directory;

void cache_hierarchy::put(std::size_t level, std::size_t cache, line_number line, holder_word* entry) {
  directory::add_holder(entry, cache);
  const line_number leaves = levels_[level].insert(cache - shape_.first_cache(level), line);
  if (leaves != no_line) evict(level, cache, leaves);
}

void cache_hierarchy::take_out(std::size_t cache, line_number line, holder_word* entry) {
  const std::size_t level = cache_levels_[cache];
  levels_[level].remove(cache - shape_.first_cache(level), line);
  directory::drop_holder(entry, cache);
  if (directory::owner(entry) == cache) directory::set_owner(entry, directory::none);
}

/// The line is in the set no more.
void cache_hierarchy::evict(std::size_t level, std::size_t cache, line_number line) {
  holder_word* const entry = directory_.at(line);
  ++counters_[cache].evictions;
  directory::drop_holder(entry, cache);
  bool modified = directory::owner(entry) == cache;
  if (level > 0 && contents_[level] == cache_content::inclusive && empty_below(cache, line, entry))
    modified = true;
  if (modified) {
    directory::set_owner(entry, directory::none);
    ++counters_[cache].write_backs;
  }
  pass_up(level, cache, line, entry, modified);
}

/// The smaller caches below an inclusive one lose the line too; did one of them have it modified?
bool cache_hierarchy::empty_below(std::size_t cache, line_number line, holder_word* entry) {
  const holder_word* const below = below_set(cache);
  bool modified = false;
  for (std::size_t w = 0; w < below_sets_.words(); ++w)
    for (holder_word held = entry[w] & below[w]; held != 0; held &= held - 1) {
      const std::size_t smaller =
          64 * w + static_cast<std::size_t>(std::countr_zero(held)) - directory::owner_bits;
      ++counters_[smaller].back_invalidations;
      if (directory::owner(entry) == smaller) {
        modified = true;
        ++counters_[smaller].write_backs;
      }
      take_out(smaller, line, entry);
    }
  return modified;
}

/// Where a line goes that a cache has thrown out: to the next larger one of the path, or to memory.
void cache_hierarchy::pass_up(std::size_t level, std::size_t cache, line_number line, holder_word* entry,
                              bool modified) {
  std::size_t up = level + 1;
  while (up != levels_.size() && !is_there(up, shape_.cache_of(up, cores_[cache]))) ++up;
  if (up == levels_.size()) {
    if (modified) between_.write_back(shape_.package_of_core(cores_[cache]), space_.home(line), now_);
    return;
  }
  const std::size_t larger = shape_.cache_of(up, cores_[cache]);
  if (!directory::holds(entry, larger)) {
    if (!modified && takes_what_is_asked_for(up)) return;
    put(up, larger, line, entry);
  }
  if (modified) directory::set_owner(entry, larger);
}

}  // namespace skua::simulator
