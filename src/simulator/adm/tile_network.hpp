// How long a packet takes on the ADM paper's chip: tiles in a rectangle, a two-dimensional flattened butterfly between
// them, so at most one link along each dimension.
//
//   tile_network network(find_adm_hardware("adm-cmp-64c"), tile_network::kind::routed);
//   network.latency(0, 63);       // of a packet's first flit from core 0 to core 63
//   network.flits(4);             // 3: of a packet with four words, one after the other through each port
//
// Where the paper is silent:
// - The rectangle is as square as the number of tiles allows; the wider side lies along the rows.
// - A link's time grows evenly with its length, from the shortest between neighbours to the longest along eight tiles,
//   the longest row of the largest chip. Tiles are of one size on all chips.
// - A header of eight bytes says where to, from whom, what and which stamp. So a task of four words makes three flits.
// - Routers and links alone give a mean below the published 25 cycles. The rest is spent at the two ends, the same for
//   all pairs; calibrated so, it is no input of its own.
// - Links are never the bottleneck ("networks in cache-coherent CMPs are often lightly loaded"): a packet waits in the
//   port where it is sent and at the global task unit, not between.
#pragma once

#include <array>
#include <vector>

#include "simulator/adm/adm_hardware.hpp"

namespace skua::simulator {

class tile_network {
 public:
  /// ideal: the same time between any two, and room for any number of packets at once (Figure 8).
  enum class kind { routed, ideal };

  tile_network(const adm_hardware& chip, kind which);

  bool is_ideal() const noexcept { return kind_ == kind::ideal; }
  /// Of the first flit. A core's packets to itself do not leave its messaging unit.
  cycles latency(core_number from, core_number to) const noexcept;
  /// To or from the middle of the chip, where Carbon's global task unit is.
  cycles latency_to_centre(core_number from) const noexcept;
  /// How long a packet keeps a port busy; none on the ideal network.
  cycles flits(std::uint32_t words) const noexcept;
  /// What is spent at both ends together.
  cycles ends() const noexcept { return ends_; }
  /// For who is near whom: routers passed, then length of links. 0: the same core; 1: the same tile.
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
