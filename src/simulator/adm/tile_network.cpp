#include "simulator/adm/tile_network.hpp"

#include <algorithm>

namespace skua::simulator {

namespace {

constexpr unsigned longest_row = 8;  // tiles, on the chip of 128 cores
constexpr unsigned header_bytes = 8, word_bytes = 8;

unsigned apart(unsigned a, unsigned b) { return a < b ? b - a : a - b; }

}  // namespace

tile_network::tile_network(const adm_hardware& chip, kind which)
    : kind_(which), numbers_(chip.network), cores_a_tile_(chip.cores_a_tile), tiles_(chip.tiles) {
  unsigned rows = 1;
  for (unsigned i = 1; i * i <= tiles_; ++i)
    if (tiles_ % i == 0) rows = i;
  columns_ = tiles_ / rows;
  centre_ = (rows / 2) * columns_ + columns_ / 2;
  const cycles mean = mean_between_cores();
  ends_ = numbers_.average_message > mean ? numbers_.average_message - mean : 0;
}

cycles tile_network::link(unsigned tiles) const noexcept {
  if (tiles == 0) return 0;
  constexpr unsigned steps = longest_row - 2;
  const unsigned range = numbers_.longest_global_link - numbers_.shortest_global_link;
  return numbers_.shortest_global_link + (range * (tiles - 1) + steps / 2) / steps;
}

/// A packet passes one router at the start and one after each link.
cycles tile_network::between_tiles(unsigned a, unsigned b) const noexcept {
  const unsigned across = apart(a % columns_, b % columns_), along = apart(a / columns_, b / columns_);
  const unsigned routers = 1 + (across != 0) + (along != 0);
  return 2 * numbers_.local_link + routers * numbers_.router_stages + link(across) + link(along);
}

/// The mean over all pairs of different cores for messages of two flits, which are most messages; rounded to the
/// nearest.
cycles tile_network::mean_between_cores() const noexcept {
  const unsigned cores = tiles_ * cores_a_tile_;
  cycles sum = 0;
  for (core_number a = 0; a < cores; ++a)
    for (core_number b = 0; b < cores; ++b)
      if (a != b) sum += between_tiles(tile_of(a), tile_of(b)) + 1;
  const cycles pairs = std::max<cycles>(cycles{cores} * (cores - 1), 1);
  return (sum + pairs / 2) / pairs;
}

cycles tile_network::latency(core_number from, core_number to) const noexcept {
  if (is_ideal()) return numbers_.ideal_message;
  return ends_ + (from == to ? 0 : between_tiles(tile_of(from), tile_of(to)));
}

cycles tile_network::latency_to_centre(core_number from) const noexcept {
  return is_ideal() ? numbers_.ideal_message : ends_ + between_tiles(tile_of(from), centre_);
}

cycles tile_network::flits(std::uint32_t words) const noexcept {
  if (is_ideal()) return 0;
  return (header_bytes + word_bytes * cycles{words} + numbers_.flit_bytes - 1) / numbers_.flit_bytes;
}

unsigned tile_network::distance(core_number a, core_number b) const noexcept {
  if (a == b) return 0;
  const unsigned s = tile_of(a), t = tile_of(b);
  return s == t ? 1 : static_cast<unsigned>(between_tiles(s, t));
}

}  // namespace skua::simulator
