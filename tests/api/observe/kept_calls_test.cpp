// Calls of an external thread that keeps its worker between them (core/record/call_row.hpp), in reports and traces.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <skua/skua.hpp>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/in_child.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace kept_calls_test {
namespace {

using nlohmann::json;
using std::chrono::microseconds;

void spin_for(microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

json report_of(const skua::scheduler& pool) { return json::parse(pool.report_json()); }

std::uint64_t sum_of(const json& report, const char* activity) {
  std::uint64_t ns = 0;
  for (const json& w : report["workers"]) ns += w["times"][activity].get<std::uint64_t>();
  return ns;
}

bool between(double low, double value, double high) { return low <= value && value <= high; }

enum class finding { disturbed, right, wrong };

/// Calls with pauses between them, all of the same length: whether each part of the report says so.
finding tell_apart(skua::scheduler& pool, microseconds call, microseconds pause, json& told) {
  constexpr int calls = 500;
  pool.reset_report();
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) {
    pool.run([&] { spin_for(call); });
    spin_for(pause);
  }
  const double all_ns = 1e9 * seconds_since(began);
  told = report_of(pool);
  const double inside_ns = 1e3 * calls * static_cast<double>(call.count());
  const double pauses_ns = 1e3 * calls * static_cast<double>(pause.count());
  // What other programs took may be anywhere.
  const double lost_ns = all_ns - inside_ns - pauses_ns;
  if (lost_ns > 0.3 * pauses_ns) return finding::disturbed;
  const double low = 0.9 * inside_ns, high = 1.1 * inside_ns + lost_ns;
  const json& worker = told["workers"][0];
  const bool right =
      between(low, static_cast<double>(sum_of(told, "user")), high) &&
      between(low, 1e9 * told["inside_seconds"].get<double>(), high) &&
      between(low, told["work_span"]["work_ns"].get<double>(), high) &&
      between(low, told["work_span"]["span_ns"].get<double>(), high) &&
      (worker["kernel"].is_null() ||
       (worker["kernel"]["on_cpu_ns"].get<double>() <= high &&
        low <= worker["kernel"]["on_cpu_ns"].get<double>() + worker["kernel"]["waiting_ns"].get<double>()));
  return right ? finding::right : finding::wrong;
}

TEST(kept_calls, are_told_apart_from_the_time_between_them) {
  skua::scheduler pool({.workers = 1, .keep_report = true});
  json told;
  int judged = 0;
  for (const auto& [call, pause] : {std::pair{20, 30}, {100, 90}, {20, 30}, {100, 90}}) {
    finding found = finding::disturbed;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(under_sanitizer ? 500 : 2000);
    while (found == finding::disturbed && std::chrono::steady_clock::now() < end)
      found = tell_apart(pool, microseconds(call), microseconds(pause), told);
    judged += found != finding::disturbed;
    EXPECT_NE(found, finding::wrong) << call << " " << pause << told["workers"] << told["inside_seconds"]
                                     << told["work_span"]["work_ns"] << " " << told["work_span"]["span_ns"];
  }
  if (judged == 0) GTEST_SKIP() << "other programs had the CPUs";
}

/// Runs a program that makes its calls from main, at the default scheduler with one worker.
template <class F>
void run_program(F program) {
  setenv("SKUA_WORKERS", "1", 1);
  const child_result ended = in_child([&]() -> int {
    program();
    std::exit(0);  // writes the report
  });
  unsetenv("SKUA_WORKERS");
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
}

/// Its report.
template <class F>
json report_of_program(F program) {
  const std::string file = testing::TempDir() + "skua_calls_" + std::to_string(getpid()) + ".json";
  setenv("SKUA_REPORT", file.c_str(), 1);
  run_program(program);
  unsetenv("SKUA_REPORT");
  std::ifstream from(file);
  json report = json::parse(from);
  std::remove(file.c_str());
  return report;
}

/// A number that a program says to the process that has started it.
class said_number {
 public:
  said_number() : file_(testing::TempDir() + "skua_said_" + std::to_string(getpid())) {}
  ~said_number() { std::remove(file_.c_str()); }
  said_number(const said_number&) = delete;
  said_number& operator=(const said_number&) = delete;

  void say(double value) const { std::ofstream(file_) << value; }
  double value() const {
    double value = 0;
    std::ifstream(file_) >> value;
    return value;
  }

 private:
  std::string file_;
};

/// One call site, whatever the call does.
[[gnu::noinline]] void call(microseconds time) {
  skua::join([] {}, [&] { spin_for(time); });
}

std::uint64_t times_of(const json& report, const char* kind) {
  std::uint64_t times = 0;
  for (const json& site : report["work_span"]["sites"])
    if (site["kind"] == kind) times += site["times"].get<std::uint64_t>();
  return times;
}

// Of short calls only one of sixteen is measured. The others count, and pauses between them do not.
TEST(kept_calls, that_are_not_measured_are_counted_and_told_apart_from_pauses) {
  constexpr int rounds = 60, calls = 100;
  constexpr double pauses_ns = rounds * 500e3;
  const said_number calls_ns;
  double fewest_ns = 1e18;                                      // of the pauses that count as calls
  for (int i = 0; i < 5 && fewest_ns > 0.3 * pauses_ns; ++i) {  // the own thread may get no CPU
    const json told = report_of_program([&] {
      double inside = 0;
      for (int round = 0; round < rounds; ++round) {
        const auto began = std::chrono::steady_clock::now();
        for (int k = 0; k < calls; ++k) call(microseconds(0));
        inside += seconds_since(began);
        spin_for(microseconds(500));
      }
      calls_ns.say(1e9 * inside);
    });
    EXPECT_EQ(told["work_span"]["forks"], rounds * calls);
    EXPECT_EQ(times_of(told, "join"), static_cast<std::uint64_t>(rounds * calls));
    fewest_ns = std::min(fewest_ns, static_cast<double>(sum_of(told, "user")) - calls_ns.value());
  }
  EXPECT_LE(fewest_ns, 0.3 * pauses_ns);
}

TEST(kept_calls, that_are_short_are_noted_in_the_report) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "its calls are not short";
  bool noted = false;
  for (int i = 0; i < 20 && !noted; ++i) {  // other programs may take the CPU
    const json told = report_of_program([] {
      for (int k = 0; k < 10'000; ++k) skua::join([] {}, [] {});
    });
    noted = told["notes"].dump().find("calls from outside of tasks took") != std::string::npos;
  }
  EXPECT_TRUE(noted);
}

// Each call forks, and inside of that fork runs a loop.
TEST(kept_calls, that_are_not_measured_count_their_loops) {
  const json told = report_of_program([] {
    for (int i = 0; i < 10'000; ++i) skua::join([] { skua::parallel_for(0, 2, [](int) {}); }, [] {});
  });
  EXPECT_EQ(told["work_span"]["loops"], 10'000);
  EXPECT_EQ(told["work_span"]["forks"], 10'000);
  EXPECT_EQ(times_of(told, "join"), 10'000u);
}

/// How many times as long a call takes with a report. Tries again while that is more than `enough`.
template <class Call>
double cost_of_report(Call call, double enough) {
  const said_number ms;
  const auto shortest_ms = [&](auto run) {  // of many samples, as other programs may take the CPU
    run([&] {
      double shortest = 1e9;
      for (int sample = 0; sample < 50; ++sample) {
        const auto began = std::chrono::steady_clock::now();
        for (int i = 0; i < 20'000; ++i) call();
        shortest = std::min(shortest, 1e3 * seconds_since(began));
      }
      ms.say(shortest);
    });
    return ms.value();
  };
  double with = 1e9, without = 1e9;
  for (int i = 0; i < 10 && (i == 0 || with > enough * without); ++i) {
    without = std::min(without, shortest_ms([](auto program) { run_program(program); }));
    with = std::min(with, shortest_ms([](auto program) { report_of_program(program); }));
  }
  return with / without;
}

// A join of two empty callables takes 17 ns, and a loop of two positions twice as long. Measuring each call would make the join five
// times as long, and the loop three times.
TEST(kept_calls, that_are_short_take_little_longer_with_a_report) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "its calls are not short";
  EXPECT_LE(cost_of_report([] { skua::join([] {}, [] {}); }, 3), 3);
  EXPECT_LE(cost_of_report([] { skua::parallel_for(0, 2, [](int) {}); }, 2.2), 2.2);
}

// A long call that was not to be measured is noticed: the worker's own thread has looked meanwhile.
TEST(kept_calls, a_long_one_among_short_ones_is_measured) {
  double longest_ns = 0;
  for (int i = 0; i < 5 && longest_ns < 70e6; ++i) {  // the own thread may get no CPU
    const json told = report_of_program([] {
      for (int round = 0; round < 16; ++round) {  // each position in a sequence of sixteen calls
        for (int k = 0; k < 200 + round; ++k) call(microseconds(0));
        call(microseconds(5000));
      }
    });
    longest_ns = std::max(longest_ns, told["work_span"]["work_ns"].get<double>());
    EXPECT_GE(static_cast<double>(sum_of(told, "user")), 0.8 * longest_ns);
  }
  EXPECT_GE(longest_ns, 70e6);
}

// Calls of 50 us, shorter than the time between two looks. A few may be taken for pauses until the calls are known to differ.
TEST(kept_calls, longer_ones_among_short_ones_are_measured_in_the_long_run) {
  double longest_ns = 0;
  for (int i = 0; i < 5 && longest_ns < 40e6; ++i) {
    const json told = report_of_program([] {
      for (int round = 0; round < 1000; ++round) {
        for (int k = 0; k < 39; ++k) call(microseconds(0));
        call(microseconds(50));
      }
    });
    longest_ns = std::max(longest_ns, told["work_span"]["work_ns"].get<double>());
  }
  EXPECT_GE(longest_ns, 40e6);
}

// A report is complete at once: its reading ends the row of calls.
TEST(kept_calls, are_in_a_report_that_is_read_right_after_them) {
  skua::scheduler pool({.workers = 1, .keep_report = true});
  for (int i = 0; i < 100; ++i) pool.run([] { spin_for(microseconds(1)); });
  for (int i = 0; i < 20; ++i) {
    pool.reset_report();
    pool.run([] { spin_for(microseconds(50)); });
    const json told = report_of(pool);
    EXPECT_GE(told["work_span"]["span_ns"], 45'000) << i;
    EXPECT_GE(1e9 * told["inside_seconds"].get<double>(), 45'000) << i;
    EXPECT_GE(sum_of(told, "user"), 45'000u) << i;
    for (int k = 0; k < 10; ++k) pool.run([] {});
  }
}

// Threads take turns at two workers; their calls fork, fill groups and wait, so that they lose workers in the middle of calls.
TEST(kept_calls, of_several_threads_all_count) {
  skua::scheduler pool({.workers = 2, .keep_report = true, .keep_trace = true});
  constexpr int threads = 4, calls = 300;
  std::atomic<std::uint64_t> ran{0};
  const auto run = [&] {
    for (int i = 0; i < calls; ++i) {
      pool.run([&] { skua::join([&] { ++ran; }, [&] { ++ran; }); });
      if (i % 10 == 0) spin_for(microseconds(10 * (i % 7)));
      pool.run([&] {
        skua::task_group group;
        for (int k = 0; k < 20; ++k) group.run([&] { ++ran; });
        group.wait();
      });
    }
  };
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i) all.emplace_back(run);
  }
  EXPECT_EQ(ran, threads * calls * 22u);
  const json told = report_of(pool);
  const json& work_span = told["work_span"];
  EXPECT_LE(work_span["span_ns"].get<double>(), 1.1e9 * told["seconds"].get<double>());
  EXPECT_LE(told["inside_seconds"], told["seconds"]);
  std::uint64_t sum = 0;
  for (const json& w : told["workers"])
    for (const auto& [name, ns] : w["times"].items()) sum += ns.get<std::uint64_t>();
  EXPECT_NEAR(static_cast<double>(sum), 2e9 * told["seconds"].get<double>(),
              0.1e9 * told["seconds"].get<double>());
}

// Each call that follows closely is drawn in the row of the one before it, and a pause ends the row.
TEST(kept_calls, are_drawn_as_rows_that_end_with_pauses) {
  skua::scheduler pool({.workers = 1, .keep_trace = true});
  for (int i = 0; i < 100; ++i) pool.run([] {});
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 50; ++k) pool.run([] {});
    pool.run([] { spin_for(microseconds(20)); });
    spin_for(microseconds(50));
  }
  const json all = json::parse(pool.trace_json())["traceEvents"];
  std::size_t calls = 0;
  double longest_us = 0;
  for (const json& e : all)
    if (e["ph"] == "X" && e["cat"] == "call") {
      ++calls;
      longest_us = std::max(longest_us, e["dur"].get<double>());
    }
  EXPECT_GE(calls, 20u);
  EXPECT_LE(calls, 500u) << "one slice for each call";
  EXPECT_GE(longest_us, 20);
}

}  // namespace
}  // namespace kept_calls_test
