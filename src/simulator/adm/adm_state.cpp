// The state of the messaging units in numbers, for explorers that look whether they have been here before.
#include "simulator/adm/adm_protocol.hpp"

namespace skua::simulator {

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
    // Where nothing lies in memory it says nothing.
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
