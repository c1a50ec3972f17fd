// The numbers of a run, its predicted curve, and the format of numbers.
#include "report/summary.hpp"

#include <gtest/gtest.h>

#include "base/number_text.hpp"
#include "made_up_runs.hpp"
#include "report/lost_time.hpp"

namespace skua::reports::summary_test {
namespace {

using namespace base;

using made_up::give_timeline;
using made_up::give_work_span;
using made_up::run_of;
using observe::run_record;

TEST(Summary, IsEstimatedWithoutABaseline) {
  run_record run = run_of(8, {{activity::waiting, 0.2}, {activity::spawning, 0.05}});
  run.workers[0].counts.remote_steals = 48;
  const summary s = summarise(run);
  EXPECT_EQ(s.workers, 8u);
  EXPECT_FALSE(s.speedup_measured);
  EXPECT_NEAR(s.speedup, 6, 1e-6);
  EXPECT_NEAR(s.efficiency, 0.75, 1e-6);
  EXPECT_NEAR(s.library, 0.25, 1e-6);
  EXPECT_NEAR(s.unattributed, 0, 1e-6);
  EXPECT_NEAR(s.share[static_cast<std::size_t>(activity::waiting)], 0.2, 1e-6);
  EXPECT_NEAR(s.remote_share, 0.1, 1e-6);
  EXPECT_NEAR(s.miss_share, 0.4, 1e-6);
  EXPECT_EQ(s.work_inflation, 0);
}

TEST(Summary, UserTimeCountsWhereTheThreadHasACpu) {
  run_record run = run_of(2, {{activity::asleep, 0.75}});
  const auto all_ns = static_cast<std::uint64_t>(run.seconds * 1e9);
  // Each waits for a CPU most of the time: also after it was woken, which counts as asleep.
  for (auto& worker : run.workers) worker.kernel = {.on_cpu_ns = all_ns / 8, .waiting_ns = all_ns / 2};
  EXPECT_NEAR(summarise(run).speedup, 0.25, 1e-6);
  for (auto& worker : run.workers) worker.kernel = {.on_cpu_ns = 0, .waiting_ns = all_ns / 8};
  EXPECT_NEAR(summarise(run).speedup, 0.25, 1e-6);
}

TEST(Summary, IsMeasuredWithOne) {
  run_record run = run_of(4, {{activity::waiting, 0.1}});
  // Five runs of 20 ms each, and a run of 60 ms on one worker.
  run.baseline = observe::baseline_record{.seconds = 0.06, .parallel_seconds = 0.02};
  const summary s = summarise(run);
  EXPECT_TRUE(s.speedup_measured);
  EXPECT_NEAR(s.speedup, 3, 1e-6);
  EXPECT_NEAR(s.work_inflation, 4 * 0.9 * 0.02 / 0.06, 1e-6);
  run.baseline->parallel_seconds = 0;
  run.baseline->seconds = 0.3;
  EXPECT_NEAR(summarise(run).speedup, 3, 1e-6);
}

TEST(Summary, TimeOutsideIsReportedSeparately) {
  run_record run = run_of(2, {{activity::asleep, 0.75}});
  run.inside_seconds = run.seconds / 4;
  const summary s = summarise(run);
  EXPECT_NEAR(s.outside_seconds, 0.75 * run.seconds, 1e-9);
  EXPECT_NEAR(s.speedup, 2, 1e-6);  // only of the time inside
}

// A thread added tasks to a group, and the workers ran most of them before it waited.
TEST(Summary, TimeInWhichTasksRanIsInside) {
  run_record run = run_of(2, {{activity::asleep, 0.5}});
  run.inside_seconds = run.seconds / 100;
  const summary s = summarise(run);
  EXPECT_NEAR(s.outside_seconds, 0.5 * run.seconds, 1e-9);
  EXPECT_NEAR(s.speedup, 2, 1e-6);
}

TEST(Summary, MissingTimeIsUnattributed) {
  run_record run = run_of(4, {});
  for (auto& worker : run.workers) made_up::time_of(worker.times, activity::user) /= 2;
  EXPECT_NEAR(summarise(run).unattributed, 0.5, 1e-6);
}

TEST(Prediction, KnowsThatTheSameWorkTakesLonger) {
  run_record run = run_of(4, {});
  give_work_span(run, 1, 0.001, 0.001);
  run.baseline =
      observe::baseline_record{.seconds = run.inside_seconds * 2};  // all four compute twice as long
  ASSERT_NEAR(summarise(run).work_inflation, 2, 1e-6);
  for (const predicted_speedup& p : predict(run)) {
    const double alone = bounds_of(*run.work_span, p.workers).at_least;
    const double inflation = p.workers >= 4 ? 2 : 1 + static_cast<double>(p.workers - 1) / 3;
    EXPECT_NEAR(p.at_least, alone / inflation, 1e-6) << p.workers;
  }
}

TEST(Prediction, IsBetweenTheBounds) {
  run_record run = run_of(8, {});
  EXPECT_TRUE(predict(run).empty());
  give_work_span(run, 1, 0.5, 1);  // work is 16 times the span and 8 times the burdened span
  run.curve = {{.workers = 1, .seconds = 8}, {.workers = 3, .seconds = 4}};
  double before = 0;
  for (const predicted_speedup& p : predict(run)) {
    EXPECT_LE(p.at_least, p.at_most);
    EXPECT_LE(p.at_most, static_cast<double>(p.workers));
    EXPECT_LE(p.at_most, 16.001);
    EXPECT_GE(p.at_least, before);
    before = p.at_least;
    if (p.workers == 1) {
      EXPECT_NEAR(p.at_least, 1, 1e-6);
    }
    if (p.workers == 8) {
      EXPECT_NEAR(p.at_least, 1 / (7.0 / 8 / 8 + 1.0 / 8), 1e-6);
    }
    EXPECT_EQ(p.measured.has_value(), p.workers == 1 || p.workers == 3) << p.workers;
    if (p.workers == 3) {
      EXPECT_NEAR(*p.measured, 2, 1e-6);
    }
  }
  EXPECT_EQ(predict(run).back().workers, 16u);
}

TEST(Prediction, ABaselineIsAPointOfTheCurve) {
  run_record run = run_of(8, {});
  give_work_span(run, 1, 0.01);
  run.baseline = observe::baseline_record{.seconds = 0.5, .parallel_seconds = 0.1};
  for (const predicted_speedup& p : predict(run))
    if (p.workers == 8) {
      EXPECT_NEAR(p.measured.value_or(0), 5, 1e-6);
    }
}

TEST(LonelyTime, IsFoundInTheTimeline) {
  run_record run = run_of(8, {});
  EXPECT_EQ(find_few_busy_time(run).ns, 0);
  give_timeline(run, {0.4, 0.4, 0.4, 0.4, 1, 0.4, 0.4, 0.4});
  const few_busy_time lonely = find_few_busy_time(run);
  EXPECT_NEAR(lonely.ns, 0.6 * made_up::run_ns, 1);
  EXPECT_NEAR(lonely.longest_ns, 0.6 * made_up::run_ns, 1);
  EXPECT_NEAR(lonely.workers, 1, 1e-9);
  EXPECT_EQ(lonely.worker, 4u);
  EXPECT_TRUE(lonely.after_many_busy);
  give_timeline(run, {0, 0, 0, 0, 1, 0, 0, 0});
  EXPECT_FALSE(find_few_busy_time(run).after_many_busy);
}

TEST(Words, AreShort) {
  EXPECT_EQ(percent(0.384), "38%");
  EXPECT_EQ(percent(0.0042), "0.4%");
  EXPECT_EQ(percent(0.0004), "0.04%");
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.9979), "99.8%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(duration(0.07), "0.1 ns");
  EXPECT_EQ(duration(740), "740 ns");
  EXPECT_EQ(duration(1300), "1.3 us");
  EXPECT_EQ(duration(12e6), "12 ms");
  EXPECT_EQ(duration(2.5e9), "2.5 s");
  EXPECT_EQ(duration(999.9e3), "1.0 ms");
  EXPECT_EQ(amount_of_bytes(4.2e6), "4.2 MB");
  EXPECT_EQ(decimal(0.518), "0.52");
  EXPECT_EQ(decimal(12.34), "12.3");
  EXPECT_EQ(decimal(31'234), "31 234");
  EXPECT_EQ(count(12'345'678), "12 345 678");
  EXPECT_EQ(counted(1, "worker"), "1 worker");
  EXPECT_EQ(counted(8, "worker"), "8 workers");
}

}  // namespace
}  // namespace skua::reports::summary_test
