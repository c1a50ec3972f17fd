#include "simulator/memory/cache_hierarchy.hpp"

#include <algorithm>
#include <bit>

namespace skua::simulator {

namespace {

using directory = line_directory;

/// Whether the cache is on the core's path.
bool is_above(const machine_shape& shape, std::size_t cache, std::size_t core) {
  return shape.cache_of(shape.level_of(cache), core) == cache;
}

constexpr std::size_t chosen(bool in) { return in ? 0 : holder_sets::nowhere; }

}  // namespace

cache_hierarchy::cache_hierarchy(const machine_model& machine, const machine_shape& shape,
                                 const address_space& space, interconnect& between)
    : shape_(shape),
      space_(space),
      interconnect_(between),
      outside_(shape.cores(), shape.caches(), directory::owner_bits, shape.distances(),
               [&](std::size_t core, std::size_t cache) {
                 return is_above(shape, cache, core) ? holder_sets::nowhere
                                                     : shape.distance(core, shape.first_core(cache));
               }),
      path_sets_(shape.cores(), shape.caches(), directory::owner_bits, 1,
                 [&](std::size_t core, std::size_t cache) { return chosen(is_above(shape, cache, core)); }),
      below_sets_(shape.caches(), shape.caches(), directory::owner_bits, 1,
                  [&](std::size_t cache, std::size_t other) {
                    return chosen(other < cache && shape.level_of(other) < shape.level_of(cache) &&
                                  is_above(shape, cache, shape.first_core(other)));
                  }),
      directory_(outside_.words()),
      counters_(shape.caches()),
      transfers_(shape.distances()) {
  for (std::size_t l = 0; l < shape.levels(); ++l) {
    contents_.push_back(machine.caches[l].content);
    levels_.emplace_back(machine.instances[l], shape.caches_of(l));
    if (l + 1 < shape.levels() && takes_what_is_asked_for(l)) prefetch_level_ = l;
  }
  for (std::size_t core = 0; core < shape.cores(); ++core)
    for (std::size_t l = 0; l < shape.levels(); ++l)
      paths_.push_back(static_cast<std::uint32_t>(shape.cache_of(l, core)));
  for (std::size_t cache = 0; cache < shape.caches(); ++cache) {
    cache_levels_.push_back(static_cast<std::uint32_t>(shape.level_of(cache)));
    cores_.push_back(static_cast<std::uint32_t>(shape.first_core(cache)));
  }
}

cycles cache_hierarchy::demand(std::size_t core, line_number line, access how, cycles now) {
  now_ = now;
  holder_word* const entry = directory_.at(line);
  const supply got = bring(core, line, entry, 0, asked_by::core, how != access::read);
  if (how == access::read) return got.cost;
  const cycles cost = own(core, line, entry, got);
  return how == access::atomic ? cost + shape_.atomic_extra() : cost;
}

cycles cache_hierarchy::prefetch(std::size_t core, line_number line, cycles now) {
  now_ = now;
  holder_word* const entry = directory_.at(line);
  if (find_on_path(core, entry, 0) <= prefetch_level_) return 0;
  return bring(core, line, entry, prefetch_level_, asked_by::prefetcher, false).cost;
}

bool cache_hierarchy::holds(std::size_t cache, line_number line) const noexcept {
  const holder_word* const entry = directory_.find(line);
  return entry != nullptr && directory::holds(entry, cache);
}

std::size_t cache_hierarchy::owner(line_number line) const noexcept {
  const holder_word* const entry = directory_.find(line);
  return entry == nullptr ? directory::no_owner : directory::owner(entry);
}

/// The first level of the path, from `level` on, that has the line; the number of levels if none has it.
std::size_t cache_hierarchy::find_on_path(std::size_t core, const holder_word* entry,
                                          std::size_t level) const noexcept {
  while (level < levels_.size() && !directory::holds(entry, on_path(core, level))) ++level;
  return level;
}

/// Whether this cache's copy is out of date: a smaller cache below it, of another core, has the line modified.
bool cache_hierarchy::stale(std::size_t core, std::size_t level, const holder_word* entry) const noexcept {
  const std::size_t owner = directory::owner(entry);
  if (owner == directory::no_owner) return false;
  const std::size_t owner_level = cache_levels_[owner], cache = on_path(core, level);
  return owner_level < level && on_path(core, owner_level) != owner &&
         shape_.cache_of(level, cores_[owner]) == cache;
}

/// Gets the line into the path, down to `to_level`.
cache_hierarchy::supply cache_hierarchy::bring(std::size_t core, line_number line, holder_word* entry,
                                               std::size_t to_level, asked_by requester, bool write) {
  const std::size_t level = find_on_path(core, entry, to_level);
  for (std::size_t l = to_level; l < level; ++l) {
    if (!is_there(l, on_path(core, l))) continue;
    cache_counters& counted = counters_[on_path(core, l)];
    ++(requester == asked_by::core ? counted.demand_misses : counted.prefetch_misses);
  }
  if (level == levels_.size()) {
    const supply got = from_outside(core, line, entry, write);
    fill(core, line, entry, to_level, level, false);
    return got;
  }
  if (requester == asked_by::core) ++counters_[on_path(core, level)].hits;
  if (level == to_level) {
    levels_[level].use(on_path(core, level) - shape_.first_cache(level), line);
    return {shape_.latency(level), directory::no_owner};
  }
  const supply got = from_path(core, entry, level, write);
  const std::size_t cache = on_path(core, level);
  bool modified = false;
  if (!takes_what_is_asked_for(level)) {
    modified = directory::owner(entry) == cache;
    take_out(cache, line, entry);
  } else {
    levels_[level].use(cache - shape_.first_cache(level), line);
  }
  fill(core, line, entry, to_level, level, modified);
  return got;
}

cache_hierarchy::supply cache_hierarchy::from_path(std::size_t core, holder_word* entry, std::size_t level,
                                                   bool write) {
  if (!stale(core, level, entry)) return {shape_.latency(level), directory::no_owner};
  const std::size_t owner = directory::owner(entry);
  const cycles cost = transfer(core, owner, true);
  if (!write) {
    ++counters_[owner].write_backs;
    directory::set_owner(entry, on_path(core, level));
  }
  return {cost, owner};
}

cache_hierarchy::supply cache_hierarchy::from_outside(std::size_t core, line_number line,
                                                      const holder_word* entry, bool write) {
  const auto nearest = outside_.nearest(core, entry);
  if (!nearest) return {from_memory(core, line), directory::no_owner};
  // A copy nearer than the owner is one that the owner shares. A larger cache in the owner's path is as far as the
  // owner.
  const std::size_t owner = directory::owner(entry);
  if (owner != directory::no_owner && shape_.distance(core, cores_[owner]) == nearest->distance)
    return {transfer(core, owner, true), owner};
  if (!write && owner == directory::no_owner &&
      shape_.memory_latency(core, space_.home(line)) < shape_.transfer(nearest->distance, false))
    return {from_memory(core, line), directory::no_owner};
  return {transfer(core, nearest->holder, false), nearest->holder};
}

cycles cache_hierarchy::from_memory(std::size_t core, line_number line) {
  const std::size_t node = space_.home(line);
  return shape_.memory_latency(core, node) + interconnect_.fetch(node, core, now_);
}

cycles cache_hierarchy::transfer(std::size_t core, std::size_t supplier, bool modified) {
  const std::size_t from = cores_[supplier], distance = shape_.distance(core, from);
  ++transfers_[distance];
  return shape_.transfer(distance, modified) +
         interconnect_.transfer(shape_.package_of_core(from), shape_.package_of_core(core), now_);
}

/// Inserts the line into the caches of the path from to_level to before `end` that take requested lines. The largest
/// comes first, so an inclusive cache has the line before a smaller one does. The largest also becomes the owner of a
/// modified line.
void cache_hierarchy::fill(std::size_t core, line_number line, holder_word* entry, std::size_t to_level,
                           std::size_t end, bool modified) {
  for (std::size_t l = end; l-- > to_level;) {
    if (!takes_what_is_asked_for(l) || !is_there(l, on_path(core, l))) continue;
    put(l, on_path(core, l), line, entry);
    if (modified) directory::set_owner(entry, on_path(core, l));
    modified = false;
  }
}

/// Invalidates all copies outside of the path, because the core writes the line. Returns the cost of the write.
cycles cache_hierarchy::own(std::size_t core, line_number line, holder_word* entry, const supply& got) {
  const bool shared =
      held_beyond(entry, core, got.from == directory::no_owner ? core : std::size_t{cores_[got.from]});
  const holder_word* const mine = path_set(core);
  for (std::size_t w = 0; w < path_sets_.words(); ++w) {
    holder_word others = entry[w] & ~mine[w];
    if (w == 0) others &= ~holder_word{directory::no_owner};
    for (; others != 0; others &= others - 1) {
      const std::size_t cache =
          64 * w + static_cast<std::size_t>(std::countr_zero(others)) - directory::owner_bits;
      ++counters_[cache].invalidations;
      take_out(cache, line, entry);
    }
  }
  directory::set_owner(entry, on_path(core, 0));
  return shared ? std::max(got.cost, shape_.upgrade()) : got.cost;
}

/// Whether a cache outside of the paths of both cores holds the line.
bool cache_hierarchy::held_beyond(const holder_word* entry, std::size_t core,
                                  std::size_t other_core) const noexcept {
  const holder_word *mine = path_set(core), *other = path_set(other_core);
  for (std::size_t w = 0; w < path_sets_.words(); ++w) {
    const holder_word owner = w == 0 ? directory::no_owner : 0;
    if ((entry[w] & ~mine[w] & ~other[w] & ~owner) != 0) return true;
  }
  return false;
}

// ---- insertion and eviction, of single caches

void cache_hierarchy::put(std::size_t level, std::size_t cache, line_number line, holder_word* entry) {
  directory::add_holder(entry, cache);
  const line_number leaves = levels_[level].insert(cache - shape_.first_cache(level), line);
  if (leaves != no_line) evict(level, cache, leaves);
}

void cache_hierarchy::take_out(std::size_t cache, line_number line, holder_word* entry) {
  const std::size_t level = cache_levels_[cache];
  levels_[level].remove(cache - shape_.first_cache(level), line);
  directory::drop_holder(entry, cache);
  if (directory::owner(entry) == cache) directory::set_owner(entry, directory::no_owner);
}

/// The line has already left its set.
void cache_hierarchy::evict(std::size_t level, std::size_t cache, line_number line) {
  holder_word* const entry = directory_.at(line);
  ++counters_[cache].evictions;
  directory::drop_holder(entry, cache);
  bool modified = directory::owner(entry) == cache;
  if (level > 0 && contents_[level] == cache_content::inclusive && invalidate_below(cache, line, entry))
    modified = true;
  if (modified) {
    directory::set_owner(entry, directory::no_owner);
    ++counters_[cache].write_backs;
  }
  pass_up(level, cache, line, entry, modified);
}

/// The smaller caches below an inclusive one lose the line too. Returns whether one of them had it modified.
bool cache_hierarchy::invalidate_below(std::size_t cache, line_number line, holder_word* entry) {
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

/// Moves an evicted line to the next larger cache of the path, or to memory.
void cache_hierarchy::pass_up(std::size_t level, std::size_t cache, line_number line, holder_word* entry,
                              bool modified) {
  std::size_t up = level + 1;
  while (up != levels_.size() && !is_there(up, shape_.cache_of(up, cores_[cache]))) ++up;
  if (up == levels_.size()) {
    if (modified) interconnect_.write_back(shape_.package_of_core(cores_[cache]), space_.home(line), now_);
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
