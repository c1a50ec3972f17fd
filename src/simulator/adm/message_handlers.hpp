// The message handlers of all threads. A carrier transports the messages between workers and managers. At the receiver,
// a handler interrupts what the thread does; handlers of a thread run one after another.
//
//   // worker i at hardware thread contexts[i]
//   message_handlers handlers(chip, direct_messages(chip, tile_network::kind::routed), contexts);
//   handlers.begin_run(tree, reader);
//   pass(handlers.post(3, out, now));            // by worker 3; the time for which sending keeps it busy
//   handlers.advance(then);                      // ... reader.receive(envelope, out) at the end of each handler
//
// A manager is at the thread of one of its workers, and messages within a thread are handled at once. Messages that
// find no room in a send buffer wait there, in order. A handler takes the time that Table 5 of the ADM paper gives for
// its operation, averaged over the programs. A handler that Table 5 does not name takes
// direct_message_numbers::handler. Within a thread only the search of a manager for a victim takes time.
//
// The units outlive a phase and keep their translations for the next one. A message that is still on its way at the end
// of its phase is dropped on arrival.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <skua/simulation.hpp>

#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "simulator/adm/message_carrier.hpp"
#include "simulator/engine/machine_part.hpp"

namespace skua::simulator {

class message_reader {
 public:
  virtual void receive(const managers::envelope& sent, managers::outbox& out) = 0;
  /// The worker's thread begins to send the message, or has handled it itself.
  virtual void posted(std::uint32_t worker, const managers::envelope& sent, cycles now) = 0;
  /// The time of a handler at this worker's thread, given its time on an otherwise idle core.
  virtual cycles handler_time(std::uint32_t worker, cycles alone) = 0;
  /// The worker's thread is interrupted for this time.
  virtual void interrupt(std::uint32_t worker, cycles busy) = 0;
  /// An operation was carried out and took this time.
  virtual void carried_out(simulated_operation simulated_operations::* which, cycles busy) = 0;

 protected:
  ~message_reader() = default;
};

class message_handlers final : public machine_part {
 public:
  message_handlers(const adm_hardware& chip, std::unique_ptr<message_carrier> carrier,
                   const std::vector<context_number>& contexts);

  /// Reserves this for a run until end_run(). False: it is already reserved. Time may pass before the run begins.
  bool reserve() noexcept { return !std::exchange(reserved_, true); }
  void begin_run(const managers::manager_tree& tree, message_reader& reader);
  void end_run() noexcept;

  /// The time for which posting keeps the worker's thread busy.
  struct posting {
    cycles matching = 0;  // by managers at the same thread
    cycles sending = 0;
    cycles busy() const noexcept { return matching + sending; }
  };
  /// Sends the messages of the outbox and empties it.
  posting post(std::uint32_t worker, managers::outbox& out, cycles now);
  /// Whether no message is on its way.
  bool quiet() const noexcept { return letters_.size() == unused_.size() && pending_ == 0; }

  std::optional<cycles> next() const override;
  void advance(cycles now) override;

 private:
  struct letter {
    std::uint64_t run;
    managers::envelope content;
  };
  struct thread_state {
    context_number context;
    std::deque<std::uint64_t> to_send;  // letters
    cycles busy_until = 0;              // with handlers and sending
    bool in_handler = false;
    simulated_operation simulated_operations::* operation =
        nullptr;               // the operation of the running handler; null if it is not counted
    cycles taken = 0;          // by this handler
    managers::outbox answers;  // of the running handler
  };
  struct event {
    enum class kind : std::uint8_t { begin, act, end };  // of a handler
    kind type;
    std::uint32_t worker;
    std::uint64_t letter = 0;
  };

  std::uint32_t thread_of(managers::party p) const;
  std::uint64_t put_letter(managers::envelope content);
  letter take_letter(std::uint64_t which);
  cycles handling(const managers::envelope& e) const;
  cycles matching(const managers::envelope& e, const managers::outbox& answers) const;
  void receive(const managers::envelope& e, managers::outbox& out);
  cycles send(std::uint32_t worker, cycles now);
  cycles charge(std::uint32_t worker, cycles begins, cycles alone);
  void handle(const adm_event& e);
  void start_handler(std::uint32_t worker, cycles now);
  void begin_handler(std::uint32_t worker, cycles now);
  void act(std::uint32_t worker, std::uint64_t which, cycles now);
  void end_handler(std::uint32_t worker, cycles now);

  adm_hardware chip_;
  std::unique_ptr<message_carrier> carrier_;
  std::vector<thread_state> threads_;     // by worker
  std::vector<std::uint32_t> worker_at_;  // by hardware thread
  std::deque<letter> letters_;            // in use unless in `unused_`
  std::vector<std::uint64_t> unused_;
  std::uint64_t pending_ = 0;  // handlers that have read a message and not yet answered
  time_line<event> timeline_;
  std::uint64_t run_ = 0;
  bool reserved_ = false;
  const managers::manager_tree* tree_ = nullptr;
  message_reader* reader_ = nullptr;
  std::vector<adm_event> events_;  // kept to reuse its memory
};

}  // namespace skua::simulator
