// Direct messages in virtual time: when a packet arrives, how long a privileged handler takes, and which events a
// thread must know about.
//
//   adm_messages net(chip, tile_network(chip, tile_network::kind::routed), chip.threads());
// if (!net.send({.from = 0, .to = 9, .words = 4, .content = 7}, now)) ...     // thread 0 waits for `room`, tries again
//   std::vector<adm_event> events;
//   net.advance(then, events);                  // all that happens until then; events[i].type, .thread, .at, .busy
//   while (auto m = net.receive(9, then)) ...   // by the message handler of thread 9, or when it polls
//
// Time only goes forward: no call has an earlier time than a call before it, and advance() must have handled everything
// that is due before that time. No thread runs here. The caller runs message handlers after `arrived` and charges their
// time, and it charges `handler`, the time of privileged handlers, to running and waiting threads alike. So it calls
// advance() after every other call, and next() to learn when to call it again.
//
// Our assumptions, which the paper does not state:
// - A privileged handler takes 100 cycles, which section 7 states for the interrupts of UDM, and one more for each word
//   that it moves. Handlers of one hardware thread run one after another.
// - A packet occupies its core's port for one cycle per flit. Answers use their own virtual network, which is always
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
    arrived,  // a message, in a receive buffer that may have been empty
    room,     // in a send buffer that was full
    handler   // a privileged handler has begun: the thread is busy with it for `busy`
  };
  kind type;
  thread_number thread;
  cycles at;
  cycles busy = 0;
};

class adm_messages {
 public:
  static constexpr cycles privileged_handler = 100;

  /// Thread i begins at hardware thread i; further threads are switched out.
  adm_messages(const adm_hardware& chip, const tile_network& network, std::uint32_t threads);

  /// False: no room. The sender waits until the event `room`.
  bool send(const direct_message& message, cycles now);
  /// The next message, if there is one.
  std::optional<direct_message> receive(thread_number thread, cycles now);

  /// A thread may be moved only if its send buffer is empty. The caller waits for that.
  bool may_move(thread_number thread) const { return units_.may_move(thread); }
  void switch_out(thread_number thread, cycles now);
  void switch_in(thread_number thread, context_number to, cycles now);

  /// When the next event happens, if no thread acts before.
  std::optional<cycles> next() const { return timeline_.next(); }
  void advance(cycles until, std::vector<adm_event>& events);

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
  /// Schedules the packets and handlers that an action at `now` has caused.
  void follow(cycles now);
  void start(adm_handler handler, cycles now);
  void handle(const event& due, cycles now, std::vector<adm_event>& events);
  void announce_room(thread_number thread, cycles now, std::vector<adm_event>& events);
  thread_number thread_at(context_number at) const { return thread_at_[at]; }

  adm_hardware chip_;
  tile_network network_;
  adm_protocol units_;
  time_line<event> timeline_;
  std::vector<cycles> port_free_;     // by core
  std::vector<cycles> handler_free_;  // by hardware thread
  std::vector<thread_number> thread_at_;
  std::vector<std::optional<direct_message>> waiting_;  // by thread: the message that found no room
  std::vector<adm_event> begun_;                        // handlers that have begun since the last advance()
  counts counted_{};
  std::vector<adm_packet> packets_;  // of follow(), kept to reuse their memory
  std::vector<adm_handler> due_;
};

}  // namespace skua::simulator
