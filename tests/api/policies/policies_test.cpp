// Every built-in policy on real threads, with more workers than cores. Every answer is right, every task runs exactly
// once, and no thief looks where its policy forbids it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <skua/skua.hpp>

#include "tests/support/machine_files.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"
#include "workloads/common/workload.hpp"

namespace policies_test {
namespace {

constexpr const char* four_by_four = "package:4 core:4 pu:1";

/// All policies with their defaults, and with the options that change their victims.
std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const skua::policy_info* info : skua::policies()) names.emplace_back(info->name);
  for (const char* more :
       {"nearest(persistence)", "nearest(deal=always)", "nearest(heads, half)", "random(half)",
        "most_loaded(always)", "most_loaded(sometimes, scope=domain)", "most_loaded(list, after=top)",
        "announced(capacity=2)", "bitier(large=0)", "bitier(large=0, spread)", "affinity(strict)",
        "managers(rescue=no)", "mix(0.5, bitier, chaos)"})
    names.emplace_back(more);
  return names;
}

skua::scheduler_options sixteen(const std::string& policy, std::uint64_t seed = 1) {
  return {.workers = 16,
          .policy = policy,
          .topology = skua::topology::synthetic(four_by_four),
          .park_after_us = 50,
          .seed = seed};
}

/// Joins with hints, groups, loops and regions, nested in each other. Every leaf counts how often it runs.
class mixture {
 public:
  explicit mixture(std::size_t leaves) : hits_(leaves) {}

  void run() {
    skua::shaped({.input_bytes = hits_.size() * (1 << 16), .branching = 2},
                 [&] { part(0, hits_.size(), 0); });
  }
  bool once_each() const {
    for (const auto& h : hits_)
      if (h != 1) return false;
    return true;
  }

 private:
  void part(std::size_t first, std::size_t last, int depth) {
    if (last - first <= 64) return leaves(first, last);
    const std::size_t middle = first + (last - first) / 2;
    skua::join([=, this] { part(first, middle, depth + 1); },
               skua::hinted(skua::depth{depth + 1}, [=, this] { part(middle, last, depth + 1); }));
  }
  void leaves(std::size_t first, std::size_t last) {
    const std::size_t third = (last - first) / 3;
    skua::parallel_for(first, first + third, [&](std::size_t i) { leaf(i); });
    skua::task_group tasks;
    for (std::size_t i = first + third; i < first + 2 * third; ++i)
      tasks.run(
          skua::hinted(skua::affinity_to{static_cast<skua::worker_id>(i % 16)}, [this, i] { leaf(i); }));
    for (std::size_t i = first + 2 * third; i < last; ++i) skua::join([&, i] { leaf(i); }, [] {});
    tasks.wait();
  }
  // Takes long enough for thieves to steal.
  void leaf(std::size_t i) {
    volatile unsigned x = 1;
    for (int k = 0; k < 1000; ++k) x = x * 1664525u + 1013904223u;
    ++hits_[i];
  }
  std::vector<std::atomic<int>> hits_;
};

class every_policy : public testing::TestWithParam<std::string> {};

// The limit is two minutes of two CPUs in CPU time, so the load of other programs does not count. Under a sanitizer each policy
// runs every third workload. It begins with another workload than the policy before, so each workload runs under many policies.
TEST_P(every_policy, verifies_every_workload_within_two_minutes) {
  constexpr std::size_t step = under_sanitizer ? 3 : 1;
  const auto policies = all_policies();
  auto turn = static_cast<std::size_t>(std::ranges::find(policies, GetParam()) - policies.begin());
  const std::clock_t begin = std::clock();
  skua::scheduler pool(sixteen(GetParam()));
  for (const workloads::workload* w : workloads::all()) {
    if (turn++ % step != 0) continue;
    auto program = w->make({});
    program->prepare();
    pool.run([&] { program->parallel(); });
    const workloads::answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << w->name << ": " << v.message;
  }
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 2 * 2 * 60);
}

// The checks of these workloads allow for rounding, but their messages contain all digits of the answers.
TEST_P(every_policy, keeps_every_bit_of_sums) {
  if constexpr (under_thread_sanitizer)
    GTEST_SKIP() << "the test above runs these programs under other policies";
  skua::scheduler one({.workers = 1}), pool(sixteen(GetParam()));
  for (const char* name : {"cg", "ep"}) {
    auto program = workloads::find(name)->make({});
    const auto answer_of = [&](skua::scheduler& by) {
      program->prepare();
      by.run([&] { program->parallel(); });
      return program->verify().message;
    };
    EXPECT_EQ(answer_of(pool), answer_of(one)) << name;
  }
}

TEST_P(every_policy, runs_every_task_exactly_once) {
  skua::scheduler pool(sixteen(GetParam()));
  const patience left;  // more rounds, since a thief may come too late if other programs use the CPUs
  for (int round = 0; round < 30 || (left && pool.report().total.steals == 0); ++round) {
    mixture m(4000);
    pool.run([&] { m.run(); });
    ASSERT_TRUE(m.once_each()) << "round " << round;
    if (round >= 30 && GetParam().find("strict") != std::string::npos)
      break;  // a strict policy may find no task that wants its worker
  }
  const skua::counters c = pool.report().total;
  const bool may_find_nothing = GetParam().find("strict") != std::string::npos;
  EXPECT_TRUE(may_find_nothing || c.steals > 0);
  std::printf("  %s: %llu steals of %llu attempts, %llu remote\n", GetParam().c_str(),
              static_cast<unsigned long long>(c.steals), static_cast<unsigned long long>(c.attempts),
              static_cast<unsigned long long>(c.remote_steals));
}

std::string readable(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param)
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (name.back() == '_') name.pop_back();
  return name;
}

INSTANTIATE_TEST_SUITE_P(, every_policy, testing::ValuesIn(all_policies()), readable);

void expect_only_heads_outside(const skua::scheduler& pool, const std::string& policy) {
  const skua::report r = pool.report();
  for (std::size_t w = 0; w < r.workers.size(); ++w)
    EXPECT_TRUE(pool.seats()[static_cast<skua::worker_id>(w)].head || r.workers[w].remote_attempts == 0)
        << policy << ", worker " << w;
}

TEST(api_policies, only_heads_look_outside_where_the_policy_says_so) {
  for (const char* policy :
       {"nearest(heads)", "most_loaded(always, scope=domain)", "most_loaded(list, scope=domain)"}) {
    skua::scheduler pool(sixteen(policy));
    for (int round = 0; round < 20; ++round) {
      mixture m(2000);
      pool.run([&] { m.run(); });
    }
    expect_only_heads_outside(pool, policy);
  }
}

TEST(api_policies, run_on_real_machines) {
  const std::vector<std::filesystem::path> files = machine_files();
  if (files.empty()) GTEST_SKIP() << "no further machine files";
  // Under a sanitizer each machine runs every fourth policy, and with ThreadSanitizer every eighth. It begins with another policy
  // than the machine before, so each policy runs on several machines.
  constexpr std::size_t step = under_thread_sanitizer ? 8 : under_sanitizer ? 4 : 1;
  std::size_t turn = 0;
  for (const auto& file : files) {
    const skua::topology machine = skua::topology::from_file(file.string());
    std::size_t next = turn++;
    for (const std::string& policy : all_policies()) {
      if (next++ % step != 0) continue;
      skua::scheduler pool({.workers = 16, .policy = policy, .topology = machine, .park_after_us = 50});
      mixture m(600);
      pool.run([&] { m.run(); });
      EXPECT_TRUE(m.once_each()) << policy << " on " << file.filename();
      if (policy == "nearest(heads)" || policy == "nearest(heads, half)")
        expect_only_heads_outside(pool, policy);
    }
  }
}

// SKUA_TEST_SEED repeats the run of one seed.
TEST(api_policies, survive_chaos_with_any_seed) {
  const char* const given = std::getenv("SKUA_TEST_SEED");
  const std::uint64_t first = given ? std::stoull(given) : std::random_device{}();
  for (std::uint64_t seed = first; seed < first + (given ? 1 : under_sanitizer ? 3 : 20); ++seed) {
    SCOPED_TRACE("SKUA_TEST_SEED=" + std::to_string(seed));
    for (const char* policy :
         {"chaos", "chaos(0.9)", "mix(0.5, chaos, bitier(large=0))", "mix(0.5, chaos, affinity)"}) {
      skua::scheduler pool(sixteen(policy, seed));
      for (int round = 0; round < 40; ++round) {
        mixture m(2000);
        pool.run([&] { m.run(); });
        ASSERT_TRUE(m.once_each()) << policy;
      }
    }
  }
}

}  // namespace
}  // namespace policies_test
