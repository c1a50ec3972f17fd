// The ADM paper's chips: the values of their files, the latency of packets, and the cost of user-level interrupts.
#include <gtest/gtest.h>

#include <string>

#include <skua/topology.hpp>

#include "simulator/adm/adm_hardware.hpp"
#include "simulator/adm/message_carrier.hpp"
#include "simulator/adm/tile_network.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator::adm_hardware_test {
namespace {

TEST(adm_hardware, has_the_values_of_table_3) {
  const adm_hardware chip = find_adm_hardware("adm-cmp-64c");
  EXPECT_EQ(chip.cores(), 64u);
  EXPECT_EQ(chip.threads(), 128u);
  EXPECT_EQ(chip.network.router_stages, 3u);
  EXPECT_EQ(chip.network.flit_bytes, 18u);
  EXPECT_EQ(chip.network.longest_global_link, 11u);
  EXPECT_EQ(chip.carbon.local_tasks, 4u);
  EXPECT_EQ(chip.carbon.queue_tasks, 32u);
  EXPECT_EQ(chip.messages.receive_words, 64u);
  EXPECT_EQ(chip.messages.translations, 32u);
  EXPECT_EQ(chip.messages.handler, 50u);
  EXPECT_EQ(chip.messages.reduction, 390u);
  EXPECT_EQ(chip.carbon.reduction, 4000u);
  EXPECT_EQ(chip.messages.operations.match_steal.average, 310u);
  EXPECT_EQ(chip.interrupts.operations.send_tasks.worst, 549u);
  EXPECT_EQ(find_adm_hardware("adm-cmp-32c").threads(), 64u);
  EXPECT_EQ(find_adm_hardware("adm-cmp-128c").threads(), 256u);
}

TEST(adm_hardware, has_one_two_or_four_threads_a_core) {
  EXPECT_EQ(find_adm_hardware("adm-cmp-64c", 1).threads(), 64u);
  const adm_hardware four = find_adm_hardware("adm-cmp-64c", 4);
  EXPECT_EQ(four.threads(), 256u);
  EXPECT_EQ(four.core_of(7), 1u);
  EXPECT_EQ(four.tile_of(four.core_of(16)), 1u);
}

std::string refusal(const std::string& name, std::optional<unsigned> threads_a_core = {}) {
  try {
    find_adm_hardware(name, threads_a_core);
  } catch (const bad_input& e) {
    return e.what();
  }
  return "accepted";
}

/// Replaces one piece of a valid file's text and returns the message with which the file is refused.
std::string refusal_with(const std::string& was, const std::string& becomes) {
  std::string text;
  for (const known_machine& one : all_known_machines)
    if (one.name == "adm-cmp-32c") text = one.text;
  const std::size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  try {
    parse_adm_hardware("m.json", text.replace(at, was.size(), becomes));
  } catch (const bad_input& e) {
    return e.what();
  }
  return "accepted";
}

TEST(adm_hardware, refuses_unknown_chips_and_threads) {
  EXPECT_EQ(refusal("adm-cmp-64c", 3),
            "adm-cmp-64c: smt_choices is without 3 threads a core; allowed: 1, 2, 4");
  EXPECT_EQ(refusal("opteron-8380-4s"),
            "machine 'opteron-8380-4s' has no substrates; allowed: adm-cmp-128c, adm-cmp-32c or adm-cmp-64c, "
            "or a .json file of such a machine");
  EXPECT_NE(refusal("adm-cmp-64").find("nearest: adm-cmp-64c"), std::string::npos);
}

TEST(adm_hardware, refuses_damaged_files_and_says_where) {
  const struct {
    std::string was, becomes, says;
  } damages[] = {
      {R"("substrates")", R"("substrate")", "substrates is missing"},
      {R"("rx_words": 64)", R"("rx_words": 5)",
       "substrates.adm.rx_words is 5; allowed: whole numbers from 6 to 65536; nearest: 6"},
      {R"("ttb_entries": 32)", R"("ttb_entries": 0)",
       "substrates.adm.ttb_entries is 0; allowed: whole numbers from 1 to 65536; nearest: 1"},
      {"34,\n     57,", "34,\n     33,",
       "substrates.adm.ops_cycles_best_avg_worst.enqueue[1] is 33; allowed: whole numbers from 34 to "
       "1000000; "
       "nearest: 34"},
      {"half, nearest neighbour, single cycle", "one",
       "substrates.carbon.steal is 'one'; allowed: half, nearest neighbour, single cycle"},
      {"2D flattened butterfly of tiles", "ring",
       "interconnect.kind is 'ring'; allowed: 2D flattened butterfly of tiles"},
      {"   2,\n   11", "   11",
       "interconnect.link_cycles_global is 1 long; allowed: 2: the shortest, the longest"},
  };
  for (const auto& [was, becomes, says] : damages) EXPECT_EQ(refusal_with(was, becomes), "m.json: " + says);
  EXPECT_NE(refusal_with(R"("radix")", R"("radixx")").find("nearest: radix"), std::string::npos);
}

// ---- the network

// Sixteen tiles, four by four. A packet between adjacent tiles of a row passes a local link, a router, a link of 2 cycles, a
// router and a local link: 1 + 3 + 2 + 3 + 1 = 10. A packet to the same tile takes 1 + 3 + 1 = 5. From corner to corner
// there are three routers and two links over three tiles, of 5 cycles each: 1 + 3 * 3 + 2 * 5 + 1 = 21. The mean over all
// pairs of cores is 14.4, or 15.4 with a second flit, so 10 cycles are left for the ends.
TEST(tile_network, has_routers_and_links_between_tiles) {
  const tile_network net(find_adm_hardware("adm-cmp-64c"), tile_network::kind::routed);
  EXPECT_EQ(net.ends(), 10u);
  EXPECT_EQ(net.latency(0, 0), 10u);
  EXPECT_EQ(net.latency(0, 3), 10u + 5);
  EXPECT_EQ(net.latency(0, 4), 10u + 10);
  EXPECT_EQ(net.latency(0, 16), 10u + 10) << "tile 4 lies below tile 0";
  EXPECT_EQ(net.latency(0, 63), 10u + 21);
  EXPECT_EQ(net.latency(63, 0), net.latency(0, 63));
  EXPECT_EQ(net.latency_to_centre(40), 10u + 5) << "tile 10, the third in the third row";
}

// A packet has a header of 8 bytes and 8 bytes for each word. A flit has 18 bytes.
TEST(tile_network, sends_words_in_flits) {
  const tile_network net(find_adm_hardware("adm-cmp-64c"), tile_network::kind::routed);
  EXPECT_EQ(net.flits(0), 1u);
  EXPECT_EQ(net.flits(1), 1u);
  EXPECT_EQ(net.flits(3), 2u);
  EXPECT_EQ(net.flits(4), 3u);
  EXPECT_EQ(net.flits(6), 4u);
}

TEST(tile_network, takes_25_cycles_on_average_on_all_chips) {
  for (const char* name : {"adm-cmp-32c", "adm-cmp-64c", "adm-cmp-128c"}) {
    const adm_hardware chip = find_adm_hardware(name);
    const tile_network net(chip, tile_network::kind::routed);
    double sum = 0;
    for (core_number a = 0; a < chip.cores(); ++a)
      for (core_number b = 0; b < chip.cores(); ++b)
        if (a != b) sum += static_cast<double>(net.latency(a, b) + net.flits(2) - 1);
    EXPECT_NEAR(sum / (chip.cores() * (chip.cores() - 1.0)), 25, 0.5) << name;
    EXPECT_GT(net.ends(), 0u) << name;
    EXPECT_LT(net.ends(), 15u) << name;
  }
}

TEST(tile_network, knows_distances) {
  const tile_network net(find_adm_hardware("adm-cmp-128c"), tile_network::kind::routed);
  EXPECT_EQ(net.distance(5, 5), 0u);
  EXPECT_LT(net.distance(4, 5), net.distance(4, 8));
  EXPECT_LT(net.distance(0, 4), net.distance(0, 28)) << "the link is longer";
  EXPECT_LT(net.distance(0, 4), net.distance(0, 36)) << "the path has two links";
}

TEST(tile_network, has_equal_latencies_if_it_is_ideal) {
  const tile_network net(find_adm_hardware("adm-cmp-128c"), tile_network::kind::ideal);
  EXPECT_EQ(net.latency(0, 127), 25u);
  EXPECT_EQ(net.latency(0, 1), 25u);
  EXPECT_EQ(net.latency_to_centre(0), 25u);
  EXPECT_EQ(net.flits(4), 0u);
}

// ---- user-level interrupts

// A message takes two lines each way. A line takes 90 cycles between tiles and 22 inside a tile. In Table 5, receiving an
// update takes 263 cycles with ULI and 52 with ADM. 180 of the 211 cycles between them are these lines.
TEST(user_interrupts, cost_two_lines_on_either_side) {
  const adm_hardware chip = find_adm_hardware("adm-cmp-64c");
  const user_interrupts uli(chip, tile_network(chip, tile_network::kind::routed));
  const auto far = uli.message(0, 127);
  EXPECT_EQ(far.sending, 180u);
  EXPECT_EQ(far.underway, 31u);
  EXPECT_EQ(far.receiving, 180u + 50);
  EXPECT_LE(far.sending, chip.interrupts.longest_message);
  EXPECT_EQ(uli.message(0, 2).sending, 44u);
  EXPECT_EQ(uli.message(0, 1).sending, 0u) << "both threads are on one core and share its L1";
}

}  // namespace
}  // namespace skua::simulator::adm_hardware_test
