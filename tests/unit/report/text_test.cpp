// The report for a terminal: its content, and that no line is longer than 100 columns.
#include "report/text.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

#include "made_up_runs.hpp"
#include "report/lines.hpp"

namespace skua::reports::text_test {
namespace {

using made_up::give_work_span;
using made_up::run_of;
using observe::run_record;

/// A record with all optional parts and long names.
run_record full_record(std::size_t workers) {
  run_record run = run_of(workers, {{activity::waiting, 0.2}, {activity::claiming, 0.1}});
  run.program = "./program --with " + std::string(150, 'x') + " --and more";
  run.when = "2026-01-31 23:59:59";
  give_work_span(run, 0.7, 0.01, 0.02);
  run.work_span->sites.push_back(
      {.name = "void " + std::string(200, 'y') + "(int)", .kind = "loop", .span_ns = 5});
  run.curve = {{.workers = 1, .seconds = 1}, {.workers = 2, .seconds = 0.5}};
  run.pairs = {{.thief = 1, .victim = 0, .steals = 12, .misses = 3, .looks = 17, .bytes = 4096}};
  run.bytes_stolen = 4096;
  run.steal_latency.add(3000, 5);
  run.hardware = {{.event = "cycles", .workers = std::vector<observe::hardware_counts>(workers)}};
  run.hardware[0].workers[0].of[0] = 1234567;
  run.simulated = observe::simulated_record{};
  run.simulated->cycles = 99;
  run.simulated->nodes = {{.bytes_read = 640, .waiting_cycles = 8}};
  run.simulated->caches = {{.level = 2, .hits = 3}};
  run.simulated->transfers = {{.distance = "1 hop", .words = 1, .data = 2}};
  run.notes = {"forks are counted, not timed: " + std::string(120, 'z')};
  return run;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  std::size_t widest = 0;
  while (std::getline(lines, line)) {
    if (line.find("zzz") == std::string::npos &&
        line.find("xxx") == std::string::npos)  // words that cannot be broken
      widest = std::max(widest, line.size());
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  return widest;
}

TEST(ReportText, StealsHaveTheDeclaredBytesByDistance) {
  run_record run = full_record(4);
  EXPECT_EQ(to_text(run).find("declared data"), std::string::npos)
      << "the distances between the pairs are not known";
  run.workers[0].counts.steals_by_distance = {12, 3};
  run.pairs = {{.thief = 1, .victim = 0, .steals = 12, .bytes = 4096, .distance = 0},
               {.thief = 2, .victim = 0, .steals = 2, .bytes = 7000, .distance = 1},
               {.thief = 3, .victim = 0, .steals = 1, .bytes = 1000, .distance = 1}};
  const std::string text = to_text(run);
  EXPECT_NE(text.find("share  declared data\n"), std::string::npos) << text;
  EXPECT_NE(text.find("4.1 kB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("8.0 kB\n"), std::string::npos) << text;
  for (observe::pair_record& pair : run.pairs) pair.bytes = 0;
  EXPECT_EQ(to_text(run).find("declared data"), std::string::npos) << "no data are declared";
}

TEST(ReportText, WaitsForMutexesHaveTheirPlaces) {
  observe::run_record run = made_up::run_of(2, {});
  run.locks = {{.name = "add(int)",
                .address = "a+0x1",
                .times = 1200,
                .in_line = 7,
                .spun_ns = 5000,
                .waited_ns = 6000},
               {.name = "add(int)", .address = "a+0x2", .times = 1, .spun_ns = 10},
               {.name = "take()", .address = "a+0x3", .times = 1, .spun_ns = 10}};
  const std::string text = to_text(run);
  EXPECT_NE(text.find("Waits for skua::mutex"), std::string::npos) << text;
  EXPECT_NE(text.find("add(...) at a+0x1"), std::string::npos) << text;
  EXPECT_NE(text.find("1 200"), std::string::npos) << text;
  EXPECT_EQ(text.find("a+0x3"), std::string::npos) << text;
}

TEST(ReportText, CallsInOneLineAreOneRow) {
  observe::run_record run = made_up::run_of(2, {});
  give_work_span(run, 0.9, 0.5);
  const observe::call_site_record one{.name = "solve()",
                                      .address = "a+0x1",
                                      .file = "/a",
                                      .line = "a.cpp:7",
                                      .kind = "loop",
                                      .span_ns = 10,
                                      .work_ns = 20,
                                      .times = 3,
                                      .inside = 1,
                                      .calls = 2,
                                      .positions = 9,
                                      .min_positions = 4,
                                      .max_positions = 5};
  observe::call_site_record other = one, join = one, next = one, unknown = one;
  other.address = "a+0x2";
  other.span_ns = 15;
  other.min_positions = 2;
  join.kind = "join";
  join.span_ns = 20;
  next.line = "a.cpp:8";
  unknown.line = "";
  run.work_span->sites = {join, other, one, next, unknown, unknown};
  run.locks = {{.name = "add()", .address = "a+0x1", .line = "a.cpp:3", .times = 2, .waited_ns = 7},
               {.name = "add()", .address = "a+0x2", .line = "a.cpp:3", .times = 3, .spun_ns = 8},
               {.name = "add()", .address = "a+0x3", .line = "a.cpp:4", .times = 4}};
  merge_equal_lines(run);
  const auto& sites = run.work_span->sites;
  ASSERT_EQ(sites.size(), 5u) << "without a line, addresses tell call sites apart";
  EXPECT_EQ(sites[0].span_ns, 25u) << "it has more of the span than the join now";
  EXPECT_EQ(sites[0].work_ns, 40u);
  EXPECT_EQ(sites[0].times, 6u);
  EXPECT_EQ(sites[0].inside, 2u);
  EXPECT_EQ(sites[0].calls, 4u);
  EXPECT_EQ(sites[0].positions, 18u);
  EXPECT_EQ(sites[0].min_positions, 2u);
  EXPECT_EQ(sites[0].max_positions, 5u);
  EXPECT_EQ(sites[1].kind, "join");
  ASSERT_EQ(run.locks.size(), 2u);
  EXPECT_EQ(run.locks[0].times, 5u);
  EXPECT_EQ(run.locks[0].waited_ns + run.locks[0].spun_ns, 15u);
}

TEST(ReportText, HasEveryPart) {
  const std::string text = to_text(full_record(4));
  for (const char* part : {"./program",
                           "4 workers, policy nearest, on this machine",
                           "2026-01-31",
                           "package 1",
                           "speedup",
                           "efficiency",
                           "Time of all workers",
                           "0 on CPU 0",
                           "own queue",
                           "(all but user and asleep); unattributed: ",
                           "parallelism",
                           "Speedup that work",
                           "solve(...)",
                           "Steals",
                           "same domain",
                           "stolen task",
                           "busiest pairs: worker 1 stole 12 tasks from worker 0",
                           "4.1 kB",
                           "cycles",
                           "1 234 567",
                           "Simulated machine",
                           "1 hop",
                           "Notes",
                           "waiting for one"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(ReportText, CountsInSingularAndPlural) {
  const auto text_with = [](std::uint64_t n) {
    run_record run = run_of(1, {});
    run.workers[0].counts = {.forks = n,
                             .group_tasks = n,
                             .attempts = n,
                             .steals = n,
                             .suspensions = n,
                             .sleeps = n,
                             .steals_by_distance = {n, 0}};
    give_work_span(run, 0.7, 0.01, 0.02);
    run.work_span->forks = run.work_span->loops = run.work_span->group_tasks = n;
    run.workers[0].kernel->preemptions = n;
    run.pairs = {{.thief = 0, .victim = 0, .steals = n, .looks = n}};
    std::string text = to_text(run);
    for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;)
      text.replace(at, 3, " ");  // lines may break anywhere
    return text;
  };
  const auto expect_in = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  for (const auto& [n, s] : {std::pair{1u, ""}, std::pair{2u, "s"}, std::pair{1001u, "s"}}) {
    const std::string number = n == 1001 ? "1 001" : std::to_string(n), text = text_with(n);
    const auto counted = [&, plural = s](const std::string& noun) { return number + " " + noun + plural; };
    expect_in(text, "Steals " + counted("steal") + " in " + counted("attempt") + ", ");
    expect_in(text, " from another domain; " + counted("fork") + ", " + counted("group task") + ", " +
                        counted("suspension") + ", " + counted("sleep") + " ");
    expect_in(text, " " + counted("fork") + ", " + counted("loop") + ", " + counted("group task") + "\n");
    expect_in(text, " blocked in tasks, " + counted("preemption") + "\n");
    expect_in(text, " the policy looked at other workers " + counted("time") + " ");
  }
}

TEST(ReportText, IsNoWiderThan100Columns) {
  for (const std::size_t workers : {1, 16, 64}) {
    const run_record run = full_record(workers);
    EXPECT_LE(widest_line(to_text(run, {.workers = true})), columns);
    EXPECT_LE(widest_line(to_text(run, run)), columns);
  }
}

TEST(ReportText, ManyWorkersAreListedWhenAskedFor) {
  EXPECT_EQ(to_text(full_record(64)).find("63 on CPU 63"), std::string::npos);
  EXPECT_NE(to_text(full_record(64), {.workers = true}).find("63 on CPU 63"), std::string::npos);
  EXPECT_NE(to_text(full_record(16)).find("15 on CPU 15"), std::string::npos);
}

// Even if 8 workers are never idle, a ninth of the virtual threads' time may be sleep: that of the thread that called.
TEST(ReportText, ASimulatedRunSaysThatItsTimesIncludeTheCaller) {
  run_record run = full_record(4);
  run.simulated->times.computing = run.simulated->times.asleep = 7;
  EXPECT_NE(to_text(run).find("and of the caller (asleep while another runs its worker): computing 50.0%,"),
            std::string::npos);
  run.simulated->times = {};
  EXPECT_EQ(to_text(run).find("of the caller"), std::string::npos);
}

TEST(ReportText, NoSingleLineOfTheMachineIsLeftOut) {
  run_record run = full_record(4);
  const auto tree_of = [&run](std::size_t lines) {
    run.machine.tree.clear();
    for (std::size_t i = 0; i < lines; ++i) run.machine.tree += "core " + std::to_string(i) + "\n";
    return to_text(run);
  };
  EXPECT_NE(tree_of(25).find("  core 24\n"), std::string::npos);
  EXPECT_EQ(tree_of(25).find("... and"), std::string::npos);
  EXPECT_NE(tree_of(26).find("  core 23\n  ... and 2 more lines\n"), std::string::npos);
}

TEST(ReportText, TwoRunsAreSideBySide) {
  run_record one = full_record(4), other = full_record(8);
  other.inside_seconds = other.seconds = one.seconds / 2;
  const std::string text = to_text(one, other);
  EXPECT_NE(text.find("B / A"), std::string::npos);
  EXPECT_NE(text.find("100 ms   50 ms   0.50"), std::string::npos) << text;
}

std::string line_with(const std::string& part, const std::string& text) {
  const std::size_t at = text.find(part);
  return at == std::string::npos ? "no " + part + " in\n" + text : text.substr(at, text.find('\n', at) - at);
}

// The text may compare two estimates or two measurements, but not an estimate with a measurement.
TEST(ReportText, ComparedSpeedupsSayWhetherTheyWereMeasured) {
  const run_record estimated = run_of(4, {});
  run_record measured = estimated;
  measured.baseline = observe::baseline_record{.seconds = 0.2, .parallel_seconds = 0.1};
  EXPECT_EQ(line_with("speedup", to_text(estimated, estimated)).substr(0, 19), "speedup, estimated ");
  EXPECT_EQ(line_with("speedup", to_text(measured, measured)).substr(0, 18), "speedup, measured ");
  const std::string mixed = to_text(measured, estimated);
  EXPECT_NE(line_with("speedup ", mixed).find(" 2.00, measured  4.00, estimated      -"), std::string::npos)
      << mixed;
  EXPECT_TRUE(line_with("efficiency ", mixed).ends_with(" 50%             100%      -")) << mixed;
}

TEST(ReportText, AnUnmeasuredInflationIsUnknownInAComparison) {
  const run_record estimated = run_of(4, {});
  run_record measured = estimated;
  measured.baseline = observe::baseline_record{.seconds = 0.2, .parallel_seconds = 0.1};
  EXPECT_NE(line_with("work inflation", to_text(measured, estimated)).find(" 2.00        not known      -"),
            std::string::npos)
      << to_text(measured, estimated);
  EXPECT_EQ(to_text(estimated, estimated).find("work inflation"), std::string::npos);
}

TEST(Lines, AreWrappedAndShortened) {
  EXPECT_EQ(wrapped("a b", 4, "- "), "  - a b\n");
  EXPECT_EQ(wrapped("", 0), "\n");
  const std::string two = wrapped(std::string(60, 'a') + " " + std::string(60, 'b'), 2);
  EXPECT_EQ(two, "  " + std::string(60, 'a') + "\n  " + std::string(60, 'b') + "\n");
  EXPECT_EQ(wrapped(std::string(150, 'c'), 2),
            "  " + std::string(98, 'c') + "\n  " + std::string(52, 'c') + "\n");
  EXPECT_EQ(shortened("abcdefghij", 7), "ab...ij");
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(table({{"a", "1"}, {"long", "22"}}), "  a      1\n  long  22\n");
}

TEST(PlaceName, ArgumentsNeedNotBeRead) {
  EXPECT_EQ(without_arguments("a::solve(double, std::span<int, 3>) const"), "a::solve(...) const");
  EXPECT_EQ(without_arguments("(anonymous namespace)::f(g(*)(int)) at program+0x12"),
            "f(...) at program+0x12");
  EXPECT_EQ(without_arguments("f()"), "f()");
  EXPECT_EQ(without_arguments("a::(anonymous namespace)::f"), "a::f");
  EXPECT_EQ(without_arguments("main"), "main");
}

}  // namespace
}  // namespace skua::reports::text_test
