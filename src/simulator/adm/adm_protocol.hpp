// Asynchronous direct messages without time: send and receive buffers, the translation of thread numbers, and the
// packets between the messaging units of the cores. Whoever drives it says when a packet arrives and when a privileged
// handler runs; adm_messages.hpp does so in virtual time, tests/model/hardware_messages_test.cpp in every possible order.
//
//   adm_protocol units({.receive_words = 64, .send_words = 64, .translations = 32}, 2, 1, 2);
//   units.send({.from = 0, .to = 1, .words = 4, .content = 7});
//   // run the translation handler that is due, bring the packets to where they go, and
//   units.receive(1);                                           // the message, exactly once, in the order of its pair
//
// As in sections 3.1 to 3.3 of the paper: a message stays in its thread's send buffer until it is acknowledged. What does
// not fit, or is for a thread that is not at that core, is refused; the receiver then ignores what else of that sender is
// under way, by one bit for each pair, and the sender sends all of it again. A full receive buffer makes a privileged
// handler move messages to memory, and one puts them back when what was before them has been received.
//
// Where the paper is silent:
// - The bits belong to a sending hardware thread and a receiving core, and both kinds of refusal flip them. So they hold
//   for any number of virtual threads, and a packet that lingers on the way to a core where its addressee once was, and
//   is again, is ignored.
// - A message goes where the unacknowledged one before it to the same thread went, whatever the TTB says by now: the
//   two must not overtake each other when only the later one knows of a migration.
// - Messages for a thread that is switched out go to where its own overflow goes. They are there before it is switched
//   in again, and so before what the network brings from then on.
// - A thread that moves takes along what it has received, through memory. Its send buffer must be empty, also when it is
//   switched out.
// - Both overflow handlers end in the same state: of all that waits, in order, the first half a buffer lies in the
//   buffer and the rest in memory. The overflow handler is due when a message does not fit or nothing more does.
// - A message takes as much room as it has words, and at least one. Lengths and senders lie beside them.
// - A TTB replaces what was used least recently.
#pragma once

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
  std::uint32_t words;    // 0 to most_words
  std::uint64_t content;  // what the words are, to who drives this
};

struct adm_packet {
  /// What goes from the sender to the receiving core, and the three answers.
  enum class kind : std::uint8_t { message, accepted, refused, stale };
  kind what;
  bool stamp;
  context_number sender;  // of the message
  core_number receiver;
  direct_message message;

  bool is_answer() const noexcept { return what != kind::message; }
  /// For a network that keeps order: packets of one channel arrive as they were sent.
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
  kind what;
  context_number at;
  bool operator==(const adm_handler&) const = default;
};

struct adm_sizes {
  std::uint32_t receive_words, send_words;  // most_words or more
  std::uint32_t translations;
};

class adm_protocol {
 public:
  /// Thread i begins at hardware thread i; those beyond are switched out.
  adm_protocol(adm_sizes sizes, std::uint32_t contexts, unsigned threads_a_core, std::uint32_t threads);
  virtual ~adm_protocol() = default;
  adm_protocol(const adm_protocol&) = default;
  adm_protocol& operator=(const adm_protocol&) = default;

  // ---- by a thread that is at some hardware thread

  /// False: no room in its send buffer. It waits until there is some.
  bool send(const direct_message& message);
  bool may_send(const direct_message& message) const {
    return threads_[message.from].words + room_for(message) <= sizes_.send_words;
  }
  /// What it can receive now, if anything.
  const direct_message* first(thread_number thread) const;
  direct_message receive(thread_number thread);  // there is something

  // ---- by the operating system

  std::optional<context_number> place_of(thread_number thread) const { return threads_[thread].at; }
  bool may_move(thread_number thread) const { return threads_[thread].unacknowledged.empty(); }
  void switch_out(thread_number thread);
  void switch_in(thread_number thread, context_number to);

  // ---- by who drives it

  void arrive(const adm_packet& packet);
  bool is_due(adm_handler handler) const;
  /// One that is not due any more does nothing. How many words it moved.
  std::uint32_t run(adm_handler handler);
  /// What has been sent, and which handlers have become due, since this was asked last.
  void take_packets(std::vector<adm_packet>& into) { take(into, packets_); }
  void take_handlers(std::vector<adm_handler>& into) { take(into, became_due_); }
  std::uint32_t contexts() const noexcept { return static_cast<std::uint32_t>(contexts_.size()); }
  unsigned threads_a_core() const noexcept { return threads_a_core_; }
  /// All of it in numbers, but for packets under way: equal for two that behave alike.
  std::vector<std::uint64_t> state() const;
  std::uint32_t words_received(context_number at) const { return contexts_[at].words; }
  std::uint64_t messages_accepted() const noexcept { return accepted_; }

 protected:
  struct sent_message {
    direct_message message;
    std::optional<core_number> to;  // where it is under way to, if it is
  };
  struct thread_state {
    std::optional<context_number> at;
    std::vector<sent_message> unacknowledged;  // the send buffer
    std::uint32_t words = 0;                   // in it
    std::deque<direct_message> memory;         // between the first and the last of what is received
  };
  struct context_state {
    std::optional<thread_number> thread;
    std::deque<direct_message> received;
    std::uint32_t words = 0;
    std::size_t before_memory =
        0;  // those of `received` that come before what lies in memory, if anything does
    bool overflow_due = false, refill_due = false;
    std::optional<thread_number> unknown;  // a translation is due
  };
  using translation = std::pair<thread_number, core_number>;

  // The steps in which a model test plants mistakes.
  virtual void receive_message(const adm_packet& packet);
  virtual void receive_refusal(const adm_packet& packet);
  virtual void translate(context_number at);
  virtual std::optional<core_number> way_of(const thread_state& sender, const sent_message& one);
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
  void refuse(const adm_packet& packet, adm_packet::kind why);
  void answer(const adm_packet& packet, adm_packet::kind what);
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
  std::vector<std::vector<translation>> translations_;  // by core; used most recently first
  std::vector<std::vector<bool>> stamps_;               // of what is sent, by sender, then receiving core
  std::vector<std::vector<bool>> expected_;             // by receiving core, then sender
  std::vector<adm_packet> packets_;
  std::vector<adm_handler> became_due_;
  std::uint64_t accepted_ = 0;  // no part of the state: nothing depends on it
};

}  // namespace skua::simulator
