// Direct messages in virtual time: the time of each event of Table 1, and when a thread receives which message.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/adm/adm_messages.hpp"

namespace skua::simulator::adm_messages_test {
namespace {

const adm_hardware chip = find_adm_hardware("adm-cmp-64c", 1);

/// A message takes 25 cycles between any two threads. A privileged handler takes 100 cycles.
struct ideal {
  adm_messages net{chip, tile_network(chip, tile_network::kind::ideal), 64};
  std::vector<adm_event> told;

  std::vector<adm_event> until(cycles then) {
    std::vector<adm_event> all;
    net.advance(then, all);
    return all;
  }
  /// A line such as "125 arrived 1" for each event.
  std::string trace(cycles then) {
    std::string text;
    for (const adm_event& e : until(then)) {
      static constexpr const char* names[] = {"arrived", "room", "handler"};
      text += std::to_string(e.at) + " " + names[static_cast<std::size_t>(e.type)] + " " +
              std::to_string(e.thread) + (e.busy ? " for " + std::to_string(e.busy) : "") + "\n";
    }
    return text;
  }
  bool send(thread_number from, thread_number to, std::uint64_t content, cycles now,
            std::uint32_t words = 4) {
    return net.send({from, to, words, content}, now);
  }
  std::vector<std::uint64_t> receive_all(thread_number thread, cycles now) {
    std::vector<std::uint64_t> all;
    while (const auto m = net.receive(thread, now)) all.push_back(m->content);
    return all;
  }
};

TEST(adm_messages, the_first_message_to_a_thread_misses_the_translation) {
  ideal i;
  EXPECT_TRUE(i.send(0, 9, 7, 0));
  EXPECT_EQ(i.trace(1000), "0 handler 0 for 100\n125 arrived 9\n");
  EXPECT_TRUE(i.send(0, 9, 8, 1000));
  EXPECT_EQ(i.trace(2000), "1025 arrived 9\n");
  EXPECT_EQ(i.receive_all(9, 2000), (std::vector<std::uint64_t>{7, 8}));
  EXPECT_EQ(i.net.next(), std::nullopt) << "after the acknowledgement nothing is left to do";
  EXPECT_TRUE(i.net.may_move(0));
}

TEST(adm_messages, forgets_the_translation_used_least_recently) {
  ideal i;
  const auto translations_for = [&](thread_number to, cycles now) {
    const std::uint64_t before = i.net.counted().translations;
    i.send(0, to, 0, now);
    i.until(now + 999);
    i.receive_all(to, now + 999);
    return i.net.counted().translations - before;
  };
  cycles now = 0;
  for (thread_number to = 1; to <= 32; ++to) EXPECT_EQ(translations_for(to, now += 1000), 1u);
  EXPECT_EQ(translations_for(1, now += 1000), 0u) << "the translation buffer has 32 entries";
  EXPECT_EQ(translations_for(33, now += 1000), 1u);
  EXPECT_EQ(translations_for(1, now += 1000), 0u);
  EXPECT_EQ(translations_for(2, now += 1000), 1u);
}

// Sixteen messages of four words fill the buffer at 125. By 225, the handler has moved half of them, 32 words, to memory.
// Until then, the seventeenth message is refused, at 175, and the messages behind it are ignored. The refusal is back at
// 200, and all four messages arrive at 225, after the handler. When the eight messages that stayed have been received,
// another handler brings eight back.
TEST(adm_messages, overflow_to_memory_and_come_back_in_order) {
  ideal i;
  std::vector<std::uint64_t> sent;
  for (std::uint64_t m = 0; m < 16; ++m) EXPECT_TRUE(i.send(0, 9, m, 0));
  EXPECT_FALSE(i.send(0, 9, 16, 0)) << "a send buffer has sixteen entries";
  EXPECT_EQ(i.until(149).size(), 18u) << "two handlers and sixteen arrivals";
  EXPECT_EQ(i.trace(150), "150 room 0\n");
  for (std::uint64_t m = 16; m < 20; ++m) EXPECT_TRUE(i.send(0, 9, m, 150));
  EXPECT_EQ(i.trace(2000),
            "225 handler 9 for 32\n225 arrived 9\n225 arrived 9\n225 arrived 9\n225 arrived 9\n");
  EXPECT_EQ(i.net.counted().refused, 1u);
  EXPECT_EQ(i.receive_all(9, 2000), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(i.trace(3000), "2000 handler 9 for 100\n2100 handler 9 for 16\n2116 arrived 9\n")
      << "eight messages arrive and four leave";
  EXPECT_EQ(i.receive_all(9, 3000), (std::vector<std::uint64_t>{8, 9, 10, 11, 12, 13, 14, 15}));
  i.until(4000);
  EXPECT_EQ(i.receive_all(9, 4000), (std::vector<std::uint64_t>{16, 17, 18, 19}));
  EXPECT_EQ(i.net.counted().overflows, 1u);
  EXPECT_EQ(i.net.counted().refills, 2u);
}

// At 1025 the thread is no longer there. The NACK is back at 1050, and the new translation arrives at 1150.
TEST(adm_messages, follow_a_thread_that_has_moved) {
  ideal i;
  adm_messages net(chip, tile_network(chip, tile_network::kind::ideal), 63);
  i.net = net;  // has a spare core
  i.send(0, 9, 1, 0);
  i.until(1000);
  i.receive_all(9, 1000);
  i.net.switch_out(9, 1000);
  i.net.switch_in(9, 63, 1000);
  i.send(0, 9, 2, 1000);
  i.send(0, 9, 3, 1010);
  EXPECT_EQ(i.trace(3000), "1050 handler 0 for 100\n1175 arrived 9\n1175 arrived 9\n");
  EXPECT_EQ(i.net.counted().stale, 1u);
  EXPECT_EQ(i.receive_all(9, 3000), (std::vector<std::uint64_t>{2, 3}));
}

TEST(adm_messages, wait_in_memory_for_a_thread_that_is_switched_out) {
  ideal i;
  i.send(0, 9, 1, 0);
  i.until(1000);
  i.net.switch_out(9, 1000);
  i.send(0, 9, 2, 1000);
  EXPECT_EQ(i.trace(3000), "1050 handler 0 for 100\n");
  EXPECT_TRUE(i.net.may_move(0)) << "the message was saved in a software queue";
  EXPECT_FALSE(i.net.receive(9, 3000));
  i.net.switch_in(9, 9, 3000);
  i.send(0, 9, 3, 3000);
  EXPECT_EQ(i.trace(3124),
            "3000 handler 9 for 100\n3000 handler 0 for 100\n3100 handler 9 for 8\n3108 arrived 9\n");
  i.until(4000);
  EXPECT_EQ(i.receive_all(9, 4000), (std::vector<std::uint64_t>{1, 2, 3}));
}

// A task of four words has three flits. From core 0 to core 4, 20 cycles away, its last flit arrives after 22 cycles, and
// that of the next task three cycles later.
TEST(adm_messages, leave_their_port_a_flit_a_cycle) {
  adm_messages net(chip, tile_network(chip, tile_network::kind::routed), 64);
  std::vector<adm_event> told;
  net.send({0, 4, 4, 0}, 0);
  net.advance(999, told);
  told.clear();
  net.send({0, 4, 4, 1}, 1000);
  net.send({0, 4, 4, 2}, 1000);
  net.advance(2000, told);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].at, 1022u);
  EXPECT_EQ(told[1].at, 1025u);
}

}  // namespace
}  // namespace skua::simulator::adm_messages_test
