// The values of curves over the number of workers, and their charts.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "paper/scaling.hpp"

namespace skua::paper::scaling_test {
namespace {

worker_times times(std::uint64_t user, std::uint64_t claiming, std::uint64_t waiting, std::uint64_t asleep) {
  worker_times all;
  all.ns[static_cast<std::size_t>(activity::user)] = user;
  all.ns[static_cast<std::size_t>(activity::claiming)] = claiming;
  all.ns[static_cast<std::size_t>(activity::waiting)] = waiting;
  all.ns[static_cast<std::size_t>(activity::suspending)] = 20;
  all.ns[static_cast<std::size_t>(activity::asleep)] = asleep;
  return all;
}

scaling_curve example() {
  return {.policy = "random",
          .points = {{.workers = 1, .seconds = {8, 10, 12}, .times = times(980, 0, 0, 0)},
                     {.workers = 4, .seconds = {4, 5, 9}, .times = times(1470, 100, 280, 130)}}};
}

TEST(paper_scaling, compares_every_point_with_one_worker) {
  const scaling_curve curve = example();
  const scaled one = scaled_at(curve, curve.points[0]), four = scaled_at(curve, curve.points[1]);
  EXPECT_DOUBLE_EQ(one.speedup, 1);
  EXPECT_DOUBLE_EQ(one.inflation, 1);
  EXPECT_DOUBLE_EQ(one.stealing, 0);
  EXPECT_DOUBLE_EQ(one.waiting, 0) << "without stealing the share of waiting is 0";
  EXPECT_DOUBLE_EQ(four.seconds, 5);
  EXPECT_DOUBLE_EQ(four.speedup, 2);
  EXPECT_DOUBLE_EQ(four.efficiency, 0.5);
  EXPECT_DOUBLE_EQ(four.inflation, 1.5);
}

TEST(paper_scaling, splits_the_time_as_the_thesis_does) {
  const scaling_curve curve = example();
  const scaled four = scaled_at(curve, curve.points[1]);
  EXPECT_DOUBLE_EQ(four.share_of(activity::user), 0.735);
  EXPECT_DOUBLE_EQ(four.library, 0.2) << "library time is neither user nor asleep";
  EXPECT_DOUBLE_EQ(four.share_of(activity::asleep), 0.065);
  EXPECT_DOUBLE_EQ(four.stealing, 0.95) << "stealing is claiming and waiting, without suspending";
  EXPECT_DOUBLE_EQ(four.waiting, 280.0 / 380);
  EXPECT_DOUBLE_EQ(four.of_work[static_cast<std::size_t>(activity::waiting)], 280.0 / 980);
}

TEST(paper_scaling, tells_of_runs_without_cpus) {
  scaling all{.program = "fib", .machine = "m", .curves = {example()}, .cpus = 2};
  EXPECT_EQ(text_of(all).find("Noise"), std::string::npos);
  all.curves[0].points[1].waiting_for_cpu = {0.05, 0.6, 0};
  EXPECT_TRUE(
      text_of(all).ends_with("\nNoise: in 1 of 3 runs the workers waited for CPUs for more than 10% of "
                             "their time (at most 60%),\nbecause there are more workers than CPUs. "
                             "These times are too long, and vary.\n"))
      << text_of(all);
  all.curves[0].points[0].waiting_for_cpu = {0, 0.25, 0.02};
  EXPECT_NE(text_of(all).find("\nNoise: in 2 of 6 runs the workers waited for CPUs for more than 10% of "
                              "their time (at most 60%),\n"
                              "because other programs ran"),
            std::string::npos)
      << text_of(all);
  EXPECT_NE(html_of(all).find("<p>Noise: in 2 of 6 runs"), std::string::npos);
}

TEST(paper_scaling, stacks_the_parts_of_a_bar) {
  const scaling all{.program = "fib", .machine = "m", .curves = {example()}};
  const auto charts = charts_of(all);
  const auto user_and_library =
      std::ranges::find_if(charts, [](const chart& one) { return one.title.starts_with("User"); });
  ASSERT_NE(user_and_library, charts.end());
  const std::string drawn = svg_of(draw(*user_and_library));
  // With four workers: user, library, asleep. Each part ends where the next begins, and together they fill the plot.
  const std::regex bar(
      "<rect class=\"bar s(\\d)\" x=\"([\\d.]+)\" y=\"([\\d.]+)\" width=\"[\\d.]+\" height=\"([\\d.]+)\">");
  std::vector<double> tops, heights;
  for (std::sregex_iterator at(drawn.begin(), drawn.end(), bar), end; at != end; ++at)
    if (std::stod((*at)[2]) > 200) {  // the right half
      tops.push_back(std::stod((*at)[3]));
      heights.push_back(std::stod((*at)[4]));
    }
  ASSERT_EQ(tops.size(), 3u) << drawn;
  EXPECT_NEAR(heights[0] + heights[1] + heights[2], 200, 0.3);
  EXPECT_NEAR(tops[1] + heights[1], tops[0], 0.15);
  EXPECT_NEAR(tops[2] + heights[2], tops[1], 0.15);
  EXPECT_NEAR(heights[1], 40, 0.15);
}

TEST(paper_scaling, charts_have_a_series_for_each_policy_and_a_linear_one) {
  scaling all{.program = "fib", .machine = "m", .curves = {example(), example()}};
  all.curves[1].policy = "nearest";
  const std::vector<chart> charts = charts_of(all);
  ASSERT_EQ(charts.size(), 2u + 3 * 2);
  ASSERT_EQ(charts[0].series.size(), 3u);
  EXPECT_EQ(charts[0].series[1].name, "nearest");
  EXPECT_EQ(charts[0].series[2].name, "linear");
  EXPECT_DOUBLE_EQ(charts[0].series[2].ours[1]->median, 4);
  EXPECT_DOUBLE_EQ(charts[0].series[0].ours[1]->median, 2);
  EXPECT_DOUBLE_EQ(charts[0].series[0].ours[1]->min, 10.0 / 9) << "the minimum is that of the slowest run";
  EXPECT_DOUBLE_EQ(charts[0].series[0].ours[1]->max, 10.0 / 4);
}

TEST(paper_scaling, bars_in_text_have_a_letter_for_each_part) {
  const scaling all{.program = "fib", .machine = "m", .curves = {example()}};
  const std::string text = text_of(all);
  // 73.5%, 5%, 14%, 1% and 6.5% of 60 letters. The end of each part is rounded, so the 1% has no letter.
  EXPECT_NE(text.find("  4  " + std::string(44, '#') + "ccc~~~~~~~~~....\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace skua::paper::scaling_test
