#include <sched.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <skua/topology.hpp>
#include <string>
#include <vector>

#include "topology/affinity.hpp"
#include "topology/topology_data.hpp"

namespace skua::topology_test {
namespace {

const std::string data_folder = std::string(SKUA_TESTS) + "/data/";

topology saved(const std::string& name) { return topology::from_file(data_folder + name); }

std::vector<domain_id> domains_of(const topology& machine) {
  std::vector<domain_id> domains;
  for (const core_info& core : machine.core_list()) domains.push_back(core.domain);
  return domains;
}

std::string sentence_of(const std::string& spec) {
  try {
    topology::parse(spec);
  } catch (const bad_input& refusal) {
    return refusal.what();
  }
  return "accepted";
}

void expect_refused(const std::string& spec, const std::vector<std::string>& words) {
  testing::internal::CaptureStderr();
  const std::string sentence = sentence_of(spec);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << spec;
  for (const std::string& word : words) EXPECT_NE(sentence.find(word), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
}

TEST(topology, synthetic_machine_has_what_it_says) {
  const topology machine = topology::synthetic("package:2 l3:1 core:3 pu:2");
  EXPECT_EQ(machine.packages(), 2u);
  EXPECT_EQ(machine.numa_nodes(), 1u);
  EXPECT_EQ(machine.domains(), 2u);
  EXPECT_EQ(machine.cores(), 6u);
  EXPECT_EQ(machine.pus(), 12u);
  EXPECT_EQ(machine.kinds(), 1u);
  EXPECT_EQ(machine.domain_kind(), "L3");
  EXPECT_GT(machine.domain_cache_bytes(), 0u);
  EXPECT_FALSE(machine.is_host());
  EXPECT_EQ(machine.source(), "package:2 l3:1 core:3 pu:2");
  EXPECT_TRUE(machine.warnings().empty());
  const core_info& last = machine.core_list()[5];
  EXPECT_EQ(last.index, 5u);
  EXPECT_EQ(last.package, 1u);
  EXPECT_EQ(last.domain, 1u);
  EXPECT_EQ(last.pus, (std::vector<std::uint32_t>{10, 11}));
}

TEST(topology, a_moved_from_topology_is_a_copy) {
  skua::topology machine = skua::topology::synthetic("package:2 core:3 pu:1");
  const skua::topology moved = std::move(machine);
  EXPECT_EQ(moved.cores(), 6u);
  EXPECT_EQ(machine.cores(), 6u);
  skua::placement seats = moved.place(4);
  const skua::placement also_moved = std::move(seats);
  EXPECT_EQ(also_moved.workers(), 4u);
  EXPECT_EQ(seats.workers(), 4u);
}

TEST(topology, domain_is_the_largest_shared_cache) {
  EXPECT_EQ(topology::synthetic("package:1 l3:2 l2:2 core:2 pu:1").domains(), 2u);
  EXPECT_EQ(topology::synthetic("package:1 l3:4 l2:1 core:1 pu:1").domain_kind(), "package");
  EXPECT_EQ(topology::synthetic("package:1 l2:4 core:2 pu:1").domains(), 4u);
  EXPECT_EQ(topology::synthetic("l5:2 l3:2 core:2 pu:1").domains(), 2u);
}

TEST(topology, hyper_threads_do_not_make_a_cache_shared) {
  EXPECT_EQ(topology::synthetic("package:2 l3:2 core:1 pu:2").domain_kind(), "package");
}

TEST(topology, without_shared_caches_a_domain_is_a_numa_node_then_a_package_then_the_machine) {
  const topology nodes = topology::synthetic("package:2 numa:2 core:2 pu:1");
  EXPECT_EQ(nodes.domains(), 4u);
  EXPECT_EQ(nodes.domain_kind(), "NUMA node");
  const topology packages = topology::synthetic("package:4 core:4 pu:1");
  EXPECT_EQ(packages.domains(), 4u);
  EXPECT_EQ(packages.domain_kind(), "package");
  EXPECT_EQ(packages.domain_cache_bytes(), 0u);
  EXPECT_EQ(packages.warnings().size(), 1u);
  const topology machine = topology::synthetic("core:4 pu:1");
  EXPECT_EQ(machine.domains(), 1u);
  EXPECT_EQ(machine.domain_kind(), "machine");
  EXPECT_EQ(machine.packages(), 0u);
}

TEST(topology, memory_side_cache_is_not_a_cpu_cache) {
  const topology machine = saved("memory_side_cache.xml");
  EXPECT_EQ(machine.domain_kind(), "L2");
  EXPECT_EQ(machine.domains(), 4u);
  EXPECT_EQ(machine.domain_cache_bytes(), 1u << 20);
}

TEST(topology, only_usable_parts_count) {
  const topology machine = saved("limited_to_one_package.xml");
  EXPECT_EQ(machine.packages(), 2u);
  EXPECT_EQ(machine.numa_nodes(), 2u);
  EXPECT_EQ(machine.domains(), 1u);
  EXPECT_EQ(machine.cores(), 2u);
  EXPECT_EQ(machine.pus(), 2u);
  EXPECT_EQ(machine.default_workers(), 2u);
}

TEST(topology, core_alone_under_its_cache_is_a_domain_where_others_share_one) {
  EXPECT_EQ(domains_of(saved("half_offline.xml")), (std::vector<domain_id>{0, 0, 1, 2}));
}

TEST(topology, hybrid_cores_have_kinds_and_every_core_has_a_domain) {
  const topology machine = saved("hybrid.xml");
  EXPECT_EQ(machine.kinds(), 3u);
  EXPECT_EQ(machine.cores(), 7u);
  EXPECT_EQ(machine.domain_kind(), "L3");
  EXPECT_EQ(domains_of(machine), (std::vector<domain_id>{0, 0, 0, 0, 1, 1, 2}));
  std::vector<std::uint32_t> kinds;
  for (const core_info& core : machine.core_list()) kinds.push_back(core.kind);
  EXPECT_EQ(kinds, (std::vector<std::uint32_t>{1, 1, 0, 0, 2, 2, 2}));
}

TEST(topology, machine_without_cores_has_a_core_for_each_cpu) {
  const topology machine = saved("no_cores.xml");
  EXPECT_EQ(machine.cores(), 0u);
  EXPECT_EQ(machine.pus(), 3u);
  EXPECT_EQ(machine.core_list().size(), 3u);
  EXPECT_EQ(machine.default_workers(), 3u);
  // Each CPU has its own memory node, but this process may not use the memory of the last two.
  EXPECT_EQ(domains_of(machine), (std::vector<domain_id>{0, 1, 2}));
  EXPECT_EQ(machine.core_list()[1].numa_node, 0u);
}

TEST(topology, machine_without_packages_is_a_domain) {
  const topology machine = saved("no_package.xml");
  EXPECT_EQ(machine.packages(), 0u);
  EXPECT_EQ(machine.domains(), 1u);
  EXPECT_EQ(machine.cores(), 1u);
  EXPECT_EQ(machine.default_workers(), 1u);
  EXPECT_EQ(machine.default_workers(true), 2u);
}

TEST(topology, numa_distances_are_those_of_the_machine) {
  const topology machine = saved("one_way_streets.xml");
  EXPECT_EQ(machine.numa_distance(0, 0), 10u);
  EXPECT_EQ(machine.numa_distance(0, 1), 12u);
  EXPECT_EQ(machine.numa_distance(1, 2), 30u);
  EXPECT_EQ(machine.numa_distance(2, 1), 20u);
  const topology silent = saved("limited_to_one_package.xml");
  EXPECT_EQ(silent.numa_distance(1, 1), 10u);
  EXPECT_EQ(silent.numa_distance(0, 1), 20u);
}

TEST(topology, quota_limits_the_default_number_of_workers) {
  topology::data facts = topology_access::facts(topology::synthetic("core:4 pu:2"));
  const auto workers_with = [&](double quota, bool smt) {
    facts.cpu_quota = quota;
    return topology_access::make(facts).default_workers(smt);
  };
  EXPECT_EQ(workers_with(0.3, false), 1u);
  EXPECT_EQ(workers_with(1.5, false), 2u);
  EXPECT_EQ(workers_with(2, false), 2u);
  EXPECT_EQ(workers_with(6, false), 4u);
  EXPECT_EQ(workers_with(6, true), 6u);
  EXPECT_EQ(workers_with(1e300, true), 8u);
}

TEST(topology, host_is_what_this_process_may_use) {
  const topology machine = topology::host();
  EXPECT_TRUE(machine.is_host());
  EXPECT_EQ(machine.source(), "host");
  EXPECT_EQ(machine.pus(), detail::cpus_at_start().size());
  EXPECT_GE(machine.core_list().size(), 1u);
  EXPECT_GE(machine.domains(), 1u);
  EXPECT_GE(machine.default_workers(), 1u);
  EXPECT_GT(machine.cpu_quota(), 0);
}

// The test needs a new process, because a process reads its mask only once.
class fresh_process : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  static void bind_to(std::uint32_t cpu) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
  }
};

TEST_F(fresh_process, affinity_mask_is_respected) {
  const std::uint32_t last = detail::cpus_of_process().back();
  const auto bound_before = [&] {
    bind_to(last);
    const topology machine = topology::host();
    const bool right =
        machine.pus() == 1 && machine.core_list()[0].pus[0] == last && machine.warnings().empty();
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(bound_before(), testing::ExitedWithCode(0), "");
}

TEST_F(fresh_process, threads_that_skua_binds_later_do_not_shrink_the_machine) {
  const auto bound_after = [] {
    const std::size_t before = topology::host().pus();
    bind_to(detail::cpus_at_start().front());
    std::_Exit(topology::host().pus() == before ? 0 : 1);
  };
  EXPECT_EXIT(bound_after(), testing::ExitedWithCode(0), "");
}

TEST_F(fresh_process, hwlocs_own_variables_do_not_replace_the_host) {
  const auto misled = [](const char* variable, const char* value) {
    setenv(variable, value, 1);
    const topology machine = topology::host();
    const bool right = machine.is_host() && machine.pus() == detail::cpus_at_start().size() &&
                       machine.default_workers() >= 1 && machine.domains() == 1 &&
                       machine.warnings().size() == 1;
    std::_Exit(
        right && topology::synthetic("core:3 pu:1").cores() == 3 && saved("hybrid.xml").cores() == 7 ? 0 : 1);
  };
  const std::string file = data_folder + "hybrid.xml";
  EXPECT_EXIT(misled("HWLOC_XMLFILE", file.c_str()), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(misled("HWLOC_SYNTHETIC", "core:64 pu:1"), testing::ExitedWithCode(0), "");
}

TEST(topology, parse_takes_host_file_or_synthetic) {
  EXPECT_TRUE(topology::parse("host").is_host());
  EXPECT_EQ(topology::parse(data_folder + "hybrid.xml").cores(), 7u);
  EXPECT_EQ(topology::parse("core:3 pu:1").cores(), 3u);
  EXPECT_EQ(topology::parse("4").pus(), 4u);
  EXPECT_EQ(topology::parse("[numa(memory=1GB)] package:2 l3:1(size=1MB) core:2 pu:1").domain_cache_bytes(),
            1'000'000u);
}

TEST(topology, environment_names_the_machine) {
  setenv("SKUA_TOPOLOGY", "package:3 core:2 pu:1", 1);
  EXPECT_EQ(topology::from_environment().packages(), 3u);
  setenv("SKUA_TOPOLOGY", "", 1);
  EXPECT_TRUE(topology::from_environment().is_host());
  unsetenv("SKUA_TOPOLOGY");
  EXPECT_TRUE(topology::from_environment().is_host());
}

TEST(topology, bad_synthetic_machines_are_refused_in_one_sentence) {
  expect_refused("package:4 croe:4",
                 {"'package:4 croe:4'", "'croe'", "package, die", "did you mean 'core'?"});
  expect_refused("[nuam] core:4 pu:1", {"'nuam'", "did you mean 'numa'?"});
  expect_refused("machine:2 pu:1", {"'machine'"});
  expect_refused("package:4 core:4", {"must be 'pu'", "pu:1"});
  expect_refused("pu:2 core:2", {"'pu' must be the last"});
  expect_refused("package:0 pu:1", {"'package'", "'0'", "1 or more"});
  expect_refused("package:-1 pu:1", {"'-1'", "1 or more"});
  expect_refused("package: pu:1", {"''", "1 or more"});
  expect_refused("package:two pu:1", {"'two'", "1 or more"});
  expect_refused("package:2 core:2(colour=red) pu:1", {"core:2(colour=red)", "as in"});
  expect_refused("core:2 core:2 pu:1", {"core:2 core:2", "each once"});
  expect_refused("pu:2 [numa", {"pu:2 [numa"});
  expect_refused("", {"empty"});
  expect_refused(" ", {"empty"});
  expect_refused("hots", {"'hots'", "did you mean 'host'?"});
  EXPECT_EQ(sentence_of("x").find("did you mean"), std::string::npos);
  expect_refused(std::string(5000, '1'), {"4096"});
}

TEST(topology, absurdly_large_machines_are_refused_before_they_are_built) {
  expect_refused("package:100000 core:100000 pu:2", {"at most 8192 CPUs"});
  expect_refused("package:99999999999999999999999 pu:1", {"at most 8192 CPUs"});
  expect_refused("8193", {"at most 8192 CPUs"});
}

TEST(topology, bad_files_are_refused_in_one_sentence_that_names_them) {
  expect_refused(data_folder + "damaged.xml", {"damaged.xml", "damaged"});
  expect_refused(data_folder + "empty.xml", {"empty.xml", "is empty"});
  expect_refused(data_folder + "other.xml", {"other.xml", "not hwloc XML"});
  expect_refused(data_folder + "version_3.xml", {"version_3.xml", "version 3", "1 and 2"});
  expect_refused(data_folder + "hybird.xml", {"hybird.xml", "does not exist", "did you mean 'hybrid.xml'?"});
  expect_refused("/no/such/machine.xml", {"/no/such/machine.xml", "does not exist"});
  expect_refused(data_folder, {data_folder, "not a regular file"});
  expect_refused("/dev/zero", {"/dev/zero", "not a regular file"});
}

// hwloc 2.9 dereferences sets that are missing in a damaged file, and only warns about parts in the wrong order.
TEST(topology, files_that_would_crash_hwloc_are_refused) {
  std::ifstream whole(data_folder + "half_offline.xml");
  const std::string text{std::istreambuf_iterator<char>(whole), {}};
  const std::string path = testing::TempDir() + "skua-topology-test.xml";
  const auto expect_refused_with = [&](const std::string& what, const std::string& instead,
                                       const char* word) {
    std::string damaged = text;
    const std::size_t at = damaged.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    std::ofstream(path) << damaged.replace(at, what.size(), instead);
    expect_refused(path, {path, word});
  };
  expect_refused_with(" complete_cpuset=", " complete=", "damaged");
  expect_refused_with(" complete_nodeset=", " complete=", "damaged");
  expect_refused_with("NUMANode", "NUMANote", "damaged");
  expect_refused_with("cpuset=\"0x00000001\" complete_cpuset=\"0x00000001\"",
                      "cpuset=\"0x00000010\" complete_cpuset=\"0x00000010\"", "damaged");
  expect_refused_with("allowed_cpuset=\"0x0000000f\"", "allowed_cpuset=\"0x0\"", "damaged");
  std::filesystem::remove(path);
}

TEST(topology, any_truncated_file_is_refused) {
  std::ifstream whole(data_folder + "one_way_streets.xml");
  const std::string text{std::istreambuf_iterator<char>(whole), {}};
  const std::string path = testing::TempDir() + "skua-topology-test-cut.xml";
  for (std::size_t length = 1; length + 12 < text.size(); length += 97) {
    std::ofstream(path) << text.substr(0, length);
    expect_refused(path, {path, "damaged"});
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace skua::topology_test
