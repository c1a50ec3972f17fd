// streamcluster: PARSEC's centres, its random numbers, several chunks, and the same bits on any number of workers.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/streamcluster.hpp"

namespace workloads::streamcluster_test {
namespace {

using settings = std::map<std::string, std::string, std::less<>>;

answer_check run(const settings& given, std::int64_t workers,
                 std::optional<std::uint64_t> seed = std::nullopt) {
  return check_of("streamcluster", given, workers, seed);
}

TEST(streamcluster, random_numbers_of_posix) {
  posix_random draw(1);
  for (const std::uint32_t known : {89400484u, 976015093u, 1792756325u, 721524505u})
    EXPECT_EQ(draw.next(), known);
}

TEST(streamcluster, finds_the_centres_that_parsec_finds) {
  for (const settings& given : {settings{}, settings{{"d", "32"}, {"n", "4096"}}}) {
    const answer_check v = run(given, 0);
    EXPECT_TRUE(v.correct) << v.message;
    EXPECT_NE(v.message.find("13 centres"), std::string::npos) << v.message;
    EXPECT_NE(v.message.find("the same as PARSEC's"), std::string::npos) << v.message;
  }
}

TEST(streamcluster, any_number_of_workers_chunks_and_points) {
  for (const settings& given :
       {settings{}, settings{{"n", "1"}}, settings{{"n", "7"}}, settings{{"n", "21"}, {"d", "1"}},
        settings{{"n", "100"}, {"d", "17"}, {"kmin", "2"}, {"kmax", "2"}},
        settings{{"n", "1000"}, {"chunk", "300"}, {"d", "5"}},
        settings{{"n", "401"}, {"chunk", "100"}, {"kmin", "30"}}})
    for (const std::int64_t workers : any_number_of_workers) {
      if (under_thread_sanitizer && workers != 3) continue;
      const answer_check v = run(given, workers);
      EXPECT_TRUE(v.correct) << v.message;
    }
  const answer_check other_seed = run({{"n", "600"}}, 2, 7);
  EXPECT_TRUE(other_seed.correct) << other_seed.message;
}

TEST(streamcluster, centres_are_in_the_middle_of_their_points) {
  cluster_points p{.dimensions = 1};
  std::uint32_t id = 10;
  for (const float x : {1.0F, 3.0F, 9.0F, 5.0F}) p.add(&x, 1, id++);
  p.centre = {1, 1, 2, 1};
  cluster_points centres{.dimensions = 1};
  cluster_collect(p, centres);
  EXPECT_EQ(centres.id, (std::vector<std::uint32_t>{11, 12}));
  EXPECT_EQ(centres.weight, (std::vector<float>{3, 1}));
  EXPECT_NEAR(centres.coordinates[0], 3, 1e-6);
  EXPECT_EQ(centres.coordinates[1], 9);
  p.cost = {4, 0, 0, 4};
  const cluster_costs costs = cluster_recompute(p);
  EXPECT_EQ(costs.assigned, 8);
  EXPECT_EQ(costs.nearest, 8);
}

TEST(streamcluster, bad_options_are_refused) {
  EXPECT_THROW(find("streamcluster")->make({.options = {{"kmin", "1"}}}), skua::bad_input);
  EXPECT_THROW(find("streamcluster")->make({.options = {{"kmin", "30"}, {"kmax", "20"}}}), skua::bad_input);
  EXPECT_THROW(find("streamcluster")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("streamcluster")->make({.options = {{"chunk", "0"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::streamcluster_test
