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
    line_.put(leaves + network_.latency(from, to), {false, p, {}});
  }
  units_.take_handlers(due_);
  for (const adm_handler& h : due_) start(h, now);
}

/// What it does is done at its end.
void adm_messages::start(adm_handler handler, cycles now) {
  const cycles begins = std::max(now, handler_free_[handler.at]);
  handler_free_[handler.at] = begins + privileged_handler;
  begun_.push_back({adm_event::kind::handler, thread_at(handler.at), begins, privileged_handler});
  line_.put(begins + privileged_handler, {true, {}, handler});
}

void adm_messages::advance(cycles until, std::vector<adm_event>& told) {
  for (;;) {
    told.insert(told.end(), begun_.begin(), begun_.end());
    begun_.clear();
    if (!line_.next() || *line_.next() > until) return;
    const auto [at, what] = line_.take();
    happen(what, at, told);
  }
}

void adm_messages::happen(const event& what, cycles now, std::vector<adm_event>& told) {
  if (what.is_handler) {
    if (!units_.is_due(what.handler)) return;
    const std::uint32_t words = units_.run(what.handler);
    handler_free_[what.handler.at] += words;
    const thread_number thread = thread_at(what.handler.at);
    if (words != 0) told.push_back({adm_event::kind::handler, thread, now, words});
    using enum adm_handler::kind;
    ++(what.handler.what == translation ? counted_.translations
       : what.handler.what == overflow  ? counted_.overflows
                                        : counted_.refills);
    if (what.handler.what == refill && units_.first(thread))
      told.push_back({adm_event::kind::arrived, thread, now + words});
  } else {
    const std::uint64_t before = units_.messages_accepted();
    units_.arrive(what.packet);
    counted_.refused += what.packet.what == adm_packet::kind::refused;
    counted_.stale += what.packet.what == adm_packet::kind::stale;
    if (units_.messages_accepted() != before && units_.first(what.packet.message.to))
      told.push_back({adm_event::kind::arrived, what.packet.message.to, now});
  }
  follow(now);
  // Where room comes from: an acknowledgement, or a handler that saved messages for a thread that is switched out.
  if (what.is_handler)
    tell_room(thread_at(what.handler.at), now, told);
  else if (what.packet.is_answer())
    tell_room(what.packet.message.from, now, told);
}

void adm_messages::tell_room(thread_number thread, cycles now, std::vector<adm_event>& told) {
  if (!waiting_[thread] || !units_.may_send(*waiting_[thread])) return;
  waiting_[thread].reset();
  told.push_back({adm_event::kind::room, thread, now});
}

}  // namespace skua::simulator
