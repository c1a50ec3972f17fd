// The policy auto on simulated machines: which policy it chooses for a program that repeats the same work. Costs and data are
// declared, so each run gives the same numbers.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <skua/skua.hpp>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/at_same_place.hpp"
#include "tests/support/sanitizers.hpp"

namespace auto_test {
namespace {

/// Steps of a stencil on rows of 8 KB: neighbouring rows share data, so tiers keep them under one cache.
class plate {
 public:
  explicit plate(std::size_t rows) : rows_(rows), one_(rows * row), other_(rows * row) {}

  void run(int steps) {
    skua::shaped({.input_bytes = 2 * rows_ * row * sizeof(double), .branching = 2}, [&] {
      for (int i = 0; i < steps; ++i) {
        step(1, rows_ - 1);
        one_.swap(other_);
      }
    });
  }

 private:
  static constexpr std::size_t row = 1024, leaf = 32;  // doubles, rows

  void step(std::size_t first, std::size_t last) {
    if (last - first > leaf) {
      const std::size_t middle = first + (last - first) / 2;
      return skua::join([=, this] { step(first, middle); }, [=, this] { step(middle, last); });
    }
    skua::reads(&one_[(first - 1) * row], (last - first + 2) * row);
    skua::writes(&other_[first * row], (last - first) * row);
    skua::costs(2.1 * static_cast<double>((last - first) * row));
  }

  std::size_t rows_;
  std::vector<double, at_same_place<double>> one_, other_;
};

/// A tree of short tasks, which workers that deal spread sooner than thieves do.
void short_tasks(int n) {
  if (n == 1) return skua::costs(10'000);
  skua::join([n] { short_tasks(n / 2); }, [n] { short_tasks(n - n / 2); });
}

struct outcome {
  std::vector<double> us = {};  // of each episode
  std::string report = {};
  skua::counters total = {};

  double mean_us(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += us.at(i);
    return sum / static_cast<double>(last - first);
  }
};

outcome run(const std::string& machine, const std::string& policy, int episodes,
            const std::function<void(int)>& one, bool keep_report = false) {
  skua::scheduler_options options{.policy = policy};
  options.keep_report = keep_report;
  options.simulate = skua::simulation{.machine = machine, .level = skua::detail_level::caches};
  skua::scheduler pool(options);
  outcome all;
  for (int i = 0; i < episodes; ++i) {
    const double before = pool.simulated().seconds;
    pool.run([&] { one(i); });
    all.us.push_back(1e6 * (pool.simulated().seconds - before));
  }
  all.total = pool.report().total;
  if (keep_report) all.report = pool.report_json();
  return all;
}

constexpr const char* westmere = "xeon-x5650-2s-westmere";
constexpr std::size_t rows = 1026;
constexpr int steps = 2;

TEST(auto_policy, finds_the_best_policy_within_40_episodes) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  const auto us_with = [](const char* policy) {
    plate heat(rows);
    return run(westmere, policy, 20, [&](int) { heat.run(steps); }).mean_us(10, 20);
  };
  const double tiers = us_with("bitier(spread)"), nearest = us_with("nearest");
  ASSERT_LT(tiers, 0.95 * std::min({nearest, us_with("random"), us_with("announced")}));
  plate heat(rows);
  const outcome chosen = run(westmere, "auto", 60, [&](int) { heat.run(steps); }, true);
  std::printf("  bitier %.0f us, nearest %.0f us, auto %.0f us\n", tiers, nearest, chosen.mean_us(40, 60));
  // Tiers take 1.00 to 1.10 of `tiers` where the default has touched the pages first, depending on where the heap lies.
  EXPECT_LT(chosen.mean_us(40, 60), 1.15 * tiers);
  EXPECT_LT(chosen.mean_us(0, 60), 1.03 * nearest) << "exploring is not worth more than it costs";
  const std::size_t choices = chosen.report.find("\"choices\"");
  EXPECT_NE(chosen.report.find("\"kind\": \"region\"", choices), std::string::npos);
  const std::size_t choice = chosen.report.find("\"policy\": \"", choices);
  EXPECT_EQ(chosen.report.substr(choice, 26), "\"policy\": \"bitier(spread)\"")
      << chosen.report.substr(choices, 2000);
}

/// Eight domains of four cores: tiers take four times as long here, and any other policy scatters the data.
TEST(auto_policy, costs_at_most_3_percent_where_exploring_is_expensive) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  constexpr int episodes = 60;
  const auto us_with = [](const char* policy) {
    plate heat(rows);
    return run("opteron-8354-8s", policy, episodes, [&](int) { heat.run(steps); }).mean_us(0, episodes);
  };
  const double chosen = us_with("auto"), nearest = us_with("nearest");
  std::printf("  nearest %.0f us, auto %.0f us\n", nearest, chosen);
  EXPECT_LT(chosen, 1.03 * nearest);
}

TEST(auto_policy, recovers_within_20_episodes_when_the_program_changes) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  constexpr int before = 60, after = 40;
  plate heat(rows);
  const auto changes = [&](int i) {
    skua::shaped({.input_bytes = 64 << 20}, [&] {
      if (i < before) return heat.run(steps);
      for (int k = 0; k < 10; ++k) short_tasks(12);
    });
  };
  const outcome chosen = run(westmere, "auto", before + after, changes),
                nearest = run(westmere, "nearest", before + after, changes),
                tiers = run(westmere, "bitier(spread)", before + after, changes);
  std::printf("  after the change: nearest %.1f us, bitier %.1f us, auto %.1f us\n",
              nearest.mean_us(before + 20, before + after), tiers.mean_us(before + 20, before + after),
              chosen.mean_us(before + 20, before + after));
  // The default has touched the pages first, so tiers are about 10% slower here than where they touch them.
  EXPECT_LT(chosen.mean_us(40, before), 1.15 * tiers.mean_us(40, before)) << "it had chosen another policy";
  ASSERT_GT(tiers.mean_us(before + 20, before + after), 1.1 * nearest.mean_us(before + 20, before + after));
  // Where the heap lies changes such short episodes by some percent.
  EXPECT_LT(chosen.mean_us(before + 20, before + after), 1.1 * nearest.mean_us(before + 20, before + after));
}

// The same run as under nearest, to the bit, is one that tries nothing else.
TEST(auto_policy, explores_nothing_on_a_machine_with_one_domain) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const char* const one_domain = "package:1 core:8 pu:1";
  const auto loops = [](int) {
    skua::parallel_for(0, 200, [](int k) { skua::costs(1000 + 10 * k); });
    short_tasks(40);
  };
  const outcome chosen = run(one_domain, "auto", 200, loops, true),
                nearest = run(one_domain, "nearest", 200, loops, true);
  EXPECT_EQ(chosen.us, nearest.us);
  EXPECT_EQ(chosen.total.steals, nearest.total.steals);
  EXPECT_EQ(chosen.total.attempts, nearest.total.attempts);
  EXPECT_NE(chosen.report.find("\"choices\": []"), std::string::npos);
}

TEST(auto_policy, repeats_a_run_to_the_bit_with_and_without_a_report) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto loops = [](int) { skua::parallel_for(0, 100, [](int k) { skua::costs(2'000 + 100 * k); }); };
  const outcome once = run(westmere, "auto", 60, loops), again = run(westmere, "auto", 60, loops);
  EXPECT_EQ(once.us, again.us);
  EXPECT_EQ(once.us, run(westmere, "auto", 60, loops, true).us);
}

// A call of many loops: each loop has a choice of its own.
TEST(auto_policy, chooses_for_each_loop_of_a_call) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  skua::scheduler_options options{.policy = "auto"};
  options.keep_report = true;
  options.simulate = skua::simulation{.machine = westmere};
  skua::scheduler pool(options);
  pool.run([] {
    for (int i = 0; i < 60; ++i) {
      skua::parallel_for(0, 100, [](int) { skua::costs(20'000); });
      skua::parallel_for(0, 2000, [](int k) { skua::costs(k < 100 ? 5'000 : 100); });
    }
  });
  const std::string report = pool.report_json();
  const auto count = [&](const char* text) {
    int n = 0;
    for (std::size_t at = 0; (at = report.find(text, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(count("\"episodes\": 60"), 2) << report.substr(0, 3000);
  EXPECT_EQ(count("\"kind\": \"loop\",\n   \"lost_ns\""), 2);
}

TEST(auto_policy, survives_calls_that_overlap_throw_and_nest) {
  skua::scheduler pool(
      {.workers = 4, .policy = "auto", .topology = skua::topology::parse("package:2 core:2 pu:1")});
  const auto sum = [&] {
    return pool.run([&] {
      skua::task_group tasks;
      for (int i = 0; i < 8; ++i)
        tasks.run([] { skua::parallel_for(0, 100, [](int) { skua::parallel_for(0, 70, [](int) {}); }); });
      tasks.wait();
      return skua::parallel_reduce(0, 1000, 0, [](int i) { return i; }, std::plus<>());
    });
  };
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(sum(), 499'500);
        EXPECT_THROW(
            pool.run([] { skua::parallel_for(0, 1000, [](int k) { k == 500 ? throw 1 : (void)0; }); }), int);
      }
    });
  for (std::thread& one : callers) one.join();
  EXPECT_EQ(sum(), 499'500);
}

}  // namespace
}  // namespace auto_test
