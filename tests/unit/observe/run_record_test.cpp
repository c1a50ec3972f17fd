// The record of a run. A written record can be read again. Any other text is refused with one sentence.
#include "observe/run_record.hpp"

#include <gtest/gtest.h>

#include <skua/topology.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "observe/distribution.hpp"

namespace skua::observe::run_record_test {
namespace {

run_record some_record() {
  run_record r;
  r.program = "./a.out --fast";
  r.policy = "nearest";
  r.seed = 18446744073709551615u;
  r.machine = {.source = "m", .simulated = true, .domains = 2, .distance_names = {"same L3", "package"}};
  r.seconds = 0.25;
  r.workers.resize(2);
  r.workers[1].times.ns[static_cast<std::size_t>(activity::own_queue)] = 7;
  r.workers[1].counts.steals = 3;
  r.workers[1].kernel = kernel_record{.on_cpu_ns = 5, .preemptions = 2};
  r.pairs = {{.thief = 1, .victim = 0, .steals = 3, .bytes = 4096, .distance = 1}};
  r.task_size.add(1000, 3);
  r.timeline = {.interval_ns = 100, .workers = {{worker_times{}}, {worker_times{}}}};
  r.timeline.workers[0][0].ns[0] = 99;
  r.work_span =
      work_span_record{.work_ns = 100, .span_ns = 40, .sites = {{.name = "fib(long)", .span_ns = 40}}};
  r.hardware = {{.event = "cycles", .workers = {{}, {}}}};
  r.hardware[0].workers[1].of[0] = 11;
  r.simulated = simulated_record{.cycles = 12, .caches = {{.level = 1, .hits = 3}}};
  r.notes = {"one"};
  return r;
}

TEST(RunRecord, AWrittenRecordCanBeRead) {
  const run_record wrote = some_record();
  const run_record read = read_run_record(to_json(wrote));
  EXPECT_EQ(to_json(read), to_json(wrote));
  EXPECT_EQ(read.seed, wrote.seed);
  EXPECT_EQ(read.workers[1].times.of(activity::own_queue), 7u);
  ASSERT_TRUE(read.workers[1].kernel);
  EXPECT_EQ(read.workers[1].kernel->preemptions, 2u);
  EXPECT_FALSE(read.workers[0].kernel);
  EXPECT_EQ(read.task_size, wrote.task_size);
  ASSERT_TRUE(read.work_span);
  EXPECT_EQ(read.work_span->sites.at(0).name, "fib(long)");
  EXPECT_DOUBLE_EQ(read.work_span->parallelism(), 2.5);
  EXPECT_EQ(read.pairs[0].distance, 1u);
  EXPECT_FALSE(read.baseline);
  EXPECT_EQ(read.total_times().sum(), 7u);
  EXPECT_EQ(read.total_counts().steals, 3u);
}

TEST(RunRecord, OldNamesOfTheExtremesCanBeRead) {
  const std::string wrote = to_json(some_record());
  std::string old = wrote;
  for (const auto& [now, before] :
       {std::pair{"\"min\":", "\"least\":"}, std::pair{"\"max\":", "\"most\":"}}) {
    ASSERT_NE(old.find(now), std::string::npos);
    for (std::size_t at; (at = old.find(now)) != std::string::npos;)
      old.replace(at, std::string_view(now).size(), before);
  }
  EXPECT_EQ(to_json(read_run_record(old)), wrote);
}

std::string refusal(std::string_view text) {
  try {
    read_run_record(text, "x.json");
    return "";
  } catch (const bad_input& said) {
    return said.what();
  }
}

TEST(RunRecord, OtherTextsAreRefused) {
  EXPECT_NE(refusal("").find("x.json is not a report: it is not JSON"), std::string::npos);
  EXPECT_NE(refusal("{}").find("it has no format"), std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 9"})").find("'skua report 9', not 'skua report 1'"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 1", "workers": []})").find("no workers"), std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 1", "workers": 3})").find("not a report"), std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 1", "workers": [{"times": {"user": "9"}}]})")
                .find("its workers[0].times.user is a text, not a number of 0 or more"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 1", "workers": [{}], "seconds": -2})")
                .find("its seconds is -2, not a number of 0 or more"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"format": "skua report 1", "workers": [{}], "machine": null})")
                .find("its machine is null, not an object"),
            std::string::npos);
  EXPECT_EQ(
      refusal(
          R"({"format": "skua report 1", "workers": [{"kernel": null}], "work_span": null, "of_others": -1})"),
      "");
  run_record far = some_record();
  far.pairs[0].distance = 2;
  EXPECT_NE(refusal(to_json(far)).find("distance 2 of 2"), std::string::npos);
  run_record wrong = some_record();
  wrong.pairs[0].victim = 2;
  EXPECT_NE(refusal(to_json(wrong)).find("worker 2 of 2"), std::string::npos);
}

TEST(RunRecord, WithTheOldNameOfWorkAndSpanCanBeRead) {
  std::string old = to_json(some_record());
  const std::string name = "\"work_span\": {";
  old.replace(old.find(name), name.size(), "\"structure\": {");
  ASSERT_TRUE(read_run_record(old).work_span);
  EXPECT_EQ(to_json(read_run_record(old)), to_json(some_record()));
  const std::string member = "\"forks\": ";
  old.insert(old.find(member) + member.size(), "-1");
  EXPECT_THROW(read_run_record(old), bad_input) << old;
}

TEST(Distribution, CountsByPowersOfTwo) {
  distribution d;
  EXPECT_EQ(d.quantile(0.5), 0);
  for (std::uint64_t v : {0, 1, 2, 3, 1000, 1023, 1024}) d.add(v);
  EXPECT_EQ(d.counts[0], 1u);
  EXPECT_EQ(d.counts[1], 1u);
  EXPECT_EQ(d.counts[2], 2u);
  EXPECT_EQ(d.counts[10], 2u);
  EXPECT_EQ(d.counts[11], 1u);
  EXPECT_EQ(d.min, 0u);
  EXPECT_EQ(d.max, 1024u);
  EXPECT_EQ(d.quantile(1), 1024);
  EXPECT_LE(d.quantile(0.5), 4);
  distribution twice = d;
  twice += d;
  EXPECT_EQ(twice.number, 14u);
  EXPECT_EQ(twice.sum, 2 * d.sum);
}

TEST(Distribution, TheLongestHasAClass) {
  distribution d;
  d.add(~std::uint64_t{0});
  EXPECT_EQ(d.counts[distribution::classes - 1], 1u);
  EXPECT_EQ(d.quantile(0.5), static_cast<double>(~std::uint64_t{0}));
}

TEST(KeptDistribution, IsReadInOtherUnits) {
  kept_distribution kept;
  for (int i = 0; i < 100; ++i) kept.add(3000);
  const distribution same = kept.read();
  EXPECT_EQ(same.number, 100u);
  EXPECT_EQ(same.min, 3000u);
  const distribution half = kept.read(0.5);
  EXPECT_EQ(half.sum, 150'000u);
  EXPECT_EQ(half.max, 1500u);
  EXPECT_EQ(half.counts[distribution::class_of(1500)], 100u);
  kept.clear();
  EXPECT_EQ(kept.read().number, 0u);
}

// 600 is in the class from 512 to 1023. Its middle, 768, is then in the class from 1024 to 2047.
TEST(KeptDistribution, NoQuantileExceedsTheMaximumInOtherUnits) {
  kept_distribution kept;
  for (int i = 0; i < 100; ++i) kept.add(600);
  const distribution read = kept.read(1.4);
  EXPECT_EQ(read.max, 840u);
  for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) EXPECT_EQ(read.quantile(share), 840) << share;
}

}  // namespace
}  // namespace skua::observe::run_record_test
