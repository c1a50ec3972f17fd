// Workloads declare all data that they touch, and a region that learns its shape receives the declarations.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/kernels/canneal.hpp"
#include "workloads/kernels/ck.hpp"
#include "workloads/kernels/queens.hpp"

namespace workloads::declared_test {
namespace {

/// Returns how many bytes a workload touches. Each byte counts once.
std::size_t heard(const std::string& name, const options_map& options) {
  const auto program = find(name)->make({.options = options});
  program->prepare();
  skua::scheduler pool({.workers = 1});
  std::string region = "test." + name;
  for (const auto& [option, value] : options) region += "." + option + value;
  pool.run([&] { skua::shaped(skua::learn(region), [&] { program->parallel(); }); });
  EXPECT_TRUE(program->verify().correct) << region;
  const auto learnt = skua::learnt(region);
  return learnt ? learnt->input_bytes : 0;
}

TEST(declared_workloads, boards_and_positions) {
  EXPECT_GE(heard("queens", {{"n", "8"}, {"mode", "count"}}), sizeof(queens_bitmask));
  EXPECT_GE(heard("queens", {{"n", "8"}, {"mode", "count"}, {"test", "pairwise"}}), 3u);
  EXPECT_GE(heard("queens", {{"mode", "first"}}), 20u);
  EXPECT_GE(heard("ck", {}), sizeof(ck_position) + sizeof(ck_killers));
}

TEST(declared_workloads, maps_beside_the_text) {
  constexpr std::size_t node = 48;
  EXPECT_GE(heard("wordcount", {}), 500 * 500 * sizeof(std::uint32_t) + 1000 * node);
}

TEST(declared_workloads, places_in_both_modes) {
  const std::size_t racy = heard("canneal", {{"mode", "racy"}});
  EXPECT_GE(racy, 1000 * sizeof(canneal_place));
  constexpr std::size_t what_a_move_wants = 1000 * 2 * sizeof(std::uint32_t);
  EXPECT_GE(heard("canneal", {}), racy + what_a_move_wants);
}

TEST(declared_workloads, particles_and_their_cells) {
  constexpr std::size_t n = 16 * 16 * 16,
                        numbers = 2 * 9 + 3 + 2 /* densities and volumes */ + 2 /* order and slot */;
  EXPECT_GE(heard("fluidanimate", {}), n * (numbers + 1 /* cell_of */) * 4);
}

}  // namespace
}  // namespace workloads::declared_test
