// hull: published hulls, degenerate inputs, the check of an answer, and its drawing.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/hull.hpp"

namespace workloads::hull_test {
namespace {

using options = std::map<std::string, std::string, std::less<>>;
using corners_of = std::vector<hull_point>;

answer_check run(const options& given, std::int64_t workers,
                 std::optional<std::uint64_t> seed = std::nullopt) {
  return check_of("hull", given, workers, seed);
}

TEST(hull, published_answers) {
  for (const options& given : {options{{"n", "1000"}}, options{{"n", "100000"}}, options{{"n", "1000000"}},
                               options{{"n", "1000000"}, {"shape", "square"}}}) {
    const answer_check v = run(given, 0);
    EXPECT_TRUE(v.correct) << v.message;
    EXPECT_NE(v.message.find("as published"), std::string::npos) << v.message;
  }
}

TEST(hull, any_number_of_workers_and_any_grain) {
  for (const std::int64_t workers : any_number_of_workers)
    for (const options& given : {options{{"n", "1000000"}}, options{{"n", "1"}}, options{{"n", "2"}},
                                 options{{"n", "3"}}, options{{"n", "1000"}, {"grain", "1"}},
                                 options{{"n", "100000"}, {"grain", "777"}, {"shape", "square"}}}) {
      const answer_check v = run(given, workers);
      EXPECT_TRUE(v.correct) << v.message;
    }
  const answer_check other_seed = run({{"n", "50001"}}, 2, 7);
  EXPECT_TRUE(other_seed.correct) << other_seed.message;
}

/// Returns the corners. Only the leaf functions find them.
corners_of hull_of(std::vector<hull_point> points) {
  const auto [a, b] = hull_find_extremes(points);
  corners_of corners{a};
  if (a == b) return corners;
  const hull_split s = hull_split_run(points, a, b, a);
  hull_between(s.first, a, b, s.first_farthest.point, corners);
  corners.push_back(b);
  hull_between(s.second, b, a, s.second_farthest.point, corners);
  return corners;
}

TEST(hull, corners_are_strict) {
  EXPECT_EQ(hull_of({{5, 5}, {5, 5}, {5, 5}}), (corners_of{{5, 5}}));
  EXPECT_EQ(hull_of({{2, 2}, {0, 0}, {1, 1}, {3, 3}}), (corners_of{{0, 0}, {3, 3}}));
  EXPECT_EQ(hull_of({{4, 9}, {4, 1}, {4, 4}}), (corners_of{{4, 1}, {4, 9}}));
  std::vector<hull_point> grid;
  for (std::int32_t x = 0; x < 9; ++x)
    for (std::int32_t y = 0; y < 7; ++y) grid.push_back({x, y});
  EXPECT_EQ(hull_of(grid), (corners_of{{0, 0}, {8, 0}, {8, 6}, {0, 6}}));
}

TEST(hull, every_mistake_is_found) {
  const std::vector<hull_point> points = {{0, 0}, {8, 0}, {8, 6}, {0, 6}, {4, 0}, {3, 3}, {8, 6}};
  const auto wrong = [&](const corners_of& corners) {
    const char* says = hull_wrong(corners, points.size(), [&](std::size_t i) { return points[i]; });
    return std::string(says ? says : "");
  };
  EXPECT_EQ(wrong({{0, 0}, {8, 0}, {8, 6}, {0, 6}}), "");
  EXPECT_EQ(wrong({}), "the hull has no corners");
  EXPECT_EQ(wrong({{0, 0}, {4, 0}, {8, 0}, {8, 6}, {0, 6}}), "a corner does not turn to the left");
  EXPECT_EQ(wrong({{8, 0}, {8, 6}, {0, 6}, {0, 0}}),
            "the corners do not go around exactly once from the smallest");
  EXPECT_EQ(wrong({{0, 0}, {8, 0}, {8, 6}, {0, 6}, {0, 0}, {8, 0}, {8, 6}, {0, 6}}),
            "the corners do not go around exactly once from the smallest");
  EXPECT_EQ(wrong({{0, 0}, {8, 0}, {0, 6}}), "a point lies outside");
  EXPECT_EQ(wrong({{0, 0}, {8, 6}, {0, 6}}), "a point lies outside");
  EXPECT_EQ(wrong({{0, 0}, {8, 0}, {8, 6}, {0, 7}}), "a corner is not one of the points");
}

TEST(hull, draws_what_it_found) {
  const std::string file = testing::TempDir() + "skua_hull_" + std::to_string(getpid()) + ".svg";
  const answer_check v = run({{"n", "1000"}, {"output", file}}, 2);
  EXPECT_TRUE(v.correct) << v.message;
  EXPECT_NE(v.message.find("drawing in " + file), std::string::npos);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str().find("<svg"), 0u);
  EXPECT_NE(text.str().find("<polygon"), std::string::npos);
  EXPECT_NE(text.str().find("</svg>"), std::string::npos);
  std::remove(file.c_str());
}

TEST(hull, bad_options_are_refused) {
  EXPECT_THROW(find("hull")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("hull")->make({.options = {{"grain", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("hull")->make({.options = {{"shape", "ring"}}}), skua::bad_input);
  EXPECT_THROW(find("hull")->make({.options = {{"output", "/no/such/folder/hull.svg"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::hull_test
