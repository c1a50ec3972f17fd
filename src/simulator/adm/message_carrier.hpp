// What brings the managers' messages from one hardware thread to another, in virtual time: direct messages, or cache lines
// and user-level interrupts.
//
//   auto carrier = direct_messages(chip);
//   if (auto busy = carrier->send({.from = 0, .to = 9, .words = 4, .content = 7}, now)) ...   // else it is told of `room`
//   carrier->advance(then, told);                             // as adm_messages
//   auto m = carrier->receive(9, then);                       // m->content is 7
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/adm/adm_messages.hpp"

namespace skua::simulator {

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
