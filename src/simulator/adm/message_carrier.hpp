// Carries the managers' messages from one hardware thread to another, in virtual time: by direct messages, or by cache
// lines and user-level interrupts.
//
//   auto carrier = direct_messages(chip);
//   if (auto busy = carrier->send({.from = 0, .to = 9, .words = 4, .content = 7}, now)) ...   // else wait for `room`
//   carrier->advance(then, events);                           // as adm_messages
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

/// The length of a manager's message (Table 2) as a direct message.
///
/// Our assumptions, which the paper does not state: the type of a message, its level, the thief and the mark of the
/// last task fit into unused bits of the first word. So a task takes the four words of its descriptor, which agrees
/// with the paper's buffer sizes ("sixteen messages of four words"). A part of a reduction takes one more word.
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

/// The costs of messages without hardware for direct messages. The sender writes a message into cache lines that its
/// receiver knows, and announces it by a user-level interrupt. src/managers determines what the messages say.
///
///   const user_interrupts uli(chip, tile_network(chip, tile_network::kind::routed));
///   const auto m = uli.message(0, 9);      // m.sending cycles of thread 0, m.underway, then m.receiving of thread 9
///
/// Section 6.3 of the paper: sending takes two transfers of lines between the caches, one for the data and one for the
/// interrupt, and so does receiving; up to 200 cycles, fewer if sender and receiver share the L2.
///
/// Our assumptions, which the paper does not state: the interrupt takes as long as any packet, and a handler runs as
/// long as with direct messages, in addition to the transfers. A message is at most as long as a line.
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
  /// Threads of one core share its L1, so nothing is transferred.
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

// ---- carriers

class message_carrier {
 public:
  virtual ~message_carrier() = default;

  /// Returns how long the sender is busy; the message leaves afterwards. nullopt: there is no room.
  virtual std::optional<cycles> send(const direct_message& message, cycles now) = 0;
  struct received {
    std::uint64_t content;
    cycles busy;  // of the receiver, in addition to its handler
  };
  virtual std::optional<received> receive(thread_number thread, cycles now) = 0;
  virtual std::optional<cycles> next() const = 0;
  virtual void advance(cycles until, std::vector<adm_event>& events) = 0;
};

std::unique_ptr<message_carrier> direct_messages(const adm_hardware& chip, tile_network::kind network);
std::unique_ptr<message_carrier> messages_by_interrupts(const adm_hardware& chip, tile_network::kind network);

}  // namespace skua::simulator
