// Further machines, real ones and those of papers, from a folder that a checkout may lack. Each file must give the counts in
// the table of its folder.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <skua/topology.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace skua::machine_files_test {
namespace {

namespace fs = std::filesystem;

fs::path folder(const char* name) {
  const char* said = std::getenv("SKUA_SHARED");
  return fs::path(said && *said ? said : SKUA_SHARED) / name;
}

void expect_drawn_and_placed(const topology& machine) {
  const placement seats = machine.place(machine.default_workers());
  EXPECT_FALSE(machine.draw(seats).empty());
  for (domain_id domain = 0; domain < machine.domains(); ++domain) {
    EXPECT_FALSE(seats.domain_workers(domain).empty()) << "domain " << domain;
  }
}

// The cells of "| a | b | c |".
std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream rest(row);
  for (std::string cell; std::getline(rest, cell, '|');) {
    const auto begin = cell.find_first_not_of(' ');
    cells.push_back(begin == std::string::npos ? ""
                                               : cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin));
  }
  if (!cells.empty()) cells.erase(cells.begin());
  return cells;
}

// "4/16" means that 4 of 16 may be used; "-" means none.
std::size_t number(const std::string& cell) { return cell == "-" ? 0 : std::stoul(cell); }

TEST(machine_files, real_machines_have_the_counts_of_their_table) {
  if (!fs::exists(folder("topologies"))) GTEST_SKIP() << "the folder of real machines is not here";
  std::ifstream table(folder("topologies") / "README.md");
  std::size_t machines = 0;
  for (std::string row; std::getline(table, row);) {
    const std::vector<std::string> cells = cells_of(row);
    if (cells.size() < 9 || cells[0] == "file" || cells[0].starts_with("-")) continue;
    SCOPED_TRACE(cells[0]);
    const topology machine = topology::from_file(folder("topologies") / (cells[0] + ".xml"));
    EXPECT_EQ(machine.packages(), number(cells[1]));
    EXPECT_EQ(machine.numa_nodes(), number(cells[2]));
    EXPECT_EQ(machine.cores(), number(cells[5]));
    EXPECT_EQ(machine.pus(), number(cells[6]));
    EXPECT_EQ(machine.kinds(), std::max<std::size_t>(1, number(cells[8])));
    expect_drawn_and_placed(machine);
    ++machines;
  }
  EXPECT_EQ(machines, 23u);
}

TEST(machine_files, real_machines_have_the_domains_that_the_rule_gives) {
  if (!fs::exists(folder("topologies"))) GTEST_SKIP() << "the folder of real machines is not here";
  const std::map<std::string, std::size_t> domains = {
      {"01", 4},  {"02", 2}, {"03", 2},  {"04", 2}, {"05", 1},  {"06", 8}, {"07", 8}, {"08", 24},
      {"09", 16}, {"10", 2}, {"11", 32}, {"13", 8}, {"14", 2},  {"16", 2}, {"17", 4}, {"20", 1},
      {"22", 4},  {"23", 8}, {"25", 2},  {"27", 2}, {"29", 24}, {"32", 6}, {"33", 1}};
  std::size_t machines = 0;
  for (const auto& file : fs::directory_iterator(folder("topologies"))) {
    if (file.path().extension() != ".xml") continue;
    SCOPED_TRACE(file.path().filename().string());
    const topology machine = topology::from_file(file.path());
    EXPECT_EQ(machine.domains(), domains.at(file.path().filename().string().substr(0, 2)));
    ++machines;
  }
  EXPECT_EQ(machines, domains.size());
}

TEST(machine_files, machines_of_papers_have_the_counts_that_they_expect) {
  if (!fs::exists(folder("machines"))) GTEST_SKIP() << "the folder of the papers' machines is not here";
  std::size_t machines = 0;
  for (const auto& file : fs::directory_iterator(folder("machines"))) {
    if (file.path().extension() != ".json") continue;
    SCOPED_TRACE(file.path().filename().string());
    const auto expect = nlohmann::json::parse(std::ifstream(file.path())).at("expect");
    const topology machine = topology::from_file(fs::path(file.path()).replace_extension(".xml"));
    EXPECT_EQ(machine.packages(), expect.at("packages"));
    EXPECT_EQ(machine.numa_nodes(), expect.at("numa"));
    EXPECT_EQ(machine.cores(), expect.at("cores"));
    EXPECT_EQ(machine.pus(), expect.at("pus"));
    EXPECT_EQ(machine.domains(), expect.at("l3"));  // each of these machines has an L3 that cores share
    EXPECT_EQ(machine.domain_kind(), "L3");
    expect_drawn_and_placed(machine);
    ++machines;
  }
  EXPECT_EQ(machines, 11u);
}

TEST(machine_files, numa_distances_are_read) {
  if (!fs::exists(folder("topologies"))) GTEST_SKIP() << "the folder of real machines is not here";
  const topology machine = topology::from_file(folder("topologies") / "25-cascadelake-2lm-snc2.xml");
  const placement seats = machine.place(40);
  std::vector<std::string> names;
  for (std::size_t level = 0; level < seats.levels(); ++level) names.push_back(seats.level_name(level));
  EXPECT_EQ(names, (std::vector<std::string>{"same domain", "same domain, NUMA distance 11",
                                             "same machine, NUMA distance 21"}));
}

}  // namespace
}  // namespace skua::machine_files_test
