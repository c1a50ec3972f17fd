// Which worker gets which CPU. The tests compare this with the map that the TBB thesis prints for its 24-core machine
// (section 3.2.2, Figures 59 and 60).
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <skua/scheduler.hpp>
#include <skua/topology.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skua::pin_order_test {
namespace {

using numbers = std::vector<std::uint32_t>;

// Four packages of six cores. With these CPU numbers the map is an even spread.
const topology dunnington = topology::synthetic(
    "package:4 core:6 pu:1(indexes=0,1,2,12,13,14,3,4,5,15,16,17,6,7,8,18,19,20,9,10,11,21,22,23)");
const numbers map_of_thesis = {0,  3,  6,  9,  1, 7, 4, 10, 12, 15, 18, 21,
                               13, 16, 19, 22, 2, 5, 8, 11, 14, 17, 20, 23};

numbers cpus(const placement& seats) {
  numbers found;
  for (const seat& seat : seats.seats()) found.push_back(seat.cpu);
  return found;
}

std::uint32_t package_of(std::uint32_t cpu) {
  const auto list = dunnington.core_list();
  return std::ranges::find(list, cpu, [](const core_info& core) { return core.pus.front(); })->package;
}

numbers workers_by_package(numbers used) {
  numbers counts(4);
  for (const std::uint32_t cpu : used) ++counts[package_of(cpu)];
  return counts;
}

TEST(pin_order, the_map_of_the_thesis_itself_can_be_given) {
  const placement seats = dunnington.place(24, map_of_thesis);
  EXPECT_EQ(cpus(seats), map_of_thesis);
  for (worker_id worker = 0; worker < 24; ++worker) EXPECT_EQ(seats[worker].head, worker < 4) << worker;
  // The variable sets the map for a program that runs under it. Eight workers are two in each package.
  setenv("SKUA_PIN", "0,3,6,9,1,7,4,10,12,15,18,21,13,16,19,22,2,5,8,11,14,17,20,23", 1);
  EXPECT_EQ(cpus(scheduler({.topology = dunnington}).seats()), map_of_thesis);
  const numbers eight = cpus(scheduler({.workers = 8, .topology = dunnington}).seats());
  EXPECT_EQ(eight, numbers(map_of_thesis.begin(), map_of_thesis.begin() + 8));
  EXPECT_EQ(workers_by_package(eight), (numbers{2, 2, 2, 2}));
  unsetenv("SKUA_PIN");
}

std::string complaint(const std::function<void()>& f) {
  try {
    f();
  } catch (const bad_input& error) {
    return error.what();
  }
  return "none";
}

TEST(pin_order, lists_of_cpus_are_taken_as_they_are_or_refused) {
  const topology machine = topology::synthetic("package:2 core:2 pu:1");
  EXPECT_EQ(cpus(scheduler({.topology = machine, .cpus = {3, 0}}).seats()), (numbers{3, 0}));
  EXPECT_EQ(cpus(scheduler({.workers = 5, .topology = machine, .cpus = {3, 0}}).seats()),
            (numbers{3, 0, 3, 0, 3}));
  EXPECT_EQ(complaint([&] { scheduler({.topology = machine, .cpus = {0, 9}}); }),
            "CPU 9 is not available; allowed: 0-3; nearest: 3");
  EXPECT_EQ(complaint([&] { scheduler({.topology = machine, .cpus = {0, 1, 0}}); }),
            "CPU 0 is given twice; allowed: each CPU once");
  for (const char* text : {"0,", "1-0", "0-", ",1", "0;1", "9999999999", "0-8192", "0 1"}) {
    setenv("SKUA_PIN", text, 1);
    EXPECT_EQ(
        complaint([&] {
          scheduler({.topology = machine});
        }).rfind("SKUA_PIN is '" + std::string(text) + "'; allowed: grouped or dealt, or CPUs as in", 0),
        0u)
        << text;
  }
  unsetenv("SKUA_PIN");
}

// Within a package, the map of the thesis has an order of its own (0, 1, 12, 13, 2, 14), and the thesis gives no rule for
// it. skua's rule is: one worker under each smaller cache before any of them gets a second one.
TEST(pin_order, dealt_goes_round_the_packages_as_the_map_of_the_thesis_does) {
  numbers theirs, ours;
  for (const std::uint32_t cpu : map_of_thesis) theirs.push_back(package_of(cpu));
  for (const std::uint32_t cpu : cpus(dunnington.place(24, pin_order::dealt)))
    ours.push_back(package_of(cpu));
  // There is one exception: the second round is 0, 2, 1, 3 and all other rounds are 0, 1, 2, 3.
  EXPECT_EQ(theirs[5], 2u);
  EXPECT_EQ(theirs[6], 1u);
  std::swap(theirs[5], theirs[6]);
  EXPECT_EQ(ours, theirs);
}

TEST(pin_order, dealt_uses_every_small_cache_of_a_package_before_any_twice) {
  const topology machine = topology::synthetic("package:4 l3:1 l2:3 core:2 pu:1");
  EXPECT_EQ(cpus(machine.place(24, pin_order::dealt)),
            (numbers{0, 6, 12, 18, 2, 8, 14, 20, 4, 10, 16, 22, 1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23}));
}

TEST(pin_order, every_number_of_workers_is_spread_as_in_the_thesis) {
  for (std::size_t workers = 1; workers <= 24; ++workers) {
    numbers theirs = workers_by_package(
        {map_of_thesis.begin(), map_of_thesis.begin() + static_cast<std::ptrdiff_t>(workers)});
    for (const pin_order order : {pin_order::grouped, pin_order::dealt}) {
      numbers ours = workers_by_package(cpus(dunnington.place(workers, order)));
      if (workers == 6) std::ranges::sort(ours), std::ranges::sort(theirs);  // the exception above
      EXPECT_EQ(ours, theirs) << workers;
    }
  }
}

TEST(pin_order, dealt_workers_keep_their_cpus_whatever_their_number) {
  for (const char* text :
       {"package:4 l3:1 l2:3 core:2 pu:1", "package:2 [numa] l3:2 core:3 pu:2", "core:5 pu:2"}) {
    const topology machine = topology::synthetic(text);
    const numbers all = cpus(machine.place(2 * machine.pus(), pin_order::dealt));
    for (std::size_t workers = 1; workers <= all.size(); ++workers) {
      const numbers some = cpus(machine.place(workers, pin_order::dealt));
      EXPECT_TRUE(std::ranges::equal(some, std::span(all).first(workers))) << text << ", workers " << workers;
    }
  }
}

TEST(pin_order, both_orders_use_the_same_cpus) {
  const topology machine = topology::synthetic("package:3 l3:2 l2:2 core:2 pu:2");
  for (std::size_t workers = 1; workers <= 100; ++workers) {
    numbers grouped = cpus(machine.place(workers, pin_order::grouped));
    numbers dealt = cpus(machine.place(workers, pin_order::dealt));
    std::ranges::sort(grouped);
    std::ranges::sort(dealt);
    EXPECT_EQ(grouped, dealt) << workers;
  }
}

TEST(pin_order, dealt_workers_have_domains_heads_and_distances) {
  const placement seats = topology::synthetic("package:4 core:4 pu:1").place(10, pin_order::dealt);
  const auto second = seats.domain_workers(1);
  EXPECT_EQ(numbers(second.begin(), second.end()), (numbers{1, 5, 9}));
  for (worker_id worker = 0; worker < 10; ++worker) EXPECT_EQ(seats[worker].head, worker < 4) << worker;
  EXPECT_EQ(seats.head(3), 3u);
  const auto near = seats.at_distance(5, 0), far = seats.at_distance(5, 1);
  EXPECT_EQ(numbers(near.begin(), near.end()), (numbers{9, 1}));
  EXPECT_EQ(numbers(far.begin(), far.end()), (numbers{6, 7, 8, 0, 2, 3, 4}));
}

TEST(pin_order, is_an_option_and_a_variable) {
  const topology machine = topology::synthetic("package:2 core:2 pu:1");
  EXPECT_EQ(cpus(scheduler({.topology = machine}).seats()), (numbers{0, 1, 2, 3}));
  EXPECT_EQ(cpus(scheduler({.topology = machine, .pin_order = pin_order::dealt}).seats()),
            (numbers{0, 2, 1, 3}));
  setenv("SKUA_PIN", "dealt", 1);
  EXPECT_EQ(cpus(scheduler({.topology = machine}).seats()), (numbers{0, 2, 1, 3}));
  setenv("SKUA_PIN", "deal", 1);
  try {
    scheduler({.topology = machine});
    ADD_FAILURE() << "a wrong SKUA_PIN was accepted";
  } catch (const bad_input& error) {
    EXPECT_STREQ(error.what(),
                 "SKUA_PIN is 'deal'; allowed: grouped or dealt, or CPUs as in 0,3,6-8; nearest: dealt");
  }
  unsetenv("SKUA_PIN");
}

}  // namespace
}  // namespace skua::pin_order_test
