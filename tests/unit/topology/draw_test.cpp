#include <algorithm>
#include <gtest/gtest.h>
#include <skua/topology.hpp>
#include <string>

#include "topology/topology_data.hpp"

namespace skua::draw_test {
namespace {

std::ptrdiff_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST(draw, small_machine_has_a_line_for_each_core) {
  const topology machine = topology::synthetic("package:2 l3:1(size=2097152) core:2 pu:2");
  EXPECT_EQ(
      machine.draw(machine.place(3)),
      "machine (package:2 l3:1(size=2097152) core:2 pu:2): 2 packages, 1 NUMA node, 2 domains (L3), 4 cores, "
      "8 CPUs, 3 workers\n"
      "├ package 0\n"
      "│ └ domain 0 (L3 2 MB, NUMA node 0)\n"
      "│   ├ core 0, CPUs 0,1: worker 0 on CPU 0, head 0\n"
      "│   └ core 1, CPUs 2,3: worker 1 on CPU 2\n"
      "└ package 1\n"
      "  └ domain 1 (L3 2 MB, NUMA node 0)\n"
      "    ├ core 2, CPUs 4,5: worker 2 on CPU 4, head 2\n"
      "    └ core 3, CPUs 6,7\n");
}

TEST(draw, large_machine_has_a_line_for_each_domain) {
  const topology machine = topology::synthetic("package:2 [numa] l3:12(size=33554432) core:8 pu:2");
  const std::string text = machine.draw(machine.place(192));
  EXPECT_EQ(lines_of(text), 1 + 2 + 24);
  EXPECT_NE(text.find("├ domain 1 (L3 32 MB, NUMA node 0): cores 8-15, CPUs 16-31: workers 8-15 on CPUs "
                      "16,18..30, head 8\n"),
            std::string::npos)
      << text;
}

TEST(draw, package_of_one_domain_takes_one_line) {
  const topology machine = topology::synthetic("package:24 [numa] core:8 pu:1");
  const std::string text = machine.draw();
  EXPECT_EQ(lines_of(text), 1 + 24);
  EXPECT_NE(text.find("├ package 1, domain 1 (NUMA node 1): cores 8-15, CPUs 8-15\n"), std::string::npos)
      << text;
}

TEST(draw, says_what_is_not_ours) {
  const topology machine = topology::from_file(std::string(SKUA_TESTS) + "/data/limited_to_one_package.xml");
  const std::string text = machine.draw();
  EXPECT_NE(text.find("├ package 1: no CPU for this process\n"), std::string::npos) << text;
  EXPECT_NE(text.find("└ NUMA node 1: further memory\n"), std::string::npos) << text;
}

TEST(draw, shows_kinds_and_caches_of_hybrid_machines) {
  const topology machine = topology::from_file(std::string(SKUA_TESTS) + "/data/hybrid.xml");
  const std::string text = machine.draw();
  EXPECT_NE(text.find("3 kinds of cores"), std::string::npos) << text;
  EXPECT_NE(text.find("core 1, CPU 1, kind 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("domain 1 (L2 2 MB, NUMA node 0)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("domain 2 (NUMA node 0)\n"), std::string::npos) << text;
}

TEST(draw, shows_the_quota_of_the_host) {
  topology::data facts = topology_access::facts(topology::synthetic("core:2 pu:1"));
  facts.is_host = true;
  facts.cpu_quota = 1.5;
  const std::string text = topology_access::make(facts).draw();
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "machine: 1 NUMA node, 1 domain (machine), 2 cores, 2 CPUs, a quota of 1.5 CPUs");
}

}  // namespace
}  // namespace skua::draw_test
