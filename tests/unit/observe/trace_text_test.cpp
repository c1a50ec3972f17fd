// Conversion of events to the Trace Event Format: how each event is shown.
#include "observe/trace_text.hpp"

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace skua::observe::trace_text_test {
namespace {

using nlohmann::json;

trace_event at(std::uint64_t ticks, trace_kind kind, std::uint64_t name = 0) { return {ticks, name, kind}; }

traced_run some_run() {
  traced_run run{.name = "a \"run\""};
  run.workers = {{.name = "worker 0"}, {.name = "worker 1"}};
  run.began = 1000;
  run.ended = 9000;
  run.ns_a_tick = 0.5;
  run.spans = {"span", "assembly"};
  run.name_of_code = [](std::uint64_t code) { return "code " + std::to_string(code); };
  run.messages = {"UPDATE", "STEAL"};
  return run;
}

json events(const traced_run& run) { return json::parse(trace_file({trace_events(run, 7)}))["traceEvents"]; }

json of_phase(const json& all, const std::string& phase, const std::string& category = "") {
  json some = json::array();
  for (const json& e : all)
    if (e["ph"] == phase && (category.empty() || e["cat"] == category)) some.push_back(e);
  return some;
}

TEST(TraceText, NamesLines) {
  const json names = of_phase(events(some_run()), "M");
  EXPECT_EQ(names[0]["args"]["name"], "a \"run\"");
  EXPECT_EQ(names[1]["args"]["name"], "worker 0");
  EXPECT_EQ(names[2]["args"]["name"], "worker 0: scheduler");
  for (const json& e : names) EXPECT_EQ(e["pid"], 7);
}

TEST(TraceText, OneEventEndsATaskAndBeginsTheNext) {
  traced_run run = some_run();
  run.workers[0].events = {at(2000, trace_kind::call),    at(3000, trace_kind::task, 5),
                           at(4000, trace_kind::next, 6), at(4600, trace_kind::next, 7),
                           at(5000, trace_kind::end),     at(7000, trace_kind::end)};
  const json tasks = of_phase(events(run), "X", "task");
  ASSERT_EQ(tasks.size(), 3u);
  const char* const names[] = {"code 5", "code 6", "code 7"};
  const double begins[] = {1, 1.5, 1.8}, ends[] = {1.5, 1.8, 2};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(tasks[i]["name"], names[i]);
    EXPECT_DOUBLE_EQ(tasks[i]["ts"], begins[i]);
    EXPECT_DOUBLE_EQ(tasks[i]["ts"].get<double>() + tasks[i]["dur"].get<double>(), ends[i]);
  }
}

// After a loss, the previous task may be unknown. The event then still begins a task.
TEST(TraceText, ANextTaskWithoutAPreviousOne) {
  traced_run run = some_run();
  run.workers[0].events = {at(3000, trace_kind::next, 6), at(4000, trace_kind::end)};
  const json tasks = of_phase(events(run), "X", "task");
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0]["name"], "code 6");
}

TEST(TraceText, SlicesInsideSlices) {
  traced_run run = some_run();
  run.workers[0].events = {at(2000, trace_kind::call),    at(3000, trace_kind::span, 1),
                           at(4000, trace_kind::task, 5), at(5000, trace_kind::end),
                           at(6000, trace_kind::end),     at(7000, trace_kind::end)};
  const json slices = of_phase(events(run), "X");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0]["name"], "call from outside");
  EXPECT_EQ(slices[0]["cat"], "call");
  EXPECT_EQ(slices[1]["name"], "assembly");
  EXPECT_EQ(slices[1]["dur"], 1.5);
  EXPECT_EQ(slices[2]["name"], "code 5");
  EXPECT_EQ(slices[2]["ts"], 1.5);
  EXPECT_EQ(slices[2]["dur"], 0.5);
}

// Slices that begin at the same time are nested in the order of the file.
TEST(TraceText, ASliceIsInsideAnEarlierOneThatBeginsAtTheSameTime) {
  traced_run run = some_run();
  run.workers[0].events = {at(2000, trace_kind::call), at(2000, trace_kind::span, 1),
                           at(5000, trace_kind::end), at(6000, trace_kind::end)};
  const json slices = of_phase(events(run), "X");
  ASSERT_EQ(slices.size(), 2u);
  EXPECT_EQ(slices[0]["name"], "call from outside");
  EXPECT_EQ(slices[1]["name"], "assembly");
}

// The ends must be equal to the nanosecond: Perfetto drops a slice that begins before the previous one has ended.
TEST(TraceText, SlicesThatEndAtTheSameTimeHaveEqualEnds) {
  traced_run run = some_run();
  run.ns_a_tick = 0.3;
  for (std::uint64_t t = 1000; t < 1200; t += 7) {
    run.workers[0].events.push_back(at(t, trace_kind::task, 1));
    run.workers[0].events.push_back(at(t + 1 + t % 5, trace_kind::task, 2));
    run.workers[0].events.push_back(at(t + 7, trace_kind::end));
    run.workers[0].events.push_back(at(t + 7, trace_kind::end));
  }
  const auto ns = [](const json& number) { return std::llround(number.get<double>() * 1000); };
  const json slices = of_phase(events(run), "X");
  ASSERT_GT(slices.size(), 50u);
  for (std::size_t i = 0; i + 2 < slices.size(); i += 2) {
    EXPECT_EQ(ns(slices[i]["ts"]) + ns(slices[i]["dur"]), ns(slices[i + 1]["ts"]) + ns(slices[i + 1]["dur"]));
    EXPECT_EQ(ns(slices[i]["ts"]) + ns(slices[i]["dur"]), ns(slices[i + 2]["ts"]));
  }
}

// For Perfetto, thread 0 is the idle thread of the machine, which has no process and no name.
TEST(TraceText, NoThreadIsThread0) {
  for (const json& e : events(some_run())) EXPECT_GT(e["tid"], 0);
}

TEST(TraceText, OpenSlicesEndWithTheRun) {
  traced_run run = some_run();
  run.workers[1].events = {at(5000, trace_kind::task, 1),
                           at(6000, trace_kind::state, static_cast<std::uint64_t>(trace_state::asleep))};
  const json all = events(run), tasks = of_phase(all, "X", "task"), states = of_phase(all, "X", "state");
  EXPECT_EQ(tasks[0]["dur"], 2.0);
  EXPECT_EQ(states[0]["name"], "asleep");
  EXPECT_EQ(states[0]["dur"], 1.5);
  EXPECT_EQ(tasks[0]["tid"], 3);
  EXPECT_EQ(states[0]["tid"], 4);
}

// Otherwise a short call would be shown until the end of the run.
TEST(TraceText, AfterLostEventsOpenSlicesEndWithTheLastEvent) {
  traced_run run = some_run();
  run.workers[0].events = {at(2000, trace_kind::call), at(3000, trace_kind::span, 1),
                           at(3000, trace_kind::state, static_cast<std::uint64_t>(trace_state::searching)),
                           at(4000, trace_kind::end)};
  run.workers[0].lost = 1;
  const json all = events(run), states = of_phase(all, "X", "state");
  EXPECT_EQ(of_phase(all, "X", "call")[0]["dur"], 1.0);
  ASSERT_EQ(states.size(), 1u);
  EXPECT_EQ(states[0]["dur"], 0.5);
}

TEST(TraceText, AnEndWithoutABeginningIsIgnored) {
  traced_run run = some_run();
  run.workers[0].events = {at(2000, trace_kind::end), at(2500, trace_kind::task, 1),
                           at(3000, trace_kind::end)};
  EXPECT_EQ(of_phase(events(run), "X").size(), 1u);
}

TEST(TraceText, AStealIsAnArrow) {
  traced_run run = some_run();
  run.workers[1].events = {at(3000, trace_kind::steal, 0), at(3400, trace_kind::task, 2),
                           at(4000, trace_kind::end), at(4400, trace_kind::task, 3),
                           at(5000, trace_kind::end)};
  const json all = events(run), from = of_phase(all, "s"), to = of_phase(all, "f");
  ASSERT_EQ(from.size(), 1u);  // the second task was not stolen
  ASSERT_EQ(to.size(), 1u);
  EXPECT_EQ(from[0]["id"], to[0]["id"]);
  EXPECT_TRUE(from[0]["id"].is_number_unsigned()) << "Perfetto drops arrows whose id is not a number";
  EXPECT_EQ(from[0]["tid"], 1);
  EXPECT_EQ(to[0]["tid"], 3);
  EXPECT_EQ(from[0]["ts"], 1.0);
  EXPECT_EQ(to[0]["ts"], 1.2);
  EXPECT_EQ(to[0]["bp"], "e");
  EXPECT_EQ(of_phase(all, "X", "steal")[0]["dur"], 0.0);
}

TEST(TraceText, MessagesNameSenderAndReceiver) {
  traced_run run = some_run();
  const trace_message sent{.type = 1, .from_height = 2, .to_height = 0, .from = 3, .to = 4095};
  run.workers[0].events = {at(2000, trace_kind::message, sent.pack())};
  const json messages = of_phase(events(run), "i");
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0]["name"], "STEAL");
  EXPECT_EQ(messages[0]["args"]["from"], "manager 2.3");
  EXPECT_EQ(messages[0]["args"]["to"], "worker 4095");
}

TEST(TraceText, TimesNeverGoBackEvenIfTheClockDoes) {
  traced_run run = some_run();
  run.workers[0].events = {at(4000, trace_kind::task, 1), at(3990, trace_kind::task, 2),
                           at(3995, trace_kind::end), at(5000, trace_kind::end)};
  for (const json& e : of_phase(events(run), "X")) {
    EXPECT_GE(e["ts"], 1.5);
    EXPECT_GE(e["dur"], 0);
  }
}

TEST(TraceText, ReportsEventsWithoutRoom) {
  traced_run run = some_run();
  run.workers[1].lost = 12;
  EXPECT_EQ(of_phase(events(run), "M")[5]["args"]["name"],
            "worker 1 (12 later events had no room: SKUA_TRACE_EVENTS)");
}

TEST(TraceText, SeveralRunsInAFile) {
  const traced_run run = some_run();
  const json all = json::parse(trace_file({trace_events(run, 1), trace_events(run, 2)}))["traceEvents"];
  EXPECT_EQ(of_phase(all, "M").front()["pid"], 1);
  EXPECT_EQ(of_phase(all, "M").back()["pid"], 2);
}

TEST(TraceText, ArrowsOfSeveralRunsHaveDifferentNumbers) {
  traced_run run = some_run();
  run.workers[1].events = {at(3000, trace_kind::steal, 0), at(3400, trace_kind::task, 2),
                           at(4000, trace_kind::end)};
  const json all = json::parse(trace_file({trace_events(run, 1), trace_events(run, 2)}))["traceEvents"];
  const json from = of_phase(all, "s");
  ASSERT_EQ(from.size(), 2u);
  EXPECT_NE(from[0]["id"], from[1]["id"]);
}

}  // namespace
}  // namespace skua::observe::trace_text_test
