#include "report/page/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/page/chart_data.hpp"

namespace page_test {
namespace {

using namespace skua;
using namespace skua::reports;
using namespace skua::observe;
using nlohmann::json;

worker_times activity_ns(activity what, std::uint64_t ns) {
  worker_times times;
  times.ns[static_cast<std::size_t>(what)] = ns;
  return times;
}

run_record small_run() {
  run_record run;
  run.program = "sort";
  run.policy = "nearest";
  run.machine.distance_names = {"same domain", "same machine"};
  run.machine.tree = "machine\n  core 0\n";
  run.seconds = run.inside_seconds = 1;
  for (std::uint32_t w = 0; w < 2; ++w) {
    worker_record worker;
    worker.seat = {w, w, 0};
    worker.times = activity_ns(activity::user, 800'000'000 + w);
    worker.times += activity_ns(activity::asleep, 200'000'000);
    worker.counts.steals = 3 + w;
    worker.counts.steals_by_distance = {1, 2 + w};
    run.workers.push_back(worker);
  }
  run.pairs = {{.thief = 0, .victim = 1, .steals = 3, .misses = 4, .looks = 5, .bytes = 6}};
  run.steal_latency.add(740, 10);
  run.task_size.add(100'000, 7);
  run.timeline = {.interval_ns = 500,
                  .workers = {{activity_ns(activity::user, 500), activity_ns(activity::waiting, 250)}, {}}};
  run.work_span = work_span_record{.work_ns = 1000, .span_ns = 250, .burdened_span_ns = 500};
  run.work_span->sites = {{.name = "merge", .kind = "join", .span_ns = 200, .work_ns = 400, .times = 9}};
  run.hardware = {{.event = "cycles", .workers = {hardware_counts{{11}}, hardware_counts{{12}}}}};
  run.simulated = simulated_record{.cycles = 99};
  run.simulated->nodes = {{.bytes_read = 7, .bytes_written = 8}};
  run.notes = {"a note"};
  return run;
}

json data_of(const std::vector<shown_run>& runs) { return json::parse(page_data(runs)); }

TEST(report_page, text_is_escaped) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&</b>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
}

// In <script>, a '<' in the data could end the script or begin something that ends elsewhere, such as a comment.
TEST(report_page, data_cannot_end_the_script) {
  run_record run = small_run();
  const std::string hostile = "</script><!--<script>\"'\\ {{style}}";
  run.program = run.policy = run.machine.source = run.machine.tree = run.notes[0] = hostile;
  run.work_span->sites[0].name = run.hardware[0].event = hostile;
  EXPECT_EQ(page_data({{hostile, run}}).find('<'), std::string::npos);
  const json data = data_of({{hostile, run}})["runs"][0];
  EXPECT_EQ(data["program"], hostile);
  EXPECT_EQ(data["work_span"]["sites"][0]["name"], hostile);
}

TEST(report_page, title_is_escaped_and_nothing_is_replaced_in_data) {
  run_record run = small_run();
  run.program = "</title><script>{{style}}";
  const std::string page = html_page({{"run.json", run}});
  EXPECT_NE(page.find("<title>&lt;/title&gt;&lt;script&gt;{{style}}"), std::string::npos);
  EXPECT_NE(page.find("\"program\":\"\\u003c/title>\\u003cscript>{{style}}\""), std::string::npos);
}

TEST(report_page, bytes_that_are_not_text_are_replaced) {
  run_record run = small_run();
  run.program = "sort\xff";
  EXPECT_EQ(data_of({{"run.json", run}})["runs"][0]["program"], "sort\uFFFD");
}

TEST(report_page, a_page_has_all_its_parts_and_no_mark_is_left) {
  const std::string page = html_page({{"run.json", small_run()}});
  for (const std::string_view part :
       {page_files::style_css, page_files::script_js, page_files::echarts_min_js}) {
    ASSERT_GT(part.size(), 1000U);
    EXPECT_NE(page.find(part), std::string::npos);
  }
  EXPECT_NE(page.find("Each bar spans [label, 2 × label)."), std::string::npos);
  EXPECT_EQ(page_files::page_html.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_EQ(page.find("{{title}}"), std::string::npos);
  EXPECT_EQ(page.find("{{data}}"), std::string::npos);
}

TEST(report_page, each_chart_has_its_data) {
  const json data = data_of({{"run.json", small_run()}}), &run = data["runs"][0];
  EXPECT_EQ(data["activities"].size(), activity_count);
  EXPECT_EQ(run["name"], "run.json");
  EXPECT_EQ(run["ns"][0], 1'600'000'001);
  EXPECT_EQ(run["workers"][1]["ns"][0], 800'000'001);
  EXPECT_EQ(run["workers"][1]["domain"], 1);
  EXPECT_EQ(run["pairs"][0], json({0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(run["counts"]["steals_by_distance"], json({2, 5}));
  EXPECT_EQ(run["steal_latency"]["counts"][10], 10);
  EXPECT_EQ(run["task_size"]["number"], 7);
  EXPECT_EQ(run["search_time"]["number"], 0);
  EXPECT_EQ(run["timeline"]["interval_ns"], 500);
  EXPECT_EQ(run["timeline"]["workers"][0].size(), 2 * activity_count);
  EXPECT_EQ(run["work_span"]["parallelism"], 4);
  EXPECT_EQ(run["work_span"]["sites"][0]["times"], 9);
  EXPECT_EQ(run["speedups"]["predicted"].size(), 4U);
  EXPECT_EQ(run["hardware"][0]["workers"][1][0], 12);
  EXPECT_EQ(run["simulated"]["nodes"][0]["bytes_written"], 8);
  EXPECT_TRUE(run["locks"].empty());
  EXPECT_EQ(run["notes"], json({"a note"}));
}

TEST(report_page, what_is_missing_is_null) {
  run_record run = small_run();
  run.work_span.reset();
  run.simulated.reset();
  const json data = data_of({{"run.json", run}})["runs"][0];
  EXPECT_TRUE(data["work_span"].is_null());
  EXPECT_TRUE(data["simulated"].is_null());
  EXPECT_TRUE(data["speedups"]["predicted"].empty());
}

TEST(report_page, two_runs_stand_in_their_order) {
  run_record other = small_run();
  other.program = "search";
  const json data = data_of({{"a.json", small_run()}, {"b.json", other}});
  EXPECT_EQ(data["runs"][0]["program"], "sort");
  EXPECT_EQ(data["runs"][1]["program"], "search");
}

TEST(timeline_shares, are_thousandths_of_an_interval) {
  const timeline_shares shares = shares_of(small_run().timeline);
  EXPECT_EQ(shares.workers[0][0], 1000);
  EXPECT_EQ(shares.workers[0][activity_count + static_cast<std::size_t>(activity::waiting)], 500);
  EXPECT_TRUE(shares.workers[1].empty());
}

TEST(timeline_shares, adjacent_intervals_are_merged_until_they_fit_a_screen) {
  timeline_record timeline{.interval_ns = 100, .workers = {{}}};
  for (int i = 0; i < 7; ++i) timeline.workers[0].push_back(activity_ns(activity::user, i % 2 ? 100 : 50));
  const timeline_shares shares = shares_of(timeline, 4);
  EXPECT_EQ(shares.interval_ns, 200U);
  ASSERT_EQ(shares.workers[0].size(), 4 * activity_count);
  EXPECT_EQ(shares.workers[0][0], 750);
  EXPECT_EQ(shares.workers[0][3 * activity_count], 250) << "the last interval is half as long";
}

TEST(speedups, are_bounded_by_work_and_span) {
  const speedups both = speedups_of(small_run());
  ASSERT_EQ(both.predicted.size(), 4U) << "the prediction reaches twice the number of workers";
  EXPECT_DOUBLE_EQ(both.predicted[0].at_most, 1);
  EXPECT_DOUBLE_EQ(both.predicted[0].at_least, 1);
  EXPECT_DOUBLE_EQ(both.predicted[3].at_most, 4);
  EXPECT_DOUBLE_EQ(both.predicted[3].at_least, 1000 / (500 / 4.0 + 500));
}

TEST(speedups, a_span_bounds_any_number_of_workers) {
  run_record run = small_run();
  run.work_span->span_ns = 500;
  EXPECT_DOUBLE_EQ(speedups_of(run).predicted[3].at_most, 2);
}

TEST(speedups, points_are_over_the_curve_s_own_run_on_one_worker) {
  run_record run = small_run();
  run.curve = {{4, 1.0}, {1, 3.0}, {2, 1.6}};
  const speedups both = speedups_of(run);
  ASSERT_EQ(both.measured.size(), 3U);
  EXPECT_EQ(both.measured[2].workers, 4U);
  EXPECT_DOUBLE_EQ(both.measured[2].speedup, 3);
}

TEST(speedups, a_baseline_on_one_worker_is_a_point) {
  run_record run = small_run();
  const std::size_t alone = speedups_of(run).measured.size();
  EXPECT_EQ(alone, 1U);  // an estimate is not a point of the curve
  run.baseline = baseline_record{.seconds = 3, .parallel_seconds = 2};
  const speedups both = speedups_of(run);
  ASSERT_EQ(both.measured.size(), 2U);
  EXPECT_EQ(both.measured[0].workers, 1U);
  EXPECT_EQ(both.measured[0].speedup, 1);
  EXPECT_EQ(both.measured[1].workers, 2U);
  EXPECT_EQ(both.measured[1].speedup, 1.5);
}

TEST(speedups, many_workers_have_a_limited_number_of_points) {
  run_record run = small_run();
  run.workers.resize(1000);
  const speedups both = speedups_of(run);
  EXPECT_LE(both.predicted.size(), 130U);
  EXPECT_EQ(both.predicted.front().workers, 1U);
  EXPECT_EQ(both.predicted.back().workers, 2000U);
}

}  // namespace
}  // namespace page_test
