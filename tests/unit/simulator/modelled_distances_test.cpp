// On a modelled machine, policies see the same distances as on the same machine saved as hwloc XML.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator::modelled_distances_test {
namespace {

/// The placements on both machines must be the same.
void expect_the_same_order(const machine_model& model, const topology& saved) {
  const placement here = model.machine.place(model.threads()), there = saved.place(model.threads());
  for (worker_id a = 0; a < here.workers(); ++a) {
    ASSERT_EQ(here[a].cpu, there[a].cpu);
    for (worker_id b = 0; b < a; ++b) {
      std::string name = here.level_name(here.distance(a, b));
      // In the saved machine, 3 and 4 hops of the ladder have the same distance.
      if (name == "same machine, NUMA distance 18" && model.name == "opteron-8354-8s")
        name = "same machine, NUMA distance 16";
      ASSERT_EQ(name, there.level_name(there.distance(a, b))) << a << " and " << b;
    }
  }
}

TEST(modelled_distances, are_those_of_the_same_machine_saved) {
  const auto folder = std::filesystem::path(SKUA_SHARED) / "machines";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no folder of machines";
  for (const std::string_view name : known_machines()) {
    SCOPED_TRACE(name);
    const auto file = folder / (std::string(name) + ".xml");
    ASSERT_TRUE(std::filesystem::exists(file));
    expect_the_same_order(find_machine(std::string(name)), topology::from_file(file));
  }
}

TEST(modelled_distances, the_diagonal_of_a_square_is_farther) {
  const machine_model square = find_machine("opteron-8380-4s");
  const placement seats = square.machine.place(4);
  // From the first node: 1, 1 and 2 hops, with latencies of 210, 300 and 375 cycles.
  EXPECT_EQ(seats.distance(0, 1), seats.distance(0, 2));
  EXPECT_LT(seats.distance(0, 1), seats.distance(0, 3));
  EXPECT_EQ(seats.level_name(seats.distance(0, 1)), "same machine, NUMA distance 14");
  EXPECT_EQ(seats.level_name(seats.distance(0, 3)), "same machine, NUMA distance 18");
  EXPECT_EQ(seats.at_distance(1, 0).size(), 2u);
  EXPECT_EQ(square.machine.source(), "opteron-8380-4s");
}

TEST(modelled_distances, follow_the_hops) {
  for (const std::string_view name : known_machines()) {
    SCOPED_TRACE(name);
    const machine_model model = find_machine(std::string(name));
    for (std::size_t a = 0; a < model.nodes; ++a)
      for (std::size_t b = 0; b < model.nodes; ++b)
        for (std::size_t c = 0; c < model.nodes; ++c)
          if (model.node_hops[a][b] < model.node_hops[a][c]) {
            EXPECT_LT(model.machine.numa_distance(a, b), model.machine.numa_distance(a, c));
          }
  }
}

nlohmann::json file_of(std::string_view name) {
  for (const known_machine& one : all_known_machines)
    if (one.name == name) return nlohmann::json::parse(one.text);
  return {};
}

TEST(modelled_distances, come_from_latencies_without_a_firmware_table) {
  nlohmann::json file = file_of("xeon-x5550-2s-nehalem");
  file["slit"] = {{10, 31}, {31, 10}};
  EXPECT_EQ(parse_machine("m.json", file.dump()).machine.numa_distance(0, 1), 31u);
  file.erase("slit");
  // 282 cycles have the distance 16.1, if 175 have 10.
  EXPECT_EQ(parse_machine("m.json", file.dump()).machine.numa_distance(0, 1), 16u);
  file["memory"]["latency_cycles_by_hop"] = {200, 500};
  EXPECT_EQ(parse_machine("m.json", file.dump()).machine.numa_distance(0, 1), 25u);
  EXPECT_EQ(parse_machine("m.json", file.dump()).machine.numa_distance(1, 1), 10u);
}

TEST(modelled_distances, several_nodes_in_a_package_are_no_hop_apart) {
  nlohmann::json file = file_of("xeon-x5550-2s-nehalem");
  file.erase("slit");
  file["numa_nodes"] = 4;
  file["caches"][2]["shared_by_cores"] = 2;
  file["line_transfer_cycles"]["cross_ccd"] = 90;
  file["synthetic"] = "package:2 group:2 [numa(memory=1GB)] l3:1 l2:2 l1d:1 core:1 pu:2";
  const machine_model model = parse_machine("m.json", file.dump());
  EXPECT_EQ(model.node_hops,
            (std::vector<std::vector<unsigned>>{{0, 0, 1, 1}, {0, 0, 1, 1}, {1, 1, 0, 0}, {1, 1, 0, 0}}));
  EXPECT_EQ(model.machine.numa_distance(0, 1), 10u);
  EXPECT_EQ(model.machine.numa_distance(1, 2), 16u);
  EXPECT_EQ(model.shared_level(0, 1), 0u);  // two threads of a core share its L1
  EXPECT_EQ(model.shared_level(0, 2), 2u);
  EXPECT_EQ(model.shared_level(0, 4), 3u);  // no cache in common with the other half of the package
}

}  // namespace
}  // namespace skua::simulator::modelled_distances_test
