// The largest flow: published networks and values, small networks by hand, damaged files, any number of workers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/maxflow.hpp"
#include "workloads/kernels/maxflow_file.hpp"

namespace workloads::maxflow_test {
namespace {

namespace fs = std::filesystem;

std::int64_t flow_of(const flow_problem& problem) {
  flow_network network(problem);
  flow_sequential(network).solve();
  std::string wrong;
  const std::int64_t value = network.value(wrong);
  EXPECT_EQ(wrong, "");
  return value;
}

TEST(maxflow, networks_and_values_as_published) {
  struct {
    std::uint32_t rows, levels;
    std::uint64_t max, seed;
    std::uint32_t nodes;
    std::size_t arcs;
    std::uint64_t hash;
    std::int64_t value;
  } const known[] = {{8, 8, 100, 42, 66, 184, 0x46cb0caa7f7086f3, 676},
                     {16, 16, 10000, 42, 258, 752, 0x204cfcf8d0627a96, 110972},
                     {16, 64, 10000, 42, 1026, 3056, 0xffea8df38d0a39a3, 107671},
                     {64, 64, 10000, 42, 4098, 12224, 0x48ce90b408f2339e, 439569},
                     {64, 64, 10000, 1, 4098, 12224, 0xb03dcc4809df6d4d, 437325},
                     {64, 64, 10000, 2, 4098, 12224, 0xab259d0935cb9a66, 485222},
                     {64, 64, 10000, 7, 4098, 12224, 0x252b94f58dc54820, 452694},
                     {512, 8, 10000, 42, 4098, 11776, 0x2035ee49773e5f80, 4230405},
                     {8, 512, 10000, 42, 4098, 12280, 0x390c28cf3c30deac, 42942},
                     {128, 256, 10000, 42, 32770, 98176, 0x895694a421520c41, 915509}};
  for (const auto& k : known) {
    const flow_problem problem = flow_levels(k.rows, k.levels, k.max, k.seed);
    EXPECT_EQ(problem.nodes, k.nodes);
    EXPECT_EQ(problem.edges.size(), k.arcs);
    EXPECT_EQ(flow_hash(problem), k.hash);
    EXPECT_EQ(flow_known(k.hash), k.value);
    EXPECT_EQ(flow_of(problem), k.value);
  }
}

TEST(maxflow, odd_networks) {
  EXPECT_EQ(flow_of({2, 0, 1, {}}), 0);
  EXPECT_EQ(flow_of({2, 0, 1, {{1, 0, 5}}}), 0);  // an edge backwards
  // Parallel edges and loops.
  EXPECT_EQ(flow_of({2, 1, 0, {{1, 0, 5}, {1, 0, 7}, {0, 0, 9}, {1, 1, 9}}}), 12);
  EXPECT_EQ(flow_of({4, 0, 3, {{0, 1, 5}, {1, 2, 9}, {2, 1, 9}}}), 0);  // no path leads to the sink
  EXPECT_EQ(flow_of({4, 0, 3, {{0, 1, 5}, {0, 2, 4}, {1, 2, 9}, {1, 3, 2}, {2, 3, 6}, {3, 0, 8}}}), 8);
}

TEST(maxflow, a_wrong_answer_is_named) {
  const flow_problem problem{3, 0, 2, {{0, 1, 5}, {1, 2, 3}}};
  std::string wrong;
  flow_network network(problem);
  EXPECT_EQ(network.value(wrong), -1);
  EXPECT_EQ(wrong, "more can flow from the source to the sink");
  network.fill([](std::uint32_t) {});
  EXPECT_EQ(network.value(wrong), -1);
  EXPECT_EQ(wrong, "node 1 does not pass on 5");
  network.reset();
  flow_sequential(network).solve();
  EXPECT_EQ(network.value(wrong), 3);
  --network.arcs(1)[0].residual;
  EXPECT_EQ(network.value(wrong), -1);
  EXPECT_NE(wrong.find("exceeds its capacity"), std::string::npos);
}

void solve_on_all(const std::map<std::string, std::string, std::less<>>& options, const std::string& value) {
  for (const std::int64_t workers : any_number_of_workers) {
    skua::scheduler pool({.workers = workers});
    for (const char* order : {"fifo", "lifo"}) {
      auto all = options;
      all["order"] = order;
      const auto program = find("maxflow")->make({.options = all});
      for (int repeat = 0; repeat < 3; ++repeat) {
        program->prepare();
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers, " << order;
        EXPECT_EQ(v.message.substr(0, v.message.find(' ')), value);
      }
      program->flip_one();
      EXPECT_FALSE(program->verify().correct);
    }
  }
}

TEST(maxflow, the_same_value_on_any_number_of_workers) {
  if constexpr (!under_thread_sanitizer) solve_on_all({{"rows", "64"}, {"levels", "64"}}, "439569");
  solve_on_all({{"rows", "8"}, {"levels", "512"}}, "42942");
}

TEST(maxflow, with_heights_set_once) {
  solve_on_all({{"rows", "16"}, {"levels", "16"}, {"heights", "once"}}, "110972");
  if constexpr (!under_sanitizer)
    solve_on_all({{"rows", "16"}, {"levels", "64"}, {"heights", "once"}}, "107671");
}

TEST(maxflow, real_networks) {
  const fs::path folder = fs::path(SKUA_SHARED) / "data";
  if (!fs::exists(folder)) GTEST_SKIP() << "no folder of real networks";
  for (const auto& [name, value] : {std::pair{"gl1", "156545"}, {"gw1", "1202018"}, {"wlm3", "11875108"}})
    solve_on_all({{"input", folder / (std::string(name) + ".max")}}, value);
  const auto program = find("maxflow")->make({.options = {{"input", folder / "gl1.max"}}});
  program->prepare();
  program->sequential();
  EXPECT_NE(program->verify().message.find("as published"), std::string::npos) << program->verify().message;
}

class maxflow_files : public testing::Test {
 protected:
  void TearDown() override { fs::remove(name); }
  std::string complaint(const std::string& text) {
    std::ofstream(name) << text;
    try {
      find("maxflow")->make({.options = {{"input", name}}});
    } catch (const skua::bad_input& error) {
      return std::string(error.what()).substr(name.native().size());
    }
    return "accepted";
  }
  const fs::path name = fs::path(testing::TempDir()) / ("skua_maxflow_" + std::to_string(getpid()));
};

TEST_F(maxflow_files, damaged_ones_are_refused_by_line) {
  const std::string good = "c a network\np max 3 2\nn 1 s\nn 3 t\n";
  EXPECT_EQ(complaint(good + "a 1 2 5\na 2 3 4\n"), "accepted");
  EXPECT_EQ(complaint(good + "a 1 2 5\r\n\nc x\na 2 3 4"), "accepted");
  EXPECT_EQ(complaint(good + "a 1 4 5\n"), ":5: expected a node, 1 to 3, found '4'");
  EXPECT_EQ(complaint(good + "a 1 2 5\na 2 3 -4\n"), ":6: expected a capacity, 0 to 68719476736, found '-4'");
  EXPECT_EQ(complaint(good + "a 1 2\n"), ":5: expected a capacity, 0 to 68719476736, found nothing");
  EXPECT_EQ(complaint(good + "a 1 2 5 6\n"), ":5: expected the end of the line, found '6'");
  EXPECT_EQ(complaint(good + "b 1 2 5\n"), ":5: expected a line that begins with c, p, n or a, found 'b'");
  EXPECT_EQ(complaint(good + "a 1 2 5\n"), " ends after line 5: expected 2 arcs in total, not 1");
  EXPECT_EQ(complaint(good + "n 2 s\n"), ":5: expected one source and one sink, found 's'");
  EXPECT_EQ(complaint("p max 3 0\nn 2 s\nn 2 t\n"),
            " ends after line 3: expected lines 'n NODE s' and 'n NODE t' for two different nodes");
  EXPECT_EQ(complaint("a 1 2 3\n"), ":1: expected one line 'p max NODES ARCS' before all others, found 'a'");
  EXPECT_EQ(complaint("p max 3 2\np max 3 2\n"),
            ":2: expected one line 'p max NODES ARCS' before all others, found 'p'");
  EXPECT_EQ(complaint("p min 3 2\n"), ":1: expected max, found 'min'");
  EXPECT_EQ(complaint("p max 1 2\n"), ":1: expected a number of nodes, 2 to 67108864, found '1'");
  EXPECT_EQ(complaint(""), " ends after line 0: expected a line 'p max NODES ARCS'");
}

TEST_F(maxflow_files, the_flow_and_its_bottleneck_are_drawn) {
  const auto program = find("maxflow")->make(
      {.options = {{"rows", "8"}, {"levels", "8"}, {"capacity", "100"}, {"output", name}}});
  program->prepare();
  program->sequential();
  const answer_check v = program->verify();
  EXPECT_TRUE(v.correct) << v.message;
  std::stringstream text;
  text << std::ifstream(name).rdbuf();
  const std::string svg = text.str();
  EXPECT_EQ(svg.find("<svg"), 0u);
  EXPECT_NE(svg.find("stroke=\"red\""), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  std::size_t nodes = 0;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++nodes;
  EXPECT_EQ(nodes, 66u);
}

// The flow across the bottleneck is the largest flow.
TEST(maxflow, the_bottleneck_carries_the_whole_flow) {
  flow_network network(flow_levels(8, 8, 100, 42));
  flow_sequential(network).solve();
  const std::vector<bool> near = network.reachable();
  std::int64_t across = 0;
  network.each_flow([&](std::uint32_t from, std::uint32_t to, std::int64_t flow) {
    if (near[from] != near[to]) across += near[from] ? flow : -flow;
  });
  EXPECT_EQ(across, 676);
}

TEST(maxflow, refuses_bad_options) {
  for (const auto& [option, value] : {std::pair{"rows", "2"},
                                      {"levels", "0"},
                                      {"capacity", "0"},
                                      {"order", "best"},
                                      {"heights", "never"},
                                      {"input", "/no/such"}})
    EXPECT_THROW(find("maxflow")->make({.options = {{option, value}}}), skua::bad_input) << option;
}

}  // namespace
}  // namespace workloads::maxflow_test
