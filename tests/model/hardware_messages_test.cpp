// Direct messages for a few threads and buffers of a few messages, in all orders of sending, arrival, reception, handlers
// and migration. No message may be lost or duplicated, the messages of each pair must arrive in order, and all must be quiet
// at the end. The test must find each planted mistake.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "explorer.hpp"
#include "simulator/adm/adm_protocol.hpp"

namespace skua::model {
namespace {

using namespace simulator;

struct step {
  enum class kind { send, receive, arrive, handler, move };
  kind what;
  std::uint32_t which = 0;  // a thread
  std::array<std::uint32_t, 3> channel{};
  adm_handler handler{};
};

std::string to_string(const step& s) {
  const auto n = [](auto i) { return std::to_string(i); };
  switch (s.what) {
    case step::kind::send:
      return n(s.which) + " sends";
    case step::kind::receive:
      return n(s.which) + " receives";
    case step::kind::arrive:
      return std::string(s.channel[2] ? "answer " : "message ") + n(s.channel[0]) + "->" + n(s.channel[1]) +
             " arrives";
    case step::kind::handler:
      return std::array{"translation", "overflow", "refill"}[static_cast<std::size_t>(s.handler.type)] +
             std::string(" at ") + n(s.handler.at);
    default:
      return "a thread moves";
  }
}

struct move {
  thread_number thread;
  std::optional<context_number> to;  // none: the thread is switched out
};

struct scenario {
  const char* name;
  std::uint32_t contexts, threads;
  unsigned threads_a_core;
  adm_sizes sizes;
  std::vector<std::vector<thread_number>> sends;  // the receivers of each thread, in order
  std::vector<move> moves;                        // in this order, at any time
  std::uint32_t words = 1;
};

/// The units, the network, and the remaining steps.
template <class Protocol>
class running {
 public:
  explicit running(const scenario& what)
      : what_(&what),
        units_(what.sizes, what.contexts, what.threads_a_core, what.threads),
        sent_(what.threads),
        received_(what.threads * what.threads) {}

  std::vector<step> steps() const {
    std::vector<step> all;
    for (thread_number t = 0; t < what_->threads; ++t) {
      if (sent_[t] < what_->sends[t].size() && units_.context_of(t) && units_.may_send(next_message(t)))
        all.push_back({step::kind::send, t});
      if (units_.first(t)) all.push_back({step::kind::receive, t});
    }
    for (const auto& [channel, packets] : channels_) all.push_back({step::kind::arrive, 0, channel});
    for (context_number c = 0; c < units_.contexts(); ++c)
      for (const auto kind :
           {adm_handler::kind::translation, adm_handler::kind::overflow, adm_handler::kind::refill})
        if (units_.is_due({kind, c})) all.push_back({step::kind::handler, 0, {}, {kind, c}});
    if (moved_ < what_->moves.size()) {
      const move& next = what_->moves[moved_];
      if (!units_.context_of(next.thread) || units_.may_move(next.thread)) all.push_back({step::kind::move});
    }
    return all;
  }

  void take(const step& s) {
    if (s.what == step::kind::send) {
      units_.send(next_message(s.which));
      ++sent_[s.which];
    } else if (s.what == step::kind::receive) {
      check(s.which, units_.receive(s.which));
    } else if (s.what == step::kind::arrive) {
      std::vector<adm_packet>& packets = channels_[s.channel];
      const adm_packet first = packets.front();
      packets.erase(packets.begin());
      if (packets.empty()) channels_.erase(s.channel);
      units_.arrive(first);
    } else if (s.what == step::kind::handler) {
      units_.run(s.handler);
    } else {
      const move& next = what_->moves[moved_++];
      if (units_.context_of(next.thread)) units_.switch_out(next.thread);
      if (next.to) units_.switch_in(next.thread, *next.to);
    }
    std::vector<adm_packet> packets;
    units_.take_packets(packets);
    for (const adm_packet& p : packets)
      channels_[{p.from_core(what_->threads_a_core), p.to_core(what_->threads_a_core), p.is_answer()}]
          .push_back(p);
    std::vector<adm_handler> handlers;
    units_.take_handlers(handlers);  // is_due() reports the handlers too
    for (context_number c = 0; c < units_.contexts(); ++c)
      if (units_.words_received(c) > what_->sizes.receive_words)
        throw violation("a receive buffer is overfull");
  }

  bool is_quiet() const {
    if (!channels_.empty() || moved_ != what_->moves.size()) return false;
    std::uint64_t received = 0, wanted = 0;
    for (const std::uint8_t n : received_) received += n;
    for (thread_number t = 0; t < what_->threads; ++t) {
      wanted += what_->sends[t].size();
      if (!units_.may_move(t)) return false;
    }
    return received == wanted;
  }

  std::string key() const {
    std::string key;
    const auto number = [&](std::uint64_t n) { key += static_cast<char>(n); };
    for (const std::uint64_t n : units_.state()) number(n);
    for (const auto& [channel, packets] : channels_) {
      number(packets.size());
      for (const std::uint32_t n : channel) number(n);
      for (const adm_packet& p : packets) {
        number(static_cast<std::uint64_t>(p.type) * 2 + p.stamp);
        for (const std::uint64_t n : {std::uint64_t{p.sender}, std::uint64_t{p.receiver}, p.message.content,
                                      std::uint64_t{p.message.from}, std::uint64_t{p.message.to}})
          number(n);
      }
    }
    for (const std::uint8_t n : sent_) number(n);
    for (const std::uint8_t n : received_) number(n);
    number(moved_);
    return key;
  }

 private:
  /// The messages of each pair of threads are numbered.
  direct_message next_message(thread_number from) const {
    const std::vector<thread_number>& sends = what_->sends[from];
    const thread_number to = sends[sent_[from]];
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < sent_[from]; ++i) before += sends[i] == to;
    return {from, to, what_->words, before};
  }
  void check(thread_number by, const direct_message& m) {
    std::uint8_t& expected = received_[m.from * what_->threads + m.to];
    const auto n = [](auto i) { return std::to_string(i); };
    if (by != m.to) throw violation(n(by) + " receives what is for " + n(m.to));
    if (m.content != expected)
      throw violation(n(by) + " receives message " + n(m.content) + " of " + n(m.from) + " instead of " +
                      n(expected));
    ++expected;
  }

  const scenario* what_;
  Protocol units_;
  std::map<std::array<std::uint32_t, 3>, std::vector<adm_packet>> channels_;
  std::vector<std::uint8_t> sent_, received_;  // per thread; per pair
  std::uint8_t moved_ = 0;
};

// ---- mistakes

/// Resends only the refused message and accepts the messages that were sent after it.
struct resends_without_order : adm_protocol {
  using adm_protocol::adm_protocol;
  void receive_message(const adm_packet& packet) override {
    adm_packet any = packet;
    any.stamp = expected_stamp(packet);
    adm_protocol::receive_message(any);
  }
  void receive_refusal(const adm_packet& packet) override {
    for (sent_message& one : threads_[packet.message.from].unacknowledged)
      if (one.message.to == packet.message.to && one.message.content == packet.message.content)
        one.to.reset();
    if (packet.type == adm_packet::kind::stale)
      forget(core_of(packet.sender), {packet.message.to, packet.receiver});
    transmit(packet.message.from);
  }
};

/// Delivers the message to any thread on the core where the sender expected the receiver.
struct accepts_for_any_thread : adm_protocol {
  using adm_protocol::adm_protocol;
  void receive_message(const adm_packet& packet) override {
    const context_number there = packet.receiver * threads_a_core_;
    if (packet.stamp != expected_stamp(packet) || addressee(packet) ||
        !fits(contexts_[there], packet.message))
      return adm_protocol::receive_message(packet);
    put(there, packet.message);
    answer(packet, adm_packet::kind::accepted);
  }
};

struct acknowledges_before_there_is_room : adm_protocol {
  using adm_protocol::adm_protocol;
  void receive_message(const adm_packet& packet) override {
    const auto here = addressee(packet);
    if (packet.stamp != expected_stamp(packet) || !here || fits(contexts_[*here], packet.message))
      return adm_protocol::receive_message(packet);
    become_due({adm_handler::kind::overflow, *here});
    answer(packet, adm_packet::kind::accepted);
  }
};

/// Returns messages from memory to the end of the buffer, behind messages that have arrived since.
struct refills_at_the_back : adm_protocol {
  using adm_protocol::adm_protocol;
  void rearrange(context_number at) override {
    context_state& here = contexts_[at];
    auto& memory = threads_[*here.thread].memory;
    if (memory.empty()) return adm_protocol::rearrange(at);
    while (!memory.empty() && fits(here, memory.front())) {
      put(at, memory.front());
      memory.pop_front();
    }
    here.before_memory = here.received.size();
  }
};

/// Uses only the translation, even if an earlier message is still on its way to the receiver's previous core.
struct overtakes_after_a_migration : adm_protocol {
  using adm_protocol::adm_protocol;
  std::optional<core_number> destination_of(const thread_state& sender, const sent_message& one) override {
    return look_up(core_of(*sender.at), one.message.to);
  }
};

/// The sender flips its bit, but the receiver does not.
struct flips_for_full_buffers_only : adm_protocol {
  using adm_protocol::adm_protocol;
  void receive_message(const adm_packet& packet) override {
    if (addressee(packet)) return adm_protocol::receive_message(packet);
    if (packet.stamp == expected_stamp(packet)) answer(packet, adm_packet::kind::stale);
  }
};

struct keeps_stale_translations : adm_protocol {
  using adm_protocol::adm_protocol;
  void receive_refusal(const adm_packet& packet) override {
    adm_packet as_if_full = packet;
    as_if_full.type = adm_packet::kind::refused;
    adm_protocol::receive_refusal(as_if_full);
  }
};

// ---- scenarios: two and three threads, buffers of one and two messages, and one migration

constexpr adm_sizes one_each{1, 1, 1}, two_each{2, 2, 1}, two_and_known{2, 2, 2}, three_to_send{1, 3, 2};

const scenario scenarios[] = {
    {"two threads, both ways, buffers of one", 2, 2, 1, one_each, {{1, 1}, {0, 0}}, {}},
    {"two threads, both ways, buffers of two", 2, 2, 1, two_each, {{1, 1, 1}, {0, 0}}, {}},
    {"four messages to a buffer of two", 2, 2, 1, {2, 4, 1}, {{1, 1, 1, 1}, {}}, {}},
    {"six messages to a buffer of four", 2, 2, 1, {4, 2, 1}, {{1, 1, 1, 1, 1, 1}, {}}, {}},
    {"messages of two words", 2, 2, 1, {4, 4, 1}, {{1, 1, 1}, {0}}, {}, 2},
    {"two senders, buffer of one", 3, 3, 1, one_each, {{1, 1}, {}, {1, 1}}, {}},
    {"one sender, two receivers, one translation", 3, 3, 1, two_each, {{1, 2, 1, 2}, {}, {}}, {}},
    {"three in a ring", 3, 3, 1, one_each, {{1, 1}, {2}, {0}}, {}},
    {"the receiver moves", 3, 2, 1, two_each, {{1, 1, 1}, {0}}, {{1, 2}}},
    {"the receiver moves, long send buffer", 3, 2, 1, three_to_send, {{1, 1, 1}, {}}, {{1, 2}}},
    {"the receiver moves, and another is there",
     3,
     3,
     1,
     two_and_known,
     {{1, 1}, {}, {1}},
     {{2, {}}, {1, 2}, {2, 1}}},
    {"the receiver moves to and fro", 3, 2, 1, three_to_send, {{1, 1, 1}, {}}, {{1, 2}, {1, 1}}},
    {"the receiver is switched out and in", 2, 2, 1, two_each, {{1, 1, 1}, {0}}, {{1, {}}, {1, 1}}},
    {"the receiver is elsewhere when it comes back", 3, 2, 1, two_each, {{1, 1, 1}, {}}, {{1, {}}, {1, 2}}},
    {"a sender moves", 3, 2, 1, two_each, {{1, 1, 1}, {0}}, {{0, 2}}},
    {"two receivers, one of which moves, one translation", 4, 3, 1, {2, 3, 1}, {{1, 2, 1}, {}, {}}, {{1, 3}}},
    {"two threads of a core send to one that moves", 6, 3, 2, two_and_known, {{2, 2}, {2, 2}, {}}, {{2, 4}}},
    {"two threads of a core receive, one moves", 6, 3, 2, two_and_known, {{}, {0}, {0, 1, 0}}, {{0, 4}}},
};

template <class Protocol>
std::optional<std::string> first_wrong() {
  for (const scenario& s : scenarios)
    if (const auto wrong = explorer<running<Protocol>>().explore(running<Protocol>(s)).wrong)
      return std::string(s.name) + ": " + *wrong;
  return std::nullopt;
}

template <class Mistake>
int must_be_found(const char* name) {
  const auto found = first_wrong<Mistake>();
  std::printf("%-4s planted: %s: %s\n", found ? "ok" : "FAIL", name,
              found ? found->c_str() : "does not fail");
  return found ? 0 : 1;
}

int run() {
  int failures = 0;
  std::size_t states = 0;
  for (const scenario& s : scenarios) {
    const exploration all = explorer<running<adm_protocol>>().explore(running<adm_protocol>(s));
    states += all.states;
    std::printf("%-4s %s: %zu states, %zu steps, %zu ends%s%s\n", all.wrong ? "FAIL" : "ok", s.name,
                all.states, all.steps, all.quiet_ends, all.wrong ? "; " : "",
                all.wrong ? all.wrong->c_str() : "");
    failures += all.wrong ? 1 : 0;
    std::fflush(stdout);
  }
  std::printf("%zu states in all\n", states);
  failures += must_be_found<resends_without_order>("resends without order");
  failures += must_be_found<accepts_for_any_thread>("accepts for any thread");
  failures += must_be_found<acknowledges_before_there_is_room>("acknowledges before there is room");
  failures += must_be_found<refills_at_the_back>("refills at the back");
  failures += must_be_found<overtakes_after_a_migration>("overtakes after a migration");
  failures += must_be_found<flips_for_full_buffers_only>("flips for full buffers only");
  failures += must_be_found<keeps_stale_translations>("keeps stale translations");
  std::printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace skua::model

int main() { return skua::model::run(); }
