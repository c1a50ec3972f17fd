// Measured distances without a measurement: made-up matrices for made-up machines.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <skua/scheduler.hpp>
#include <skua/topology.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include "topology/measured_distances.hpp"

namespace skua::distances_test {
namespace {

using detail::measured_distances;
using numbers = std::vector<std::uint32_t>;
using sentences = std::vector<std::string>;

struct cost {
  std::size_t a, b;
  double nanoseconds;
};

measured_distances measured(const topology& machine, double default_value,
                            std::initializer_list<cost> costs) {
  measured_distances found = detail::unmeasured(machine);
  for (std::size_t a = 0; a < found.cores.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) found.set(a, b, default_value);
  }
  for (const cost& each : costs) found.set(each.a, each.b, each.nanoseconds);
  return found;
}

/// A file with that text. It exists as long as this object.
class distances_file {
 public:
  explicit distances_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("skua_distances_" + std::to_string(getpid()))) {
    std::ofstream(path_) << text;
  }
  explicit distances_file(const measured_distances& found) : distances_file(detail::file_text(found)) {}
  ~distances_file() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

topology with(const topology& machine, const measured_distances& found) {
  return machine.with_distances(distances_file(found).path());
}

numbers at(const placement& seats, worker_id worker, std::size_t level) {
  const auto others = seats.at_distance(worker, level);
  return {others.begin(), others.end()};
}

sentences level_names(const placement& seats) {
  sentences names;
  for (std::size_t level = 0; level < seats.levels(); ++level) names.push_back(seats.level_name(level));
  return names;
}

template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const bad_input& error) {
    return error.what();
  }
  return "nothing was refused";
}

const topology four_cores = topology::synthetic("package:1 l3:1 core:4 pu:1");
const topology two_domains = topology::synthetic("package:2 l3:1 core:4 pu:1");

TEST(distances, order_the_victims_of_a_domain) {
  const placement seats = with(four_cores, measured(four_cores, 90, {{0, 2, 40}, {1, 3, 43}})).place(4);
  ASSERT_EQ(level_names(seats), (sentences{"same domain, 41.5 ns", "same domain, 90 ns"}));
  EXPECT_EQ(at(seats, 0, 0), (numbers{2}));
  EXPECT_EQ(at(seats, 0, 1), (numbers{1, 3}));
  EXPECT_EQ(at(seats, 3, 0), (numbers{1}));
  EXPECT_EQ(at(seats, 3, 1), (numbers{0, 2}));
  EXPECT_EQ(seats.distance(0, 2), 0u);
  EXPECT_EQ(seats.distance(2, 1), 1u);
}

TEST(distances, do_not_change_the_borders_of_domains) {
  // Core 4 is measured nearer to core 0 than core 1 is, but core 4 belongs to another domain.
  const placement seats = with(two_domains, measured(two_domains, 100, {{0, 4, 20}, {0, 1, 50}})).place(8);
  ASSERT_EQ(level_names(seats), (sentences{"same domain, 50 ns", "same domain, 100 ns", "same machine, 20 ns",
                                           "same machine, 100 ns"}));
  EXPECT_EQ(at(seats, 0, 0), (numbers{1}));
  EXPECT_EQ(at(seats, 0, 1), (numbers{2, 3}));
  EXPECT_EQ(at(seats, 0, 2), (numbers{4}));
  EXPECT_EQ(at(seats, 0, 3), (numbers{5, 6, 7}));
  EXPECT_LE(seats.level_nearness(1), nearness::same_domain);
  EXPECT_GT(seats.level_nearness(2), nearness::same_domain);
  EXPECT_EQ(seats.head(1), 4u);
  EXPECT_EQ(seats.domain_workers(1).size(), 4u);
}

TEST(distances, workers_of_one_core_stay_nearest) {
  const topology machine = topology::synthetic("package:1 l3:1 core:2 pu:2");
  const placement seats = with(machine, measured(machine, 30, {})).place(4);
  ASSERT_EQ(level_names(seats), (sentences{"same core", "same domain, 30 ns"}));
  EXPECT_EQ(at(seats, 0, 0), (numbers{1}));
  EXPECT_EQ(at(seats, 0, 1), (numbers{2, 3}));
}

TEST(distances, a_level_does_not_depend_on_where_workers_are_placed) {
  const measured_distances found = measured(four_cores, 90, {{0, 1, 40}, {2, 3, 44}});
  EXPECT_EQ(level_names(with(four_cores, found).place(2)), (sentences{"same domain, 42 ns"}));
  EXPECT_EQ(with(four_cores, found).place(1).levels(), 0u);
}

TEST(distances, are_read_from_a_file_as_they_were_written) {
  const topology machine = topology::synthetic("package:2 l3:1 core:2 pu:2");
  const measured_distances before = measured(machine, 123.456, {{0, 1, 0.5}});
  const measured_distances after = detail::distances_from_text(detail::file_text(before), "file");
  EXPECT_EQ(after.processor, before.processor);
  EXPECT_EQ(after.nanoseconds, before.nanoseconds);
  ASSERT_EQ(after.cores.size(), 4u);
  EXPECT_EQ(after.cores[3].cpus, (numbers{6, 7}));
  EXPECT_EQ(after.cores[3].package, 1u);
}

TEST(distances, of_another_machine_are_refused_with_the_difference) {
  measured_distances there = measured(four_cores, 90, {});
  const topology larger = topology::synthetic("package:1 l3:1 core:5 pu:1");
  const std::string text = refusal([&] { with(larger, there); });
  EXPECT_NE(text.find("was measured on another machine: it has no CPU 4, but this one has"),
            std::string::npos)
      << text;
  EXPECT_EQ(detail::difference(there, topology::synthetic("package:1 l3:1 core:2 pu:2")),
            "CPUs 0 and 1 share a core here, but not there");
  EXPECT_EQ(detail::difference(there, topology::synthetic("package:2 l3:1 core:2 pu:1")),
            "CPUs 0 and 2 share a package there, but not here");
  there.processor = "Opteron";
  EXPECT_EQ(detail::difference(there, four_cores), "its processor is 'Opteron', this one's is nameless");
}

TEST(distances, stay_valid_if_the_process_may_use_fewer_cpus) {
  const measured_distances all = measured(four_cores, 90, {{0, 2, 40}});
  const topology half = topology::synthetic("package:1 l3:1 core:2 pu:1(indexes=0,2)");
  EXPECT_EQ(detail::difference(all, half), "");
  EXPECT_EQ(detail::matrix_for(all, half), (std::vector<double>{0, 40, 40, 0}));
}

TEST(distances, every_damaged_file_is_refused_with_its_line) {
  const std::string sound = detail::file_text(measured(four_cores, 90, {}));
  const auto with_change = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    return text.replace(text.find(from), from.size(), to);
  };
  const struct {
    std::string text, complaint;
  } damaged[] = {
      {"", "in line 1 the file ends; expected: 'skua distances 1'"},
      {with_change("distances 1", "distances 2"), "in line 1 there is 'skua distances 2'"},
      {with_change("processor", "procesor"), "in line 2 there is 'procesor'; expected: 'processor NAME'"},
      {with_change("core 1", "core 2"), "expected: 'core 1 package NUMBER cpus NUMBER,NUMBER...'"},
      {with_change("cpus 2", "cpus 1"), "each CPU once, but 1 is repeated"},
      {with_change("cpus 2", "cpus 2,"), "in line 5"},
      {with_change("cpus 2", "cpus -2"), "in line 5"},
      {with_change("0 90 90 90\n", "0 90 90\n"),
       "in line 8 there is '0 90 90'; expected: 4 numbers of nanoseconds"},
      {with_change("0 90 90 90\n", "0 90 90 90 90\n"), "in line 8"},
      {with_change("0 90 90 90\n", "0 90 nan 90\n"), "in line 8"},
      {with_change("0 90 90 90\n", "0 90 inf 90\n"), "in line 8"},
      {with_change("0 90 90 90\n", "0 90 -90 90\n"), "in line 8"},
      {with_change("0 90 90 90\n", "1 90 90 90\n"), "in line 8"},
      {with_change("0 90 90 90\n", "0 90 90 80\n"), "expected: the same time from core 3 to 0 as back"},
      {with_change("end\n", ""), "in line 12 the file ends; expected: 'end'"},
      {sound + sound, "in line 13 there is 'skua distances 1'; expected: nothing after 'end'"},
      {sound.substr(0, sound.find(" cpus 2")), "in line 5 there is 'core 2 package 0'; expected"},
  };
  for (const auto& [text, complaint] : damaged) {
    const std::string said = refusal([&] { detail::distances_from_text(text, "some.txt"); });
    EXPECT_NE(said.find(complaint), std::string::npos) << text << "\n" << said;
    EXPECT_EQ(said.find("some.txt is not a file of"), 0u) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  }
}

TEST(distances, of_a_truncated_file_are_refused) {
  const std::string sound = detail::file_text(measured(four_cores, 90, {}));
  for (std::size_t size = 0; size + 1 < sound.size(); ++size) {
    EXPECT_THROW(detail::distances_from_text(sound.substr(0, size), "file"), bad_input) << size;
  }
}

TEST(distances, a_scheduler_takes_them) {
  const distances_file file(measured(four_cores, 90, {{0, 2, 40}}));
  scheduler pool({.workers = 4, .topology = four_cores, .distances = file.path()});
  EXPECT_EQ(at(pool.seats(), 0, 0), (numbers{2}));
  EXPECT_EQ(pool.run([] { return 7; }), 7);
  const std::string text = refusal([&] { scheduler({.topology = two_domains, .distances = file.path()}); });
  EXPECT_NE(text.find("another machine"), std::string::npos) << text;
  EXPECT_NE(refusal([] { scheduler({.distances = "/no/such/file"}); }).find("'/no/such/file' cannot be read"),
            std::string::npos);
}

TEST(distances, of_the_environment_belong_to_its_machine) {
  const distances_file file(measured(four_cores, 90, {{0, 2, 40}}));
  setenv("SKUA_TOPOLOGY", "package:1 l3:1 core:4 pu:1", 1);
  setenv("SKUA_DISTANCES", file.path().c_str(), 1);
  EXPECT_EQ(scheduler().seats().level_name(0), "same domain, 40 ns");
  EXPECT_EQ(scheduler({.topology = two_domains}).seats().level_name(0), "same domain");
  unsetenv("SKUA_TOPOLOGY");
  unsetenv("SKUA_DISTANCES");
}

TEST(latency_groups, hold_latencies_within_fifteen_percent_of_their_minimum) {
  const auto groups = detail::latency_groups({100, 62, 60, 69, 110, 69.5});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].min, 60);
  EXPECT_EQ(groups[0].max, 69);
  EXPECT_EQ(groups[0].middle, 62);
  EXPECT_EQ(groups[0].count, 3u);
  EXPECT_EQ(groups[1].middle, 69.5);
  EXPECT_EQ(groups[2].middle, 105);
  EXPECT_EQ(detail::group_of(groups, 69).middle, 62);
  EXPECT_EQ(detail::group_of(groups, 110).middle, 105);
  EXPECT_TRUE(detail::latency_groups({}).empty());
}

TEST(disagreements, are_none_if_near_is_fast) {
  measured_distances found = measured(two_domains, 200, {});
  for (std::size_t first : {0, 4}) {
    for (std::size_t a = first; a < first + 4; ++a) {
      for (std::size_t b = first; b < a; ++b) found.set(a, b, 60 + static_cast<double>(a));
    }
  }
  EXPECT_EQ(detail::disagreements(two_domains, found), sentences{});
}

TEST(disagreements, name_the_pairs_that_are_slower_than_farther_ones) {
  const topology machine = topology::synthetic("package:1 l3:1 l2:2 core:2 pu:1");
  EXPECT_EQ(
      detail::disagreements(machine, measured(machine, 60, {{0, 1, 100}, {2, 3, 62}})),
      (sentences{"hwloc puts pairs of the level 'same cache' nearer than those of 'same domain', but a line "
                 "takes longer between cores 0 and 1 (100 ns) than the median there (60 ns)",
                 "hwloc puts all pairs of the level 'same cache' equally far, but a line takes 62 ns "
                 "between cores 2 and 3, and 100 ns between cores 0 and 1: 2 groups"}));
}

TEST(disagreements, name_the_levels_with_different_latencies) {
  EXPECT_EQ(detail::disagreements(four_cores, measured(four_cores, 90, {{0, 2, 40}})),
            (sentences{"hwloc puts all pairs of the level 'same domain' equally far, but a line takes 40 ns "
                       "between cores 0 and 2, and 90 ns between cores 0 and 1: 2 groups"}));
}

TEST(disagreements, stay_short_on_large_machines) {
  const topology machine = topology::synthetic("package:2 l3:1 core:16 pu:1");
  measured_distances found = measured(machine, 100, {});
  for (std::size_t a = 0; a < 16; ++a) {
    for (std::size_t b = 0; b < a; ++b) found.set(a, b, 300);
  }
  const sentences said = detail::disagreements(machine, found);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find(" and 115 other pairs"), std::string::npos) << said[0];
}

}  // namespace
}  // namespace skua::distances_test
