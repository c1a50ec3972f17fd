// The time of a packet on the ADM paper's chip: tiles in a rectangle, connected by a two-dimensional flattened
// butterfly, so a packet takes at most one link in each dimension.
//
//   tile_network network(find_adm_hardware("adm-cmp-64c"), tile_network::kind::routed);
//   network.latency(0, 63);       // of a packet's first flit from core 0 to core 63
//   network.flits(4);             // 3: of a packet with four words, one after the other through each port
//
// Our assumptions, which the paper does not state:
// - The rectangle is as square as the number of tiles allows; the longer side lies along the rows.
// - The time of a link grows linearly with its length, from the shortest between neighbours to the longest along eight
//   tiles, the longest row of the largest chip. Tiles have the same size on all chips.
// - A header of eight bytes contains destination, sender, type and stamp. So a task of four words makes three flits.
// - Routers and links alone give a mean below the published 25 cycles. The rest is spent at the two ends, equally for
//   all pairs. It is calibrated in this way and is not a separate input.
// - Links are never the bottleneck ("networks in cache-coherent CMPs are often lightly loaded"). A packet waits in the
//   port of its sender and at the global task unit, but not in between.
#pragma once

#include <array>
#include <vector>

#include "simulator/adm/adm_hardware.hpp"

namespace skua::simulator {

class tile_network {
 public:
  /// ideal: the same time between any two cores, and unlimited bandwidth (Figure 8).
  enum class kind { routed, ideal };

  tile_network(const adm_hardware& chip, kind which);

  bool is_ideal() const noexcept { return kind_ == kind::ideal; }
  /// The latency of the first flit. Packets from a core to itself do not leave its messaging unit.
  cycles latency(core_number from, core_number to) const noexcept;
  /// The latency to or from the centre of the chip, where Carbon's global task unit is.
  cycles latency_to_centre(core_number from) const noexcept;
  /// How many cycles a packet occupies a port; 0 on the ideal network.
  cycles flits(std::uint32_t words) const noexcept;
  /// The cycles that are spent at both ends together.
  cycles ends() const noexcept { return ends_; }
  /// An order of distances: 0 for the same core, 1 for the same tile, else the time between the tiles.
  unsigned distance(core_number a, core_number b) const noexcept;

 private:
  unsigned tile_of(core_number core) const noexcept { return core / cores_a_tile_; }
  cycles link(unsigned tiles) const noexcept;
  cycles between_tiles(unsigned a, unsigned b) const noexcept;
  cycles mean_between_cores() const noexcept;

  kind kind_;
  tile_network_numbers numbers_;
  unsigned cores_a_tile_, tiles_, columns_ = 1, centre_;
  cycles ends_ = 0;
};

}  // namespace skua::simulator
