// The CPUs that the threads of workers get on machines other than this one.
#include "core/start/binding.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "topology/topology_data.hpp"

namespace skua::core::binding_test {
namespace {

/// A described machine that counts as the host.
topology host_like(std::string_view text) {
  topology::data facts = topology_access::facts(topology::synthetic(text));
  facts.is_host = true;
  return topology_access::make(std::move(facts));
}

/// Two packages, each with two domains of four cores with two CPUs each.
const topology& large() {
  static const topology machine = host_like("package:2 l3:2 core:4 pu:2");
  return machine;
}

binding chosen(const topology& machine, std::size_t workers, std::optional<bool> bind = {},
               const detail::pins& pins = {}) {
  return chosen_binding({.bind = bind}, machine, workers, pins);
}

class bindings : public testing::Test {
 protected:
  void SetUp() override { unsetenv("SKUA_BIND"); }
  void TearDown() override { unsetenv("SKUA_BIND"); }
};

TEST_F(bindings, only_workers_that_fill_the_machine_are_bound_to_domains) {
  EXPECT_EQ(chosen(large(), 1), binding::process);
  EXPECT_EQ(chosen(large(), 15), binding::process);
  EXPECT_EQ(chosen(large(), 16), binding::domain) << "one worker for each core is the default";
  EXPECT_EQ(chosen(large(), 32), binding::domain);
  EXPECT_EQ(chosen(large(), 33), binding::process) << "there are more workers than CPUs";
  EXPECT_EQ(chosen(host_like("l3:1 core:4 pu:1"), 4), binding::process) << "the machine has one domain";
  EXPECT_EQ(chosen(topology::synthetic("l3:2 core:4 pu:1"), 8), binding::none)
      << "the topology is not that of this machine";
}

TEST_F(bindings, a_worker_has_its_own_cpu_on_request) {
  EXPECT_EQ(chosen(large(), 1, true), binding::cpu);
  EXPECT_EQ(chosen(large(), 32, true), binding::cpu);
  EXPECT_EQ(chosen(large(), 33, true), binding::process);
  EXPECT_EQ(chosen(large(), 16, false), binding::none);
  EXPECT_EQ(chosen(large(), 2, {}, {.cpus = {0, 3}, .asked = true}), binding::cpu);
  EXPECT_EQ(chosen(large(), 3, {}, {.cpus = {0, 3}, .asked = true}), binding::process);
  EXPECT_EQ(chosen(large(), 2, {}, detail::pins_of("SKUA_PIN", "dealt")), binding::cpu);
  EXPECT_EQ(chosen(large(), 2, {}, detail::pins_of("SKUA_PIN", "")), binding::process);
  EXPECT_EQ(chosen(large(), 2, false, {.cpus = {0, 3}, .asked = true}), binding::none);
  topology::data measured = topology_access::facts(large());
  measured.measured.assign(16 * 16, 40.0);
  EXPECT_EQ(chosen(topology_access::make(std::move(measured)), 2), binding::cpu)
      << "measured latencies between CPUs need workers that stay on their CPUs";
}

TEST_F(bindings, the_variable_counts_if_the_program_does_not_choose) {
  setenv("SKUA_BIND", "domain", 1);
  EXPECT_EQ(chosen(large(), 2), binding::domain);
  EXPECT_EQ(chosen(large(), 2, true), binding::cpu);
  EXPECT_EQ(chosen(large(), 2, false), binding::none);
  setenv("SKUA_BIND", "1", 1);
  EXPECT_EQ(chosen(large(), 2), binding::cpu);
  setenv("SKUA_BIND", "off", 1);
  EXPECT_EQ(chosen(large(), 2, true), binding::none);
}

TEST_F(bindings, cpus_of_a_worker) {
  const placement placed = large().place(16);
  for (const seat& at : placed.seats()) {
    EXPECT_EQ(cpus_of(binding::cpu, large(), at), base::cpu_mask(at.cpu));
    EXPECT_EQ(cpus_of(binding::process, large(), at).count(), 32u);
    const base::cpu_mask domain = cpus_of(binding::domain, large(), at);
    EXPECT_EQ(domain.count(), 8u);
    for (const core_info& core : large().core_list())
      for (const std::uint32_t cpu : core.pus) EXPECT_EQ(domain.contains(cpu), core.domain == at.domain);
  }
}

std::vector<std::uint32_t> cpus_on(const claimed_placement& claim) {
  std::vector<std::uint32_t> cpus;
  for (const seat& at : claim.placed().seats()) cpus.push_back(at.cpu);
  return cpus;
}

TEST_F(bindings, bound_schedulers_share_a_cpu_only_when_none_is_free) {
  const topology machine = host_like("package:2 core:2 pu:1");
  using list = std::vector<std::uint32_t>;
  const claimed_placement first(machine, 1, {}, binding::cpu);
  EXPECT_EQ(cpus_on(first), list{0});
  const claimed_placement unbound(machine, 4, {}, binding::domain);  // it takes no CPU
  const claimed_placement second(machine, 1, {}, binding::cpu);
  EXPECT_EQ(cpus_on(second), list{2}) << "the second scheduler gets the free package";
  {
    const claimed_placement third(machine, 3, {}, binding::cpu);
    EXPECT_EQ(cpus_on(third), (list{0, 1, 3}))
        << "the third scheduler gets both free CPUs and one used CPU; ids are ordered by domain";
  }
  const claimed_placement fourth(machine, 2, {.order = pin_order::dealt, .asked = true}, binding::cpu);
  EXPECT_EQ(cpus_on(fourth), (list{1, 3}));
  const claimed_placement chosen(machine, 2, {.cpus = {2, 0}, .asked = true}, binding::cpu);
  EXPECT_EQ(cpus_on(chosen), (list{2, 0}));
}

}  // namespace
}  // namespace skua::core::binding_test
