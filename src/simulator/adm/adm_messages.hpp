// Direct messages in virtual time: when a packet arrives, how long a privileged handler takes, and what a thread must be
// told when.
//
//   adm_messages net(chip, tile_network(chip, tile_network::kind::routed), chip.threads());
//   if (!net.send({.from = 0, .to = 9, .words = 4, .content = 7}, now)) ...     // thread 0 waits for `room`, tries again
//   std::vector<adm_event> told;
//   net.advance(then, told);                    // all that happens until then; told[i].what, .thread, .at, .busy
//   while (auto m = net.receive(9, then)) ...   // by the message handler of thread 9, or when it polls
//
// Time goes forward only: no call names an earlier time than one before it, and what is due before it must have been
// advanced to. Threads run nothing here: the driver runs message handlers where `arrived` says so and charges their time,
// and it charges `handler`, for the privileged ones, to threads that run as to those that wait. So it calls advance()
// after every other call, and asks next() when to call it again.
//
// Where the paper is silent:
// - A privileged handler takes 100 cycles, which section 7 says of the interrupts of UDM, and one for each word it moves;
//   those of one hardware thread run one after the other.
// - A packet keeps its core's port busy for a cycle a flit. Answers, on the virtual network of their own, always find it
//   free.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulator/adm/adm_protocol.hpp"
#include "simulator/adm/tile_network.hpp"
#include "simulator/engine/machine_part.hpp"

namespace skua::simulator {

struct adm_event {
  enum class kind : std::uint8_t {
    arrived,  // a message, into a receive buffer that could have been empty
    room,     // in a send buffer, for one that found none
    handler   // a privileged handler has begun: the thread does nothing else for `busy`
  };
  kind what;
  thread_number thread;
  cycles at;
  cycles busy = 0;
};

class adm_messages {
 public:
  static constexpr cycles privileged_handler = 100;

  /// Thread i sits at hardware thread i; those beyond the chip's are switched out.
  adm_messages(const adm_hardware& chip, const tile_network& network, std::uint32_t threads);

  /// False: no room. The sender waits until it is told of `room`.
  bool send(const direct_message& message, cycles now);
  /// The next message there is, if any.
  std::optional<direct_message> receive(thread_number thread, cycles now);

  /// A send buffer must be empty before its thread is moved; whoever moves it waits for that.
  bool may_move(thread_number thread) const { return units_.may_move(thread); }
  void switch_out(thread_number thread, cycles now);
  void switch_in(thread_number thread, context_number to, cycles now);

  /// When something happens next, if no thread does anything before.
  std::optional<cycles> next() const { return line_.next(); }
  void advance(cycles until, std::vector<adm_event>& told);

  struct counts {
    std::uint64_t messages, refused, stale, translations, overflows, refills;
  };
  const counts& counted() const noexcept { return counted_; }

 private:
  struct event {
    bool is_handler;
    adm_packet packet;
    adm_handler handler;
  };
  /// Packets and handlers that have come of something at `now`.
  void follow(cycles now);
  void start(adm_handler handler, cycles now);
  void happen(const event& what, cycles now, std::vector<adm_event>& told);
  void tell_room(thread_number thread, cycles now, std::vector<adm_event>& told);
  thread_number thread_at(context_number at) const { return thread_at_[at]; }

  adm_hardware chip_;
  tile_network network_;
  adm_protocol units_;
  time_line<event> line_;
  std::vector<cycles> port_free_;     // by core
  std::vector<cycles> handler_free_;  // by hardware thread
  std::vector<thread_number> thread_at_;
  std::vector<std::optional<direct_message>> waiting_;  // by thread: what it found no room for
  std::vector<adm_event> begun_;                        // handlers, since the last advance()
  counts counted_{};
  std::vector<adm_packet> packets_;  // of follow(), kept for their memory
  std::vector<adm_handler> due_;
};

}  // namespace skua::simulator
