#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <skua/topology.hpp>
#include <string>
#include <vector>

namespace skua::placement_test {
namespace {

using numbers = std::vector<std::uint32_t>;

topology saved(const std::string& name) {
  return topology::from_file(std::string(SKUA_TESTS) + "/data/" + name);
}

template <class Member>
numbers each(const placement& seats, Member member) {
  numbers values;
  for (const seat& seat : seats.seats()) values.push_back(seat.*member);
  return values;
}

numbers at(const placement& seats, worker_id worker, std::size_t level) {
  const auto others = seats.at_distance(worker, level);
  return {others.begin(), others.end()};
}

std::vector<std::string> level_names(const placement& seats) {
  std::vector<std::string> names;
  for (std::size_t level = 0; level < seats.levels(); ++level) names.push_back(seats.level_name(level));
  return names;
}

TEST(placement, fewer_workers_than_cores_are_spread_but_adjacent_ones_stay_together) {
  const placement seats = topology::synthetic("package:2 core:4 pu:1").place(4);
  EXPECT_EQ(each(seats, &seat::package), (numbers{0, 0, 1, 1}));
  EXPECT_EQ(each(seats, &seat::cpu), (numbers{0, 1, 4, 5}));
}

TEST(placement, an_odd_worker_goes_to_the_first_package) {
  const placement seats = topology::synthetic("package:2 core:4 pu:1").place(3);
  EXPECT_EQ(each(seats, &seat::cpu), (numbers{0, 1, 4}));
}

TEST(placement, workers_are_spread_over_packages_before_domains_before_smaller_caches) {
  const topology machine = topology::synthetic("package:2 l3:2 l2:2 core:2 pu:1");
  EXPECT_EQ(each(machine.place(2), &seat::cpu), (numbers{0, 8}));
  EXPECT_EQ(each(machine.place(4), &seat::cpu), (numbers{0, 4, 8, 12}));
  EXPECT_EQ(each(machine.place(8), &seat::cpu), (numbers{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(each(machine.place(5), &seat::cpu), (numbers{0, 2, 4, 8, 12}));
}

TEST(placement, one_worker_a_core_before_any_core_gets_a_second) {
  const topology machine = topology::synthetic("package:2 core:2 pu:2");
  EXPECT_EQ(each(machine.place(4), &seat::cpu), (numbers{0, 2, 4, 6}));
  EXPECT_EQ(each(machine.place(6), &seat::cpu), (numbers{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(each(machine.place(8), &seat::cpu), (numbers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(placement, more_workers_than_cpus_wrap_around) {
  const topology machine = topology::synthetic("package:2 core:1 pu:2");
  EXPECT_EQ(each(machine.place(6), &seat::cpu), (numbers{0, 1, 0, 2, 3, 2}));
  const placement many = machine.place(64);
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
    EXPECT_EQ(std::ranges::count(many.seats(), cpu, &seat::cpu), 16);
  }
}

TEST(placement, full_packages_leave_the_rest_to_the_others) {
  const topology machine = saved("half_offline.xml");
  EXPECT_EQ(each(machine.place(2), &seat::cpu), (numbers{0, 2}));
  EXPECT_EQ(each(machine.place(3), &seat::cpu), (numbers{0, 1, 2}));
  EXPECT_EQ(each(machine.place(5), &seat::cpu), (numbers{0, 0, 1, 2, 3}));
}

TEST(placement, powerful_cores_come_first) {
  const topology machine = saved("hybrid.xml");
  EXPECT_EQ(each(machine.place(2), &seat::core), (numbers{2, 3}));
  EXPECT_EQ(each(machine.place(3), &seat::core), (numbers{0, 2, 3}));
  EXPECT_EQ(each(machine.place(7), &seat::core), (numbers{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(each(machine.place(8), &seat::cpu), (numbers{0, 1, 2, 3, 4, 6, 7, 8}));
}

TEST(placement, the_lowest_worker_of_each_domain_is_its_head) {
  const placement seats = topology::synthetic("package:4 core:4 pu:1").place(10);
  std::vector<worker_id> heads;
  for (worker_id worker = 0; worker < seats.workers(); ++worker) {
    if (seats[worker].head) heads.push_back(worker);
  }
  EXPECT_EQ(heads, (numbers{0, 3, 6, 8}));
  EXPECT_EQ(seats.domains(), 4u);
  for (domain_id domain = 0; domain < seats.domains(); ++domain) {
    EXPECT_EQ(seats.head(domain), heads[domain]);
    for (worker_id worker : seats.domain_workers(domain)) EXPECT_EQ(seats[worker].domain, domain);
  }
  EXPECT_EQ(seats.domain_workers(1).size(), 3u);
}

TEST(placement, domain_without_a_worker_is_empty) {
  const placement seats = topology::synthetic("package:4 core:4 pu:1").place(2);
  EXPECT_EQ(seats.domains(), 4u);
  EXPECT_EQ(seats.domain_workers(0).size(), 1u);
  EXPECT_EQ(seats.domain_workers(2).size(), 0u);
}

TEST(placement, levels_go_from_the_core_to_the_machine) {
  const placement seats = topology::synthetic("package:2 [numa] l3:2 l2:2 core:2 pu:2").place(32);
  EXPECT_EQ(level_names(seats),
            (std::vector<std::string>{"same core", "same cache", "same domain", "same NUMA node",
                                      "same machine, NUMA distance 20"}));
  EXPECT_EQ(seats.distance(0, 1), 0u);
  EXPECT_EQ(seats.distance(0, 2), 1u);
  EXPECT_EQ(seats.distance(0, 4), 2u);
  EXPECT_EQ(seats.distance(0, 8), 3u);
  EXPECT_EQ(seats.distance(0, 16), 4u);
  EXPECT_EQ(seats.level_nearness(1), nearness::same_cache);
}

TEST(placement, a_level_that_does_not_occur_does_not_exist) {
  const topology machine = topology::synthetic("package:2 l3:2 l2:2 core:2 pu:2");
  EXPECT_EQ(machine.place(1).levels(), 0u);
  EXPECT_EQ(level_names(machine.place(2)), (std::vector<std::string>{"same machine"}));
  EXPECT_EQ(level_names(machine.place(4)), (std::vector<std::string>{"same package", "same machine"}));
}

TEST(placement, memory_that_several_packages_share_does_not_bring_them_nearer) {
  const placement seats = topology::synthetic("[numa] package:2 l3:2 core:2 pu:1").place(8);
  EXPECT_EQ(level_names(seats), (std::vector<std::string>{"same domain", "same package", "same machine"}));
}

TEST(placement, where_no_package_is_named_none_is_shared) {
  const placement seats = topology::synthetic("numa:2 core:2 pu:1").place(4);
  EXPECT_EQ(level_names(seats), (std::vector<std::string>{"same domain", "same machine, NUMA distance 20"}));
}

TEST(placement, cores_of_a_cluster_are_nearer_than_their_domain) {
  const placement seats = saved("cluster.xml").place(4);
  EXPECT_EQ(level_names(seats), (std::vector<std::string>{"same cache", "same domain"}));
  EXPECT_EQ(at(seats, 0, 0), (numbers{1}));
}

TEST(placement, numa_distances_order_the_far_levels_and_are_the_same_both_ways) {
  const placement seats = saved("one_way_streets.xml").place(3);
  EXPECT_EQ(level_names(seats),
            (std::vector<std::string>{"same machine, NUMA distance 12", "same machine, NUMA distance 20",
                                      "same machine, NUMA distance 30"}));
  EXPECT_EQ(seats.distance(1, 2), 2u);
  EXPECT_EQ(seats.distance(2, 1), 2u);
  EXPECT_EQ(at(seats, 0, 0), (numbers{1}));
  EXPECT_EQ(at(seats, 0, 1), (numbers{2}));
  EXPECT_EQ(at(seats, 0, 2), (numbers{}));
}

TEST(placement, others_come_in_ring_order_after_the_worker) {
  const placement seats = topology::synthetic("package:2 core:4 pu:1").place(8);
  EXPECT_EQ(at(seats, 0, 0), (numbers{1, 2, 3}));
  EXPECT_EQ(at(seats, 2, 0), (numbers{3, 0, 1}));
  EXPECT_EQ(at(seats, 2, 1), (numbers{4, 5, 6, 7}));
  EXPECT_EQ(at(seats, 6, 1), (numbers{0, 1, 2, 3}));
}

void expect_sound(const placement& seats, std::size_t workers) {
  ASSERT_EQ(seats.workers(), workers);
  for (worker_id a = 0; a < workers; ++a) {
    std::set<worker_id> met{a};
    for (std::size_t level = 0; level < seats.levels(); ++level) {
      for (worker_id b : seats.at_distance(a, level)) {
        EXPECT_TRUE(met.insert(b).second);
        EXPECT_EQ(seats.distance(a, b), level);
        EXPECT_EQ(seats.distance(b, a), level);
      }
    }
    EXPECT_EQ(met.size(), workers);
    EXPECT_GE(seats[a].domain, seats[a == 0 ? 0 : a - 1].domain);
    EXPECT_EQ(seats[a].head, seats.head(seats[a].domain) == a);
  }
}

TEST(placement, each_worker_has_each_other_worker_once) {
  const std::vector<topology> machines = {topology::synthetic("package:2 [numa] l3:2 l2:2 core:2 pu:2"),
                                          topology::synthetic("package:3 core:5 pu:1"),
                                          saved("hybrid.xml"),
                                          saved("no_cores.xml"),
                                          saved("no_package.xml"),
                                          topology::host()};
  for (const topology& machine : machines) {
    for (std::size_t workers : {1, 2, 3, 7, 16, 33, 64}) {
      SCOPED_TRACE(std::string(machine.source()) + ", workers " + std::to_string(workers));
      expect_sound(machine.place(workers), workers);
    }
  }
}

TEST(placement, shares_differ_by_at_most_one) {
  const topology machine = topology::synthetic("package:3 l3:4 core:5 pu:2");
  for (std::size_t workers = 1; workers <= 180; ++workers) {
    const placement seats = machine.place(workers);
    std::vector<std::size_t> by_package(3), by_core(60);
    for (const seat& seat : seats.seats()) {
      ++by_package[seat.package];
      ++by_core[seat.core];
    }
    const auto spread = [](const auto& counts) {
      return std::ranges::max(counts) - std::ranges::min(counts);
    };
    ASSERT_LE(spread(by_package), 1u) << workers;
    ASSERT_LE(spread(by_core), 1u) << workers;
  }
}

TEST(placement, zero_workers_are_refused) {
  EXPECT_THROW(topology::synthetic("core:2 pu:1").place(0), bad_input);
}

// This call used to read beyond the ends of the lists.
TEST(placement, has_no_workers_at_a_level_that_does_not_exist) {
  const placement alone = topology::synthetic("core:4 pu:1").place(1);
  EXPECT_EQ(alone.levels(), 0u);
  EXPECT_TRUE(alone.at_distance(0, 0).empty());
  const placement all = topology::synthetic("core:4 pu:1").place(4);
  EXPECT_EQ(all.at_distance(3, 0).size(), 3u);
  EXPECT_TRUE(all.at_distance(3, all.levels()).empty());
}

TEST(placement, outlives_its_machine) {
  const placement seats = topology::synthetic("core:4 pu:1").place(4);
  const placement copy = seats;
  EXPECT_EQ(copy.at_distance(0, 0).data(), seats.at_distance(0, 0).data());
  EXPECT_EQ(copy.workers(), 4u);
}

TEST(placement, hundreds_of_workers_are_placed_quickly) {
  const topology machine = topology::synthetic("package:8 [numa] l3:4 core:8 pu:2");
  const auto begin = std::chrono::steady_clock::now();
  const placement seats = machine.place(512);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  expect_sound(seats, 512);
  RecordProperty("microseconds", static_cast<int>(seconds.count() * 1e6));
}

}  // namespace
}  // namespace skua::placement_test
