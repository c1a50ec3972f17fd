// floyd_warshall: distances as published and as Dijkstra's algorithm finds them, on any number of workers.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/floyd_warshall.hpp"

namespace workloads::floyd_warshall_test {
namespace {

TEST(floyd_warshall, as_published) {
  for (const std::size_t n : {128u, 256u}) {
    std::vector<std::int32_t> distances = random_graph(42, n);
    floyd_warshall_sequential(distances.data(), n);
    EXPECT_EQ(distances_tally(distances), distances_published(n)) << n;
  }
}

TEST(floyd_warshall, finds_what_dijkstra_finds) {
  for (const std::size_t n : {1u, 2u, 9u, 33u, 70u}) {  // the small ones have nodes without a path
    const std::vector<std::int32_t> edges = random_graph(n, n);
    std::vector<std::int32_t> distances = edges;
    floyd_warshall_sequential(distances.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_EQ(std::vector<std::int32_t>(distances.begin() + static_cast<std::ptrdiff_t>(i * n),
                                          distances.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)),
                distances_from(edges, n, i))
          << n << " nodes, from " << i;
  }
  std::vector<std::int32_t> none = {0, no_path, no_path, 0};
  floyd_warshall_sequential(none.data(), 2);
  EXPECT_EQ(none, (std::vector<std::int32_t>{0, no_path, no_path, 0}));
}

TEST(floyd_warshall, the_same_on_any_number_of_workers) {
  for (const char* n : {"1", "2", "33", "256"})
    for (const char* rows : {"1", "16", "16384"})
      expect_verified("floyd_warshall", {{"n", n}, {"rows", rows}});
}

TEST(floyd_warshall, refuses_graphs_without_nodes_and_tasks_without_rows) {
  EXPECT_THROW(find("floyd_warshall")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("floyd_warshall")->make({.options = {{"rows", "0"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::floyd_warshall_test
