// Asynchronous direct messages without time: send and receive buffers, the translation of thread numbers, and the
// packets between the messaging units of the cores. The user of the class determines when a packet arrives and when a
// privileged handler runs: adm_messages.hpp in virtual time, tests/model/hardware_messages_test.cpp in every possible
// order.
//
//   adm_protocol units({.receive_words = 64, .send_words = 64, .translations = 32}, 2, 1, 2);
//   units.send({.from = 0, .to = 1, .words = 4, .content = 7});
//   // run the translation handler that is due, deliver the packets, and
//   units.receive(1);                                           // the message, exactly once, in the order of its pair
//
// Sections 3.1 to 3.3 of the paper: a message stays in its thread's send buffer until it is acknowledged. The receiver
// refuses a message that does not fit or whose thread is not at that core. It then ignores the sender's other packets
// under way, by one bit for each pair, and the sender sends them all again. When a receive buffer is full, a privileged
// handler moves messages to memory; another one puts them back when the messages before them have been received.
//
// Our assumptions, which the paper does not state:
// - The bits belong to a sending hardware thread and a receiving core, and both kinds of refusal flip them. So they are
//   valid for any number of virtual threads. A packet that is delayed on its way to a core that its addressee has left
//   and come back to is ignored.
// - A message goes to the same core as an earlier unacknowledged one to the same thread, whatever the TTB contains by
//   then. Otherwise it could overtake it, if the thread has migrated and only the later message uses the new
//   translation.
// - Messages for a thread that is switched out go to the thread's overflow memory. They are there before the thread is
//   switched in again, and so before what the network delivers from then on.
// - A thread that moves takes its received messages along, through memory. Its send buffer must be empty, also when it
//   is switched out.
// - Both overflow handlers end in the same state: of all waiting messages, in order, the first half buffer is in the
//   buffer and the rest in memory. The overflow handler is due when a message does not fit or the buffer is completely
//   full.
// - A message takes as much room as it has words, and at least one. Lengths and senders are stored beside them.
// - A TTB replaces the least recently used entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "simulator/adm/adm_hardware.hpp"

namespace skua::simulator {

struct direct_message {
  static constexpr std::uint32_t max_words = 6;

  thread_number from, to;
  std::uint32_t words;    // 0 to max_words
  std::uint64_t content;  // identifies the words to the user of the class
};

struct adm_packet {
  /// A message from the sender to the receiving core, and the three answers.
  enum class kind : std::uint8_t { message, accepted, refused, stale };
  kind type;
  bool stamp;
  context_number sender;  // of the message
  core_number receiver;
  direct_message message;

  bool is_answer() const noexcept { return type != kind::message; }
  /// For a network that keeps the order of packets between two cores.
  core_number from_core(unsigned threads_a_core) const noexcept {
    return is_answer() ? receiver : sender / threads_a_core;
  }
  core_number to_core(unsigned threads_a_core) const noexcept {
    return is_answer() ? sender / threads_a_core : receiver;
  }
};

/// A privileged handler that is due at a hardware thread.
struct adm_handler {
  enum class kind : std::uint8_t { translation, overflow, refill };
  kind type;
  context_number at;
  bool operator==(const adm_handler&) const = default;
};

struct adm_sizes {
  std::uint32_t receive_words, send_words;  // at least max_words
  std::uint32_t translations;
};

class adm_protocol {
 public:
  /// Thread i begins at hardware thread i; further threads are switched out.
  adm_protocol(adm_sizes sizes, std::uint32_t contexts, unsigned threads_a_core, std::uint32_t threads);
  virtual ~adm_protocol() = default;
  adm_protocol(const adm_protocol&) = default;
  adm_protocol& operator=(const adm_protocol&) = default;

  // ---- for a thread that is at a hardware thread

  /// False: the send buffer has no room. The thread waits until it has.
  bool send(const direct_message& message);
  bool may_send(const direct_message& message) const {
    return threads_[message.from].words + room_for(message) <= sizes_.send_words;
  }
  /// The message that the thread can receive now, or null.
  const direct_message* first(thread_number thread) const;
  direct_message receive(thread_number thread);  // there must be one

  // ---- for the operating system

  std::optional<context_number> context_of(thread_number thread) const { return threads_[thread].at; }
  bool may_move(thread_number thread) const { return threads_[thread].unacknowledged.empty(); }
  void switch_out(thread_number thread);
  void switch_in(thread_number thread, context_number to);

  // ---- for the user of the class

  void arrive(const adm_packet& packet);
  bool is_due(adm_handler handler) const;
  /// Runs a handler and returns the number of words that it moved. Does nothing if it is no longer due.
  std::uint32_t run(adm_handler handler);
  /// The packets that were sent, and the handlers that became due, since the last call.
  void take_packets(std::vector<adm_packet>& into) { take(into, packets_); }
  void take_handlers(std::vector<adm_handler>& into) { take(into, became_due_); }
  std::uint32_t contexts() const noexcept { return static_cast<std::uint32_t>(contexts_.size()); }
  unsigned threads_a_core() const noexcept { return threads_a_core_; }
  /// The whole state in numbers, without packets under way. Two objects with equal states behave alike.
  std::vector<std::uint64_t> state() const;
  std::uint32_t words_received(context_number at) const { return contexts_[at].words; }
  std::uint64_t messages_accepted() const noexcept { return accepted_; }

 protected:
  struct sent_message {
    direct_message message;
    std::optional<core_number> to;  // its destination, if it is under way
  };
  struct thread_state {
    std::optional<context_number> at;
    std::vector<sent_message> unacknowledged;  // the send buffer
    std::uint32_t words = 0;                   // in the send buffer
    std::deque<direct_message> memory;         // its place is in the middle of the received messages
  };
  struct context_state {
    std::optional<thread_number> thread;
    std::deque<direct_message> received;
    std::uint32_t words = 0;
    std::size_t before_memory =
        0;  // the number of received messages before those in memory, if any are there
    bool overflow_due = false, refill_due = false;
    std::optional<thread_number> unknown;  // its translation is due
  };
  using translation = std::pair<thread_number, core_number>;

  // A model test plants mistakes in these steps.
  virtual void receive_message(const adm_packet& packet);
  virtual void receive_refusal(const adm_packet& packet);
  virtual void translate(context_number at);
  virtual std::optional<core_number> destination_of(const thread_state& sender, const sent_message& one);
  virtual void rearrange(context_number at);

  template <class T>
  static void take(std::vector<T>& into, std::vector<T>& from) {
    into.clear();
    into.swap(from);
  }
  static std::uint32_t room_for(const direct_message& m) { return m.words == 0 ? 1 : m.words; }
  core_number core_of(context_number at) const { return at / threads_a_core_; }
  std::optional<context_number> addressee(const adm_packet& packet) const;
  bool fits(const context_state& at, const direct_message& m) const {
    return at.words + room_for(m) <= sizes_.receive_words;
  }
  bool expected_stamp(const adm_packet& p) const { return expected_[p.receiver][p.sender]; }
  void put(context_number at, const direct_message& message);
  void refuse(const adm_packet& packet, adm_packet::kind reason);
  void answer(const adm_packet& packet, adm_packet::kind type);
  void receive_acknowledgement(const adm_packet& packet);
  void transmit(thread_number thread);
  std::optional<core_number> look_up(core_number core, thread_number thread);
  void forget(core_number core, translation stale);
  void miss(context_number at, thread_number wanted);
  void become_due(adm_handler overflow_or_refill);

  adm_sizes sizes_;
  unsigned threads_a_core_;
  std::vector<thread_state> threads_;
  std::vector<context_state> contexts_;
  std::vector<std::vector<translation>> translations_;  // by core; most recently used first
  std::vector<std::vector<bool>> stamps_;               // of packets to send, by sender, then receiving core
  std::vector<std::vector<bool>> expected_;             // by receiving core, then sender
  std::vector<adm_packet> packets_;
  std::vector<adm_handler> became_due_;
  std::uint64_t accepted_ = 0;  // not part of the state: nothing depends on it
};

}  // namespace skua::simulator
