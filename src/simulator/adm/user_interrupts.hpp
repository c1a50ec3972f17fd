// The same worker and manager programs without direct messages: a message is written into cache lines that its reader
// knows, and a user-level interrupt says that it is there. Costs only; what is said is src/managers' business.
//
//   const user_interrupts uli(chip, tile_network(chip, tile_network::kind::routed));
//   const auto m = uli.message(0, 9);      // m.sending cycles of 0's, m.underway, then m.receiving of 9's
//
// As section 6.3 of the paper says: sending takes two transfers of lines between the caches, one for the data and one for
// the interrupt, and so does receiving; up to 200 cycles, fewer where sender and receiver share the L2.
//
// Where the paper is silent: the interrupt is on its way as long as any packet, and a handler runs as long as with
// direct messages, beside the transfers. A message is no longer than a line.
#pragma once

#include <algorithm>

#include "simulator/adm/adm_hardware.hpp"
#include "simulator/adm/tile_network.hpp"

namespace skua::simulator {

class user_interrupts {
 public:
  struct message_cycles {
    cycles sending, underway, receiving;
  };

  user_interrupts(const adm_hardware& chip, const tile_network& network) : chip_(chip), network_(network) {}

  message_cycles message(context_number from, context_number to) const noexcept {
    const core_number a = chip_.core_of(from), b = chip_.core_of(to);
    const cycles lines = transfers(a, b);
    return {lines, network_.latency(a, b), lines + chip_.messages.handler};
  }

 private:
  /// Threads of one core share its L1, where nothing is transferred.
  cycles transfers(core_number a, core_number b) const noexcept {
    const user_interrupt_numbers& numbers = chip_.interrupts;
    if (a == b) return 0;
    const bool near = chip_.tile_of(a) == chip_.tile_of(b);
    const cycles one = near ? numbers.transfer_in_tile : numbers.transfer_between_tiles;
    return std::min<cycles>(numbers.transfers_a_message * one, numbers.longest_message);
  }

  adm_hardware chip_;
  tile_network network_;
};

}  // namespace skua::simulator
