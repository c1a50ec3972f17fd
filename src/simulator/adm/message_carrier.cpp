#include "simulator/adm/message_carrier.hpp"

#include <deque>
#include <utility>

namespace skua::simulator {

namespace {

class by_direct_messages final : public message_carrier {
 public:
  by_direct_messages(const adm_hardware& chip, tile_network::kind network)
      : net_(chip, tile_network(chip, network), chip.threads()) {}

  std::optional<cycles> send(const direct_message& message, cycles now) override {
    return net_.send(message, now) ? std::optional(cycles{0}) : std::nullopt;
  }
  std::optional<received> receive(thread_number thread, cycles now) override {
    const auto m = net_.receive(thread, now);
    return m ? std::optional(received{m->content, 0}) : std::nullopt;
  }
  std::optional<cycles> next() const override { return net_.next(); }
  void advance(cycles until, std::vector<adm_event>& events) override { net_.advance(until, events); }

 private:
  adm_messages net_;
};

class by_interrupts final : public message_carrier {
 public:
  by_interrupts(const adm_hardware& chip, tile_network::kind network)
      : chip_(chip), costs_(chip, tile_network(chip, network)), inboxes_(chip.threads()) {}

  std::optional<cycles> send(const direct_message& message, cycles now) override {
    const auto m = costs_.message(message.from, message.to);
    const received at_end{message.content, m.receiving - chip_.messages.handler};
    timeline_.put(now + m.sending + m.underway, {message.to, at_end});
    return m.sending;
  }
  std::optional<received> receive(thread_number thread, cycles) override {
    std::deque<received>& inbox = inboxes_[thread];
    if (inbox.empty()) return std::nullopt;
    const received first = inbox.front();
    inbox.pop_front();
    return first;
  }
  std::optional<cycles> next() const override { return timeline_.next(); }
  void advance(cycles until, std::vector<adm_event>& events) override {
    while (timeline_.next() && *timeline_.next() <= until) {
      const auto [at, message] = timeline_.take();
      inboxes_[message.first].push_back(message.second);
      events.push_back({adm_event::kind::arrived, message.first, at});
    }
  }

 private:
  adm_hardware chip_;
  user_interrupts costs_;
  time_line<std::pair<thread_number, received>> timeline_;
  std::vector<std::deque<received>> inboxes_;  // by thread
};

}  // namespace

std::unique_ptr<message_carrier> direct_messages(const adm_hardware& chip, tile_network::kind network) {
  return std::make_unique<by_direct_messages>(chip, network);
}
std::unique_ptr<message_carrier> messages_by_interrupts(const adm_hardware& chip,
                                                        tile_network::kind network) {
  return std::make_unique<by_interrupts>(chip, network);
}

}  // namespace skua::simulator
