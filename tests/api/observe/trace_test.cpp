// The trace of a scheduler with keep_trace: tasks, spans, arrows and sleep. The slices of each line are nested.
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <skua/skua.hpp>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/support/until.hpp"

namespace trace_test {
namespace {

using nlohmann::json;

json trace_of(const skua::scheduler& pool) { return json::parse(pool.trace_json())["traceEvents"]; }

json named(const json& all, const std::string& name) {
  json some = json::array();
  for (const json& e : all)
    if (e["name"] == name) some.push_back(e);
  return some;
}

std::string name_of_line(const json& all, int line) {
  for (const json& e : named(all, "thread_name"))
    if (e["tid"] == line) return e["args"]["name"];
  return "";
}

int line_of(const json& all, const std::string& name) {
  for (const json& e : named(all, "thread_name"))
    if (e["args"]["name"] == name) return e["tid"];
  return -1;
}

std::size_t of_category(const json& all, const std::string& category) {
  std::size_t n = 0;
  for (const json& e : all) n += e["ph"] == "X" && e["cat"] == category;
  return n;
}

/// Expects that any two slices of a line are disjoint or nested.
void expect_nested(const json& all) {
  struct slice {
    long long from, to;
    std::string name;
  };
  std::map<int, std::vector<slice>> lines;
  const auto ns = [](const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); };
  for (const json& e : all)
    if (e["ph"] == "X") {
      const long long from = ns(e["ts"]), length = ns(e["dur"]);
      ASSERT_GE(from, 0);
      ASSERT_GE(length, 0);
      lines[e["tid"]].push_back({from, from + length, e["name"]});
    }
  for (auto& [line, slices] : lines) {
    std::ranges::stable_sort(slices, [](const slice& a, const slice& b) {
      return a.from < b.from || (a.from == b.from && a.to > b.to);
    });
    std::vector<slice> open;
    for (const slice& s : slices) {
      while (!open.empty() && open.back().to <= s.from) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(s.to, open.back().to) << s.name << " in " << open.back().name << " of line " << line;
      }
      open.push_back(s);
    }
  }
}

/// Expects one arrow for each counted steal, from a mark on the victim's line to a task on the thief's line.
void expect_arrows(const json& all, std::uint64_t steals) {
  std::map<std::uint64_t, json> from, to;
  std::set<std::pair<int, double>> marks, tasks;
  for (const json& e : all) {
    if (e["ph"] == "s") {
      EXPECT_TRUE(from.emplace(e["id"], e).second);
    }
    if (e["ph"] == "f") {
      EXPECT_TRUE(to.emplace(e["id"], e).second);
    }
    if (e["ph"] == "X" && e["cat"] == "steal") marks.emplace(e["tid"], e["ts"]);
    if (e["ph"] == "X" && e["cat"] == "task") tasks.emplace(e["tid"], e["ts"]);
  }
  EXPECT_EQ(from.size(), steals);
  EXPECT_EQ(to.size(), steals);
  for (const auto& [id, begins] : from) {
    ASSERT_TRUE(to.contains(id));
    EXPECT_LE(begins["ts"].get<double>(), to[id]["ts"].get<double>());
    EXPECT_NE(begins["tid"], to[id]["tid"]);
    EXPECT_TRUE(marks.contains({begins["tid"], begins["ts"]}));
    EXPECT_TRUE(tasks.contains({to[id]["tid"], to[id]["ts"]}));
  }
}

long tree(int depth) {
  if (depth == 0) return skua::costs(5000), 1;
  const skua::trace_span named("level " + std::to_string(depth));
  auto [a, b] = skua::join([=] { return tree(depth - 1); }, [=] { return tree(depth - 1); });
  return a + b;
}

skua::scheduler_options simulated(std::int64_t workers, const char* policy = "nearest") {
  return {.workers = workers,
          .policy = policy,
          .keep_trace = true,
          .simulate = skua::simulation{.machine = "opteron-8380-4s"}};
}

TEST(trace, is_kept_only_on_request) {
  skua::scheduler pool({.workers = 1});
  EXPECT_THROW(pool.trace_json(), std::logic_error);
}

TEST(trace, every_line_is_nested_and_every_steal_an_arrow) {
  for (const char* policy : {"nearest", "nearest(deal=never)"}) {
    SCOPED_TRACE(policy);
    skua::scheduler pool(simulated(8, policy));
    pool.run([] { skua::join([] { tree(9); }, [] { tree(5); }); });
    const json all = trace_of(pool);
    expect_nested(all);
    EXPECT_FALSE(named(all, "trace_test::(anonymous namespace)::tree(int)").empty())
        << "a task is named after the function that forked it";
    const skua::report r = pool.report();
    ASSERT_GT(r.total.steals, 7u);
    expect_arrows(all, r.total.steals);
    EXPECT_GE(of_category(all, "task"), r.total.steals) << "a suspended task continues in another slice";
  }
}

TEST(trace, real_threads_give_the_same) {
  skua::scheduler pool({.workers = 5, .keep_trace = true});
  for (patience left; left && pool.report().total.steals < 5;)
    pool.run([] { skua::join([] { tree(5), sleep_ms(1); }, [] { tree(5), sleep_ms(1); }); });
  const json all = trace_of(pool);
  expect_nested(all);
  expect_arrows(all, pool.report().total.steals);
}

TEST(trace, spans_are_drawn_where_they_run) {
  skua::scheduler pool(simulated(1));
  pool.run([] {
    const skua::trace_span outer("assembly");
    {
      const skua::trace_span inner(std::string("a temporary \"name\""));
      skua::costs(25'000);
    }
    skua::costs(25'000);
  });
  const json all = trace_of(pool), outer = named(all, "assembly"), inner = named(all, "a temporary \"name\"");
  ASSERT_EQ(outer.size(), 1u);
  ASSERT_EQ(inner.size(), 1u);
  EXPECT_NEAR(inner[0]["dur"].get<double>(), 10, 0.1);  // 25,000 cycles at 2.5 GHz, in microseconds
  EXPECT_NEAR(outer[0]["dur"].get<double>(), 20, 0.2);
  EXPECT_EQ(outer[0]["tid"], line_of(all, "worker 0, CPU 0"));
}

TEST(trace, a_span_without_a_trace_has_no_effect) {
  const skua::trace_span outside("nobody's");
  skua::scheduler pool({.workers = 1});
  pool.run([] { const skua::trace_span inside("nobody's"); });
}

TEST(trace, a_suspended_task_is_not_drawn_meanwhile) {
  skua::scheduler pool(simulated(2));
  pool.run([] {
    skua::task_group group;
    for (int i = 0; i < 8; ++i)
      group.run([] {
        const skua::trace_span waits("waits");
        tree(3);
      });
    group.wait();
  });
  const json all = trace_of(pool);
  expect_nested(all);
  EXPECT_GE(named(all, "waits").size(), 8u);
}

TEST(trace, sleep_and_search_are_on_the_schedulers_line) {
  skua::scheduler pool({.workers = 2, .keep_trace = true});
  // A sleep is counted when the sleeper is woken.
  for (patience left; left && pool.report().total.sleeps == 0;) {
    sleep_ms(2);
    pool.run([] { skua::join([] { sleep_ms(2); }, [] { sleep_ms(2); }); });
  }
  const json all = trace_of(pool);
  EXPECT_FALSE(named(all, "asleep").empty());
  EXPECT_FALSE(named(all, "searching").empty());
  for (const json& e : all)
    if (e["ph"] == "X" && e["cat"] == "state") {
      EXPECT_TRUE(name_of_line(all, e["tid"]).ends_with(": scheduler"));
    }
}

TEST(trace, messages_of_managers) {
  skua::scheduler pool(simulated(8, "managers"));
  pool.run([] { tree(6); });
  const json all = trace_of(pool);
  EXPECT_FALSE(named(all, "UPDATE").empty());
  EXPECT_FALSE(named(all, "STEAL").empty());
  EXPECT_FALSE(named(all, "TASK").empty());
  EXPECT_EQ(named(all, "STEAL")[0]["ph"], "i");
  expect_nested(all);
}

TEST(trace, with_a_report_tasks_are_named_after_their_own_code) {
  skua::scheduler pool({.workers = 1, .keep_report = true, .keep_trace = true});
  pool.run([] {
    skua::task_group tasks;
    for (int i = 0; i < 100; ++i) tasks.run([] { skua::trace_span here("in a task"); });
    tasks.wait();
  });
  std::size_t tasks = 0;
  for (const json& e : trace_of(pool)) {
    if (e["ph"] != "X" || e["cat"] != "task") continue;
    ++tasks;
    EXPECT_EQ(e["name"].get<std::string>().find("run_told"), std::string::npos) << e["name"];
  }
  EXPECT_EQ(tasks, 100u);
}

skua::scheduler_options chip(const char* substrate, bool trace) {
  return {.workers = 8,
          .keep_trace = trace,
          .simulate = skua::simulation{.machine = "adm-cmp-64c", .substrate = substrate}};
}
void count_down(skua::scheduler& pool) {
  pool.run([] {
    skua::phase<int> p;
    for (int i = 0; i < 20; ++i) p.enqueue(10);
    p.run([&](int left) {
      skua::costs(2000);
      if (left > 0) p.enqueue(left - 1);
    });
  });
}

TEST(trace, messages_of_managers_by_a_machines_own_hardware) {
  for (const char* substrate : {"adm", "uli"}) {
    skua::scheduler pool(chip(substrate, true));
    count_down(pool);
    const json all = trace_of(pool);
    for (const char* type : {"UPDATE", "STEAL", "TASK", "UNBLOCK"})
      EXPECT_FALSE(named(all, type).empty()) << type << " by " << substrate;
    std::set<std::string> senders;
    for (const json& e : named(all, "TASK")) {
      const std::string from = e["args"]["from"];
      senders.insert(from);
      EXPECT_EQ(name_of_line(all, e["tid"]).substr(0, 8), from);
    }
    EXPECT_GE(senders.size(), 1u);
    skua::scheduler untraced(chip(substrate, false));
    count_down(untraced);
    EXPECT_EQ(pool.simulated().stream, untraced.simulated().stream);
  }
}

TEST(trace, changes_nothing_in_a_simulated_run) {
  const auto stream = [](bool trace) {
    skua::scheduler_options options = simulated(8);
    options.keep_trace = trace;
    skua::scheduler pool(options);
    pool.run([] { tree(8); });
    return pool.simulated().stream;
  };
  EXPECT_EQ(stream(true), stream(false));
}

TEST(trace, of_a_thread_that_waits_outside_of_the_scheduler) {
  skua::scheduler pool({.workers = 2, .keep_trace = true});
  for (int i = 0; i < 20; ++i) {
    std::thread other([&] {
      pool.run([] {
        const skua::trace_span here("other");
        tree(5);
      });
    });
    pool.run([] {
      const skua::trace_span here("this");
      tree(5);
    });
    other.join();
  }
  const json all = trace_of(pool);
  expect_nested(all);
  EXPECT_GE(named(all, "other").size(), 20u);
  EXPECT_GE(named(all, "this").size(), 20u);
}

// Such a span once wrote to the memory of a scheduler that had ended.
TEST(trace, a_span_that_ends_in_another_task_ends_the_process_with_a_message) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto span = [] { return std::make_unique<skua::trace_span>("span"); };
  const char* const sentence = "skua: a trace_span must end in the task in which it began, before the task";
  for (const bool scheduler_ends : {false, true})
    EXPECT_DEATH(
        {
          std::optional<skua::scheduler> pool(std::in_place,
                                              skua::scheduler_options{.workers = 1, .keep_trace = true});
          auto left = pool->run(span);
          if (scheduler_ends) pool.reset();
          left.reset();
        },
        sentence);
  EXPECT_DEATH(
      {
        skua::scheduler pool({.workers = 1, .keep_trace = true});
        pool.run([&] {
          auto outer = span();
          const auto inner = span();
          outer.reset();
        });
      },
      sentence);
}

TEST(trace, exceptions_close_what_they_leave) {
  skua::scheduler pool(simulated(4));
  pool.run([] {
    try {
      skua::join(
          [] {
            const skua::trace_span left("left");
            throw 1;
          },
          [] { tree(4); });
    } catch (int) {
    }
    const skua::trace_span after("after");
    skua::costs(1000);
  });
  const json all = trace_of(pool);
  expect_nested(all);
  const json left = named(all, "left"), after = named(all, "after");
  ASSERT_EQ(left.size(), 1u);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_LE(left[0]["ts"].get<double>() + left[0]["dur"].get<double>(), after[0]["ts"].get<double>() + 0.001);
}

}  // namespace
}  // namespace trace_test
