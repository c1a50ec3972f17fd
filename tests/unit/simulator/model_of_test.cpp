// Models of topologies: saved machines of all kinds, synthetic ones, and the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "tests/support/machine_files.hpp"

namespace skua::simulator::model_of_test {
namespace {

using squares = std::vector<std::vector<unsigned>>;

/// Each thread is in exactly one cache instance of each of its levels, and names that instance.
void expect_whole(const machine_model& model) {
  EXPECT_EQ(model.threads(), model.machine.pus());
  EXPECT_EQ(model.cores, model.machine.core_list().size());
  ASSERT_GE(model.caches.size(), 2u);
  ASSERT_EQ(model.instances.size(), model.caches.size());
  for (std::size_t level = 0; level < model.caches.size(); ++level) {
    std::vector<std::size_t> holds(model.threads(), 0);
    for (std::size_t i = 0; i < model.instances[level].size(); ++i) {
      const cache_instance& one = model.instances[level][i];
      EXPECT_GT(one.sets(), 0u);
      EXPECT_EQ(one.sets() * one.ways * one.line, one.bytes);
      EXPECT_EQ(one.line, model.caches[0].line);
      for (const std::uint32_t thread : one.threads) {
        ++holds[thread];
        EXPECT_EQ(model.instance_of(level, thread), i);
      }
    }
    for (std::size_t thread = 0; thread < model.threads(); ++thread)
      EXPECT_EQ(holds[thread], level < 2 || model.instance_of(level, thread) != no_cache ? 1u : 0u);
  }
  for (const hardware_thread& thread : model.hardware) {
    EXPECT_LT(thread.package, model.packages);
    EXPECT_LT(thread.node, model.nodes);
    EXPECT_EQ(model.node_hops[thread.node][thread.node], 0u);
    EXPECT_EQ(model.hardware[model.thread_on(thread.cpu)].cpu, thread.cpu);
  }
}

TEST(model_of, every_saved_machine) {
  const auto files = machine_files();
  if (files.empty()) GTEST_SKIP() << "no folder of machines";
  EXPECT_EQ(files.size(), 34u);
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    expect_whole(find_machine(file.string()));
  }
}

machine_model saved(const char* name) {
  return find_machine((std::filesystem::path(SKUA_SHARED) / "topologies" / name).string());
}
const bool no_saved_machines = machine_files().empty();

TEST(model_of, what_hwloc_says) {
  if (no_saved_machines) GTEST_SKIP() << "no folder of machines";
  const machine_model dunnington = saved("01-xeon-x7460x4-dunnington.xml");
  EXPECT_EQ(dunnington.name, "01-xeon-x7460x4-dunnington");
  EXPECT_EQ(dunnington.ghz, 2.66);
  EXPECT_EQ(dunnington.packages, 4u);
  ASSERT_EQ(dunnington.caches.size(), 3u);
  EXPECT_EQ(dunnington.caches[1].bytes, 3u << 20);
  EXPECT_EQ(dunnington.caches[1].ways, 12u);
  EXPECT_EQ(dunnington.caches[1].cores, 2u);
  EXPECT_EQ(dunnington.caches[1].content, cache_content::independent);
  EXPECT_EQ(dunnington.caches[2].content, cache_content::inclusive);
  EXPECT_EQ(dunnington.instances[2].size(), 4u);
  EXPECT_FALSE(dunnington.transfers.same_core);     // there are no hyper-threads
  EXPECT_FALSE(dunnington.transfers.same_package);  // all cores of a package share its L3
  EXPECT_TRUE(dunnington.transfers.by_cache[1].modified);
  EXPECT_EQ(saved("08-epyc-9654x2-zen4.xml").instances[2].size(), 24u);
  EXPECT_TRUE(saved("08-epyc-9654x2-zen4.xml").transfers.same_package);
  EXPECT_EQ(saved("11-knl-7210-256t.xml").caches.size(), 2u);
  EXPECT_EQ(saved("11-knl-7210-256t.xml").threads_a_core, 4u);
  EXPECT_EQ(saved("11-knl-7210-256t.xml").ghz, 1.3);
  EXPECT_EQ(saved("14-opteron-6134x4-cgroup2.xml").ghz, 2.3);
  // The tags of its L3 cover 128 bytes, but lines of 64 bytes move.
  EXPECT_EQ(saved("22-kunpeng920x2-clusters.xml").caches[2].line, 64u);
}

TEST(model_of, hops_by_the_order_of_distances) {
  if (no_saved_machines) GTEST_SKIP() << "no folder of machines";
  // Distances 10 and 20.
  const machine_model westmere = saved("03-westmere-2n6c2t-numa.xml");
  EXPECT_EQ(westmere.hops, (squares{{0, 1}, {1, 0}}));
  const auto said = std::ranges::find(westmere.sources, "interconnect.hops", &value_source::name);
  ASSERT_NE(said, westmere.sources.end());
  EXPECT_EQ(said->value, "[[0,1],[1,0]]");
  // Distance 11 to the other half of the package, and 21 to the other package.
  const machine_model cascade = saved("25-cascadelake-2lm-snc2.xml");
  EXPECT_EQ(cascade.node_hops, (squares{{0, 1, 2, 2}, {1, 0, 2, 2}, {2, 2, 0, 1}, {2, 2, 1, 0}}));
  EXPECT_EQ(cascade.hops, (squares{{0, 1}, {1, 0}}));
  EXPECT_EQ(cascade.memory.latency_by_hops, (std::vector<unsigned>{250, 265, 415}));  // 0%, 6% and 66% more
  // 16 within a package, and 25 to 33 between packages. 32 and 33 count as one distance.
  const machine_model kunpeng = saved("22-kunpeng920x2-clusters.xml");
  EXPECT_EQ(kunpeng.node_hops[0], (std::vector<unsigned>{0, 1, 3, 3}));
  EXPECT_EQ(kunpeng.node_hops[1], (std::vector<unsigned>{1, 0, 2, 3}));
  EXPECT_EQ(kunpeng.hops, (squares{{0, 1}, {1, 0}}));
  // 16 and 22 between packages of two nodes. Any two packages have two nodes with a link, so 16 counts.
  EXPECT_EQ(*std::ranges::max_element(saved("13-opteron-48c-sparse-numa.xml").hops[0]), 1u);
  // 50, 65 and 79 among 24 packages.
  const machine_model sgi = saved("29-sgi-24-sockets.xml");
  EXPECT_EQ(*std::ranges::max_element(sgi.hops[0]), 3u);
  EXPECT_EQ(sgi.transfers.by_hops.size(), 3u);
  // A square like that of the model, saved as XML: 14 and 18.
  const auto square = std::filesystem::path(SKUA_SHARED) / "machines" / "opteron-8380-4s.xml";
  EXPECT_EQ(find_machine(square.string()).hops, find_machine("opteron-8380-4s").hops);
}

TEST(model_of, hybrid_cores_have_caches_of_their_own) {
  if (no_saved_machines) GTEST_SKIP() << "no folder of machines";
  const machine_model hybrid = saved("20-i7-1370p-hybrid.xml");
  EXPECT_EQ(hybrid.ghz, 5.0);
  EXPECT_EQ(hybrid.threads(), 20u);
  EXPECT_EQ(hybrid.cores, 14u);
  EXPECT_EQ(hybrid.threads_a_core, 2u);
  ASSERT_EQ(hybrid.instances[1].size(), 8u);
  // Six large cores have an L2 each. Then there are eight small cores, with one L2 for four of them.
  EXPECT_EQ(hybrid.instances[1][0].threads, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(hybrid.instances[1][0].bytes, 1310720u);
  EXPECT_EQ(hybrid.instances[1][0].ways, 10u);
  EXPECT_EQ(hybrid.instances[1][7].threads, (std::vector<std::uint32_t>{16, 17, 18, 19}));
  EXPECT_EQ(hybrid.instances[1][7].bytes, 2u << 20);
  EXPECT_EQ(hybrid.instances[0][0].bytes, 48u << 10);
  EXPECT_EQ(hybrid.instances[0][13].bytes, 32u << 10);
  EXPECT_EQ(hybrid.caches[1].cores, 4u);
  EXPECT_EQ(hybrid.transfers.by_cache[1].clean, hybrid.caches[1].latency);
  EXPECT_EQ(hybrid.shared_level(0, 1), 0u);
  EXPECT_EQ(hybrid.shared_level(12, 15), 1u);
  EXPECT_EQ(hybrid.shared_level(0, 12), 2u);
  EXPECT_EQ(hybrid.hardware[19].core, 13u);
}

TEST(model_of, odd_machines) {
  if (no_saved_machines) GTEST_SKIP() << "no folder of machines";
  const machine_model no_package = saved("33-ps3-no-package.xml");
  EXPECT_EQ(no_package.packages, 1u);
  EXPECT_EQ(no_package.threads(), 2u);
  EXPECT_EQ(no_package.instances[1].size(), 1u);
  EXPECT_EQ(no_package.caches[0].bytes, defaults::caches[0].bytes);
  const machine_model no_cores = saved("27-numa-per-pu.xml");
  EXPECT_EQ(no_cores.threads(), 2u);
  EXPECT_EQ(no_cores.shared_level(0, 1), 2u);
  // Some cores have one thread and others have two.
  const machine_model threads_off = saved("17-xeon-offline-threads.xml");
  EXPECT_EQ(threads_off.cores, 7u);
  EXPECT_EQ(threads_off.threads(), 12u);
  EXPECT_EQ(threads_off.ghz, 2.6);
  // Only four CPUs of one package may be used, and the model only has memory nodes with threads.
  const machine_model limited = saved("05-opteron-8347x4-cgroup.xml");
  EXPECT_EQ(limited.threads(), 4u);
  EXPECT_EQ(limited.node_hops.size(), limited.nodes);
  // If no core has a fast memory as its nearest memory, that memory is not a node of the model. A cache in front of memory
  // is not a cache of the model.
  const machine_model fast_memory = saved("23-knl-snc4-mcdram.xml");
  EXPECT_EQ(fast_memory.nodes, 4u);
  EXPECT_EQ(fast_memory.caches.size(), 2u);
}

TEST(model_of, synthetic_machines) {
  const machine_model plain = find_machine("package:2 core:4 pu:2");
  expect_whole(plain);
  EXPECT_EQ(plain.hops, (squares{{0, 1}, {1, 0}}));
  EXPECT_EQ(plain.node_hops, (squares{{0}}));
  EXPECT_EQ(plain.caches.size(), 2u);
  EXPECT_EQ(plain.shared_level(0, 1), 0u);
  EXPECT_EQ(plain.shared_level(0, 2), 2u);
  EXPECT_TRUE(plain.transfers.same_package);
  const machine_model no_small = find_machine("package:2 [numa] l3:2(size=4194304) core:2 pu:1");
  expect_whole(no_small);
  ASSERT_EQ(no_small.caches.size(), 3u);
  EXPECT_EQ(no_small.caches[2].bytes, 4u << 20);
  EXPECT_EQ(no_small.shared_level(0, 1), 2u);
  EXPECT_EQ(no_small.node_hops, (squares{{0, 1}, {1, 0}}));
  const machine_model halves = find_machine("package:2 group:2 [numa] core:2 pu:1");
  EXPECT_EQ(halves.node_hops, (squares{{0, 1, 2, 2}, {1, 0, 2, 2}, {2, 2, 0, 1}, {2, 2, 1, 0}}));
  EXPECT_EQ(halves.memory.latency_by_hops,
            (std::vector<unsigned>{250, 265, 400}));  // for the distances 10, 11 and 20
  EXPECT_EQ(halves.hops, (squares{{0, 1}, {1, 0}}));
  // A level that is left out does not exist: the L5 is the fourth level.
  const machine_model gap = find_machine("l5:1 l3:2 l2:2 l1:1 core:1 pu:1");
  ASSERT_EQ(gap.caches.size(), 4u);
  EXPECT_EQ(gap.caches[3].level, 4u);
  EXPECT_EQ(gap.caches[3].cores, 4u);
  // Two cores share an L1, so their L2 does not belong to one core.
  const machine_model shared = find_machine("core:2 l1:1 pu:2");
  expect_whole(shared);
  const machine_model pairs = find_machine("l1:2 core:2 pu:1");
  ASSERT_EQ(pairs.instances[1].size(), 2u);
  EXPECT_EQ(pairs.instances[1][1].threads, (std::vector<std::uint32_t>{2, 3}));
}

TEST(model_of, bandwidth_grows_with_the_cores_of_a_node) {
  EXPECT_EQ(find_machine("core:1 pu:1").memory.bytes_a_cycle, 4.0);
  EXPECT_EQ(find_machine("core:10 pu:1").memory.bytes_a_cycle, 12.0);
  EXPECT_EQ(find_machine("package:2 [numa] core:10 pu:1").memory.bytes_a_cycle, 12.0);
  EXPECT_EQ(find_machine("package:2 [numa] core:10 pu:1").link_bytes_a_cycle, 7.2);
}

TEST(model_of, the_host) {
  const machine_model host = find_machine("host");
  expect_whole(host);
  EXPECT_EQ(host.name, "host");
  EXPECT_GE(host.threads(), 1u);
}

std::string refusal(const std::string& what) {
  try {
    find_machine(what);
  } catch (const bad_input& e) {
    return e.what();
  }
  return "accepted";
}

TEST(model_of, refuses_machines_that_are_too_large) {
  EXPECT_EQ(find_machine("package:2 core:128 pu:2").threads(), 512u);
  EXPECT_EQ(refusal("package:3 core:100 pu:2"),
            "package:3 core:100 pu:2: the machine has 600 hardware threads; allowed: 1 to 512; nearest: 512");
}

TEST(model_of, refuses_invalid_machines) {
  EXPECT_NE(refusal("hosts").find("machine 'hosts' does not exist"), std::string::npos);
  EXPECT_NE(refusal("xeon-x5550").find("nearest: xeon-x5550-2s-nehalem"), std::string::npos);
  EXPECT_NE(refusal("nowhere.xml").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal("nowhere.json").find("machine 'nowhere.json' does not exist"), std::string::npos);
  EXPECT_NE(refusal("pakage:2 pu:2").find("did you mean 'package'"), std::string::npos);
  EXPECT_NE(refusal("").find("does not exist"), std::string::npos);
}

}  // namespace
}  // namespace skua::simulator::model_of_test
