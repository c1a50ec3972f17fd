#include "simulator/adm/adm_messages.hpp"

#include <algorithm>

namespace skua::simulator {

adm_messages::adm_messages(const adm_hardware& chip, const tile_network& network, std::uint32_t threads)
    : chip_(chip),
      network_(network),
      units_({chip.messages.receive_words, chip.messages.send_words, chip.messages.translations},
             chip.threads(), chip.threads_a_core, threads),
      port_free_(chip.cores()),
      handler_free_(chip.threads()),
      thread_at_(chip.threads()),
      waiting_(threads) {
  for (context_number i = 0; i < thread_at_.size(); ++i) thread_at_[i] = i;
}

bool adm_messages::send(const direct_message& message, cycles now) {
  if (!units_.send(message)) {
    waiting_[message.from] = message;
    return false;
  }
  ++counted_.messages;
  follow(now);
  return true;
}

std::optional<direct_message> adm_messages::receive(thread_number thread, cycles now) {
  if (!units_.first(thread)) return std::nullopt;
  const direct_message found = units_.receive(thread);
  follow(now);
  return found;
}

void adm_messages::switch_out(thread_number thread, cycles now) {
  units_.switch_out(thread);
  follow(now);
}

void adm_messages::switch_in(thread_number thread, context_number to, cycles now) {
  thread_at_[to] = thread;
  units_.switch_in(thread, to);
  follow(now);
}

// ---- time

void adm_messages::follow(cycles now) {
  units_.take_packets(packets_);
  for (const adm_packet& p : packets_) {
    const core_number from = p.from_core(chip_.threads_a_core), to = p.to_core(chip_.threads_a_core);
    cycles leaves = now;
    if (!p.is_answer()) {
      const cycles flits = network_.flits(p.message.words);
      leaves = std::max(now, port_free_[from]);
      port_free_[from] = leaves + flits;
      leaves += flits == 0 ? 0 : flits - 1;
    }
    timeline_.put(leaves + network_.latency(from, to), {false, p, {}});
  }
  units_.take_handlers(due_);
  for (const adm_handler& h : due_) start(h, now);
}

/// A handler takes effect at its end.
void adm_messages::start(adm_handler handler, cycles now) {
  const cycles begins = std::max(now, handler_free_[handler.at]);
  handler_free_[handler.at] = begins + privileged_handler;
  begun_.push_back({adm_event::kind::handler, thread_at(handler.at), begins, privileged_handler});
  timeline_.put(begins + privileged_handler, {true, {}, handler});
}

void adm_messages::advance(cycles until, std::vector<adm_event>& events) {
  for (;;) {
    events.insert(events.end(), begun_.begin(), begun_.end());
    begun_.clear();
    if (!timeline_.next() || *timeline_.next() > until) return;
    const auto [at, due] = timeline_.take();
    handle(due, at, events);
  }
}

void adm_messages::handle(const event& due, cycles now, std::vector<adm_event>& events) {
  if (due.is_handler) {
    if (!units_.is_due(due.handler)) return;
    const std::uint32_t words = units_.run(due.handler);
    handler_free_[due.handler.at] += words;
    const thread_number thread = thread_at(due.handler.at);
    if (words != 0) events.push_back({adm_event::kind::handler, thread, now, words});
    using enum adm_handler::kind;
    ++(due.handler.type == translation ? counted_.translations
       : due.handler.type == overflow  ? counted_.overflows
                                       : counted_.refills);
    if (due.handler.type == refill && units_.first(thread))
      events.push_back({adm_event::kind::arrived, thread, now + words});
  } else {
    const std::uint64_t before = units_.messages_accepted();
    units_.arrive(due.packet);
    counted_.refused += due.packet.type == adm_packet::kind::refused;
    counted_.stale += due.packet.type == adm_packet::kind::stale;
    if (units_.messages_accepted() != before && units_.first(due.packet.message.to))
      events.push_back({adm_event::kind::arrived, due.packet.message.to, now});
  }
  follow(now);
  // An acknowledgement makes room, as does a handler that saved messages for a thread that is switched out.
  if (due.is_handler)
    announce_room(thread_at(due.handler.at), now, events);
  else if (due.packet.is_answer())
    announce_room(due.packet.message.from, now, events);
}

void adm_messages::announce_room(thread_number thread, cycles now, std::vector<adm_event>& events) {
  if (!waiting_[thread] || !units_.may_send(*waiting_[thread])) return;
  waiting_[thread].reset();
  events.push_back({adm_event::kind::room, thread, now});
}

}  // namespace skua::simulator
