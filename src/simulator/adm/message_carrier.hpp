// What brings the managers' messages from one hardware thread to another, in virtual time: direct messages, or cache lines
// and user-level interrupts.
//
//   auto carrier = direct_messages(chip);
//   if (auto busy = carrier->send({.from = 0, .to = 9, .words = 4, .content = 7}, now)) ...   // else it is told of `room`
//   carrier->advance(then, told);                             // as adm_messages
//   auto m = carrier->receive(9, then);                       // m->content is 7
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "managers/messages.hpp"
#include "simulator/adm/adm_hardware.hpp"
#include "simulator/adm/adm_messages.hpp"
#include "simulator/adm/tile_network.hpp"

namespace skua::simulator {
// ---- lengths

// How long the managers' messages (Table 2) are as direct messages.
//
// Where the paper is silent: what a message is, its level and whether a task is the last one fit into the unused bits of
// its first word, as does a thief; so a task takes the four words of its descriptor, as the paper's sizes of buffers
// ("sixteen messages of four words") want. A part of a reduction rides along as one word more.

inline std::uint32_t words_of(const managers::envelope& sent) {
  struct length {
    std::uint32_t operator()(const managers::update&) const { return 1; }
    std::uint32_t operator()(const managers::steal&) const { return 2; }
    std::uint32_t operator()(const managers::task& t) const { return t.descriptor ? 4 : 1; }
    std::uint32_t operator()(const managers::victim_update&) const { return 2; }
    std::uint32_t operator()(const managers::stealer_update&) const { return 1; }
    std::uint32_t operator()(const managers::unblock&) const { return 1; }
  };
  return std::visit(length{}, sent.content) + (sent.value ? 1 : 0);
}

// ---- user-level interrupts

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

class message_carrier {
 public:
  virtual ~message_carrier() = default;

  /// How long that keeps the sender busy; the message leaves afterwards. None: there is no room.
  virtual std::optional<cycles> send(const direct_message& message, cycles now) = 0;
  struct received {
    std::uint64_t content;
    cycles busy;  // the receiver, beside what its handler does
  };
  virtual std::optional<received> receive(thread_number thread, cycles now) = 0;
  virtual std::optional<cycles> next() const = 0;
  virtual void advance(cycles until, std::vector<adm_event>& told) = 0;
};

std::unique_ptr<message_carrier> direct_messages(const adm_hardware& chip, tile_network::kind network);
std::unique_ptr<message_carrier> messages_by_interrupts(const adm_hardware& chip, tile_network::kind network);

}  // namespace skua::simulator
