#include "simulator/memory/coherent_lines.hpp"

#include <algorithm>

namespace skua::simulator {

namespace {

constexpr std::size_t busy_until = 0, modified_by = 1, holders = 2;

}  // namespace

coherent_lines::coherent_lines(const machine_shape& shape, interconnect& between)
    : shape_(shape),
      interconnect_(between),
      threads_(
          shape.cores(), shape.threads(), 0, shape.distances(),
          [&](std::size_t core, std::size_t thread) { return shape.distance(core, shape.core_of(thread)); }),
      entry_words_(holders + threads_.words()),
      transfers_(shape.distances()) {}

cycles coherent_lines::touch(std::size_t thread, line_number line, access how, cycles now) {
  holder_word* const entry = at(line);
  holder_word* const held = entry + holders;
  const std::size_t core = shape_.core_of(thread);
  const bool mine = has_bit(held, thread), write = how != access::read;
  const cycles extra = how == access::atomic ? shape_.atomic_extra() : 0;
  if (mine && (!write || !held_by_others(thread, held))) {
    if (write) entry[modified_by] = 1 + thread;
    ++counters_.hits;
    return shape_.latency(0) + extra;
  }
  const cycles start = std::max<cycles>(now, entry[busy_until]);
  supply got{shape_.latency(0), false};
  if (!mine)
    got = fetch(core, entry, write, start);
  else if (held_elsewhere(core, held))
    got.cost = shape_.upgrade();
  counters_.upgrades += mine;
  const cycles done = start + got.cost + extra;
  counters_.queueing += start - now;
  if (write) std::fill_n(held, threads_.words(), 0);
  set_bit(held, thread);
  entry[modified_by] = write ? 1 + thread : 0;
  if (write || got.was_modified) entry[busy_until] = done;
  return done - now;
}

/// The cost of a line that the thread does not hold.
coherent_lines::supply coherent_lines::fetch(std::size_t core, const holder_word* entry, bool write,
                                             cycles start) {
  const holder_word* const held = entry + holders;
  const auto nearest = threads_.nearest(core, held);
  if (!nearest) {
    ++counters_.first_touches;
    return {shape_.memory_latency(core, shape_.node_of_core(core)), false};
  }
  // The thread that modified a line is its only holder.
  const bool modified = entry[modified_by] != 0;
  ++transfers_[nearest->distance];
  const std::size_t supplier = shape_.core_of(nearest->holder);
  cycles cost =
      nearest->distance == 0 && !modified ? shape_.latency(0) : shape_.transfer(nearest->distance, modified);
  if (write && held_by_third(core, supplier, held)) cost = std::max(cost, shape_.upgrade());
  return {
      cost + interconnect_.transfer(shape_.package_of_core(supplier), shape_.package_of_core(core), start),
      modified};
}

bool coherent_lines::held_by_others(std::size_t thread, const holder_word* held) const noexcept {
  const holder_word me = holder_word{1} << (thread % 64);
  for (std::size_t w = 0; w < threads_.words(); ++w)
    if ((held[w] & ~(w == thread / 64 ? me : 0)) != 0) return true;
  return false;
}

bool coherent_lines::held_elsewhere(std::size_t core, const holder_word* held) const noexcept {
  return held_by_third(core, core, held);
}

/// Whether threads of other cores than these two hold the line.
bool coherent_lines::held_by_third(std::size_t core, std::size_t supplier,
                                   const holder_word* held) const noexcept {
  const holder_word *here = threads_.at(core, 0), *there = threads_.at(supplier, 0);
  for (std::size_t w = 0; w < threads_.words(); ++w)
    if ((held[w] & ~here[w] & ~there[w]) != 0) return true;
  return false;
}

void coherent_lines::renew(line_number line) { std::fill_n(at(line), entry_words_, 0); }

holder_word* coherent_lines::at(line_number line) {
  const std::size_t end = (line + std::size_t{1}) * entry_words_;
  if (entries_.size() < end) entries_.resize(std::max(end, 2 * entries_.size()));
  return &entries_[end - entry_words_];
}

}  // namespace skua::simulator
