#include "simulator/adm/adm_protocol.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace skua::simulator {

adm_protocol::adm_protocol(adm_sizes sizes, std::uint32_t contexts, unsigned threads_a_core,
                           std::uint32_t threads)
    : sizes_(sizes), threads_a_core_(threads_a_core), threads_(threads), contexts_(contexts) {
  const std::size_t cores = (contexts + threads_a_core - 1) / threads_a_core;
  translations_.resize(cores);
  stamps_.assign(contexts, std::vector<bool>(cores));
  expected_.assign(cores, std::vector<bool>(contexts));
  for (std::uint32_t i = 0; i < std::min(contexts, threads); ++i) {
    threads_[i].at = i;
    contexts_[i].thread = i;
  }
}

// ---- a thread

bool adm_protocol::send(const direct_message& message) {
  thread_state& sender = threads_[message.from];
  assert(sender.at && message.words <= direct_message::max_words);
  if (!may_send(message)) return false;
  sender.words += room_for(message);
  sender.unacknowledged.push_back({message, std::nullopt});
  transmit(message.from);
  return true;
}

const direct_message* adm_protocol::first(thread_number thread) const {
  const thread_state& t = threads_[thread];
  if (!t.at) return nullptr;
  const context_state& here = contexts_[*t.at];
  if (here.received.empty() || (!t.memory.empty() && here.before_memory == 0)) return nullptr;
  return &here.received.front();
}

direct_message adm_protocol::receive(thread_number thread) {
  thread_state& t = threads_[thread];
  context_state& here = contexts_[*t.at];
  const direct_message m = here.received.front();
  here.received.pop_front();
  here.words -= room_for(m);
  if (!t.memory.empty() && --here.before_memory == 0) become_due({adm_handler::kind::refill, *t.at});
  return m;
}

// ---- the sending unit

/// Sends the messages that are not under way, in order, up to the first without a known destination.
void adm_protocol::transmit(thread_number thread) {
  thread_state& sender = threads_[thread];
  for (sent_message& one : sender.unacknowledged) {
    if (one.to) continue;
    one.to = destination_of(sender, one);
    if (!one.to) return miss(*sender.at, one.message.to);
    packets_.push_back(
        {adm_packet::kind::message, stamps_[*sender.at][*one.to], *sender.at, *one.to, one.message});
  }
}

void adm_protocol::miss(context_number at, thread_number wanted) {
  if (!std::exchange(contexts_[at].unknown, wanted))
    became_due_.push_back({adm_handler::kind::translation, at});
}

std::optional<core_number> adm_protocol::destination_of(const thread_state& sender, const sent_message& one) {
  for (const sent_message& earlier : sender.unacknowledged)
    if (earlier.to && earlier.message.to == one.message.to) return earlier.to;
  return look_up(core_of(*sender.at), one.message.to);
}

std::optional<core_number> adm_protocol::look_up(core_number core, thread_number thread) {
  std::vector<translation>& known = translations_[core];
  const auto at = std::ranges::find(known, thread, &translation::first);
  if (at == known.end()) return std::nullopt;
  std::rotate(known.begin(), at, at + 1);
  return known.front().second;
}

void adm_protocol::forget(core_number core, translation stale) { std::erase(translations_[core], stale); }

/// The handler of a missing or wrong translation: looks it up in the table of all threads.
void adm_protocol::translate(context_number at) {
  thread_state& sender = threads_[*contexts_[at].thread];
  const thread_number wanted = *std::exchange(contexts_[at].unknown, std::nullopt);
  thread_state& receiver = threads_[wanted];
  if (receiver.at) {
    std::vector<translation>& known = translations_[core_of(at)];
    if (!look_up(core_of(at), wanted)) {  // another thread of the core may already have added it
      if (known.size() == sizes_.translations) known.pop_back();
      known.insert(known.begin(), {wanted, core_of(*receiver.at)});
    }
  } else {
    std::erase_if(sender.unacknowledged, [&](const sent_message& one) {
      if (one.message.to != wanted) return false;
      sender.words -= room_for(one.message);
      receiver.memory.push_back(one.message);
      return true;
    });
  }
  transmit(*contexts_[at].thread);
}

void adm_protocol::receive_acknowledgement(const adm_packet& packet) {
  thread_state& sender = threads_[packet.message.from];
  const auto oldest =
      std::ranges::find(sender.unacknowledged, std::optional(packet.receiver), &sent_message::to);
  assert(oldest != sender.unacknowledged.end());
  sender.words -= room_for(oldest->message);
  sender.unacknowledged.erase(oldest);
}

/// The core ignores everything that was under way to it.
void adm_protocol::receive_refusal(const adm_packet& packet) {
  stamps_[packet.sender][packet.receiver] = !stamps_[packet.sender][packet.receiver];
  for (sent_message& one : threads_[packet.message.from].unacknowledged)
    if (one.to == packet.receiver) one.to.reset();
  if (packet.type == adm_packet::kind::stale)
    forget(core_of(packet.sender), {packet.message.to, packet.receiver});
  transmit(packet.message.from);
}

// ---- the receiving unit

void adm_protocol::arrive(const adm_packet& packet) {
  if (!packet.is_answer()) return receive_message(packet);
  if (packet.type == adm_packet::kind::accepted) return receive_acknowledgement(packet);
  receive_refusal(packet);
}

void adm_protocol::receive_message(const adm_packet& packet) {
  if (packet.stamp != expected_stamp(packet)) return;
  const auto here = addressee(packet);
  if (!here) return refuse(packet, adm_packet::kind::stale);
  if (!fits(contexts_[*here], packet.message)) {
    become_due({adm_handler::kind::overflow, *here});
    return refuse(packet, adm_packet::kind::refused);
  }
  put(*here, packet.message);
  answer(packet, adm_packet::kind::accepted);
}

std::optional<context_number> adm_protocol::addressee(const adm_packet& packet) const {
  const auto at = threads_[packet.message.to].at;
  return at && core_of(*at) == packet.receiver ? at : std::nullopt;
}

void adm_protocol::put(context_number at, const direct_message& message) {
  context_state& here = contexts_[at];
  here.received.push_back(message);
  here.words += room_for(message);
  ++accepted_;
  if (here.words == sizes_.receive_words) become_due({adm_handler::kind::overflow, at});
}

void adm_protocol::refuse(const adm_packet& packet, adm_packet::kind reason) {
  expected_[packet.receiver][packet.sender] = !expected_[packet.receiver][packet.sender];
  answer(packet, reason);
}

void adm_protocol::answer(const adm_packet& packet, adm_packet::kind type) {
  adm_packet back = packet;
  back.type = type;
  packets_.push_back(back);
}

/// The first half buffer of the waiting messages stays in the buffer or returns to it; at least one message.
void adm_protocol::rearrange(context_number at) {
  context_state& here = contexts_[at];
  std::deque<direct_message>& memory = threads_[*here.thread].memory;
  if (memory.empty()) here.before_memory = here.received.size();
  const auto behind = here.received.begin() + static_cast<std::ptrdiff_t>(here.before_memory);
  memory.insert(memory.end(), behind, here.received.end());
  here.received.erase(behind, here.received.end());
  std::uint32_t words = 0;
  for (const direct_message& m : here.received) words += room_for(m);
  const std::uint32_t half = sizes_.receive_words / 2;
  for (; words > half && here.received.size() > 1; here.received.pop_back()) {
    memory.push_front(here.received.back());
    words -= room_for(memory.front());
  }
  for (; !memory.empty() && (here.received.empty() || words + room_for(memory.front()) <= half);
       memory.pop_front()) {
    here.received.push_back(memory.front());
    words += room_for(memory.front());
  }
  here.words = words;
  here.before_memory = here.received.size();
}

// ---- handlers

void adm_protocol::become_due(adm_handler handler) {
  context_state& here = contexts_[handler.at];
  bool& due = handler.type == adm_handler::kind::overflow ? here.overflow_due : here.refill_due;
  if (!std::exchange(due, true)) became_due_.push_back(handler);
}

bool adm_protocol::is_due(adm_handler handler) const {
  const context_state& here = contexts_[handler.at];
  if (handler.type == adm_handler::kind::overflow) return here.overflow_due;
  return handler.type == adm_handler::kind::refill ? here.refill_due : here.unknown.has_value();
}

std::uint32_t adm_protocol::run(adm_handler handler) {
  if (!is_due(handler)) return 0;
  if (handler.type == adm_handler::kind::translation) {
    translate(handler.at);
    return 0;
  }
  context_state& here = contexts_[handler.at];
  (handler.type == adm_handler::kind::overflow ? here.overflow_due : here.refill_due) = false;
  const std::uint32_t before = here.words;
  rearrange(handler.at);
  return before < here.words ? here.words - before : before - here.words;
}

// ---- the operating system

void adm_protocol::switch_out(thread_number thread) {
  thread_state& t = threads_[thread];
  assert(t.at && may_move(thread));
  context_state& here = contexts_[*t.at];
  const std::size_t before = t.memory.empty() ? 0 : here.before_memory;
  const auto behind = here.received.begin() + static_cast<std::ptrdiff_t>(before);
  t.memory.insert(t.memory.begin(), here.received.begin(), behind);
  t.memory.insert(t.memory.end(), behind, here.received.end());
  here = {};
  t.at.reset();
}

void adm_protocol::switch_in(thread_number thread, context_number to) {
  assert(!threads_[thread].at && !contexts_[to].thread);
  threads_[thread].at = to;
  contexts_[to].thread = thread;
  if (!threads_[thread].memory.empty()) become_due({adm_handler::kind::refill, to});
}

// ---- the state in numbers, by which explorers recognise a state that they have visited

std::vector<std::uint64_t> adm_protocol::state() const {
  std::vector<std::uint64_t> numbers;
  const auto number = [&](std::uint64_t n) { numbers.push_back(n); };
  const auto maybe = [&](const auto& n) { number(n ? *n + 1 : 0); };
  const auto message = [&](const direct_message& m) {
    number(m.from);
    number(m.to);
    number(m.words);
    number(m.content);
  };
  for (const thread_state& t : threads_) {
    maybe(t.at);
    number(t.unacknowledged.size());
    for (const sent_message& one : t.unacknowledged) {
      message(one.message);
      maybe(one.to);
    }
    number(t.memory.size());
    for (const direct_message& m : t.memory) message(m);
  }
  for (const context_state& here : contexts_) {
    maybe(here.thread);
    number(here.received.size());
    for (const direct_message& m : here.received) message(m);
    // Without messages in memory the value has no meaning.
    const bool split = here.thread && !threads_[*here.thread].memory.empty();
    number(split ? here.before_memory : 0);
    number((here.overflow_due ? 2 : 0) + (here.refill_due ? 1 : 0));
    maybe(here.unknown);
  }
  for (const auto& known : translations_) {
    number(known.size());
    for (const auto& [thread, core] : known) {
      number(thread);
      number(core);
    }
  }
  for (const auto& bits : {stamps_, expected_})
    for (const std::vector<bool>& row : bits)
      for (const bool bit : row) number(bit);
  return numbers;
}

}  // namespace skua::simulator
