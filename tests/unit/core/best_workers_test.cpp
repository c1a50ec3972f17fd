// The choice of the number of workers by measurement: with made-up times, and once with a real run.
#include <skua/best_workers.hpp>

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <skua/join.hpp>
#include <stdexcept>
#include <vector>

#include "core/learning/best_workers.hpp"

namespace skua::best_workers_test {
namespace {

using numbers = std::vector<std::size_t>;
using trials = std::vector<workers_trial>;

TEST(best_workers, tries_powers_of_two_and_the_maximum) {
  EXPECT_EQ(core::numbers_to_try(1), (numbers{1}));
  EXPECT_EQ(core::numbers_to_try(2), (numbers{1, 2}));
  EXPECT_EQ(core::numbers_to_try(8), (numbers{1, 2, 4, 8}));
  EXPECT_EQ(core::numbers_to_try(12), (numbers{1, 2, 4, 8, 12}));
}

TEST(best_workers, are_the_smallest_number_within_three_percent_of_the_fastest) {
  EXPECT_EQ(fewest_workers(trials{{1, 8}, {2, 4}, {4, 2}, {8, 1}}), 8u);
  EXPECT_EQ(fewest_workers(trials{{1, 4}, {2, 2}, {4, 1.02}, {8, 1}}), 4u);
  EXPECT_EQ(fewest_workers(trials{{1, 4}, {2, 2}, {4, 1.04}, {8, 1}}), 8u);
  EXPECT_EQ(fewest_workers(trials{{1, 1}, {2, 1.5}, {4, 3}}), 1u);
  EXPECT_EQ(fewest_workers(trials{{1, 3}, {2, 1}, {4, 1.5}}), 2u);
  EXPECT_EQ(fewest_workers(trials{{1, 0}, {2, 0}}), 1u);
}

TEST(best_workers, take_turns_and_the_first_runs_do_not_count) {
  numbers asked;
  const auto seconds_of = [&](std::size_t workers) {
    asked.push_back(workers);
    return asked.size() <= 2 ? 1000.0 : 1.0 / static_cast<double>(workers);
  };
  const trials found = core::run_trials({1, 2}, 3, seconds_of);
  EXPECT_EQ(asked, (numbers{1, 2, 1, 2, 1, 2, 1, 2}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].seconds, 1.0);
  EXPECT_EQ(found[1].seconds, 0.5);
}

TEST(best_workers, compare_medians) {
  std::map<std::size_t, numbers> times = {{1, {0, 10, 11, 99, 10, 12}}, {2, {0, 9, 40, 8, 50, 9}}};
  std::map<std::size_t, std::size_t> next;
  const trials found = core::run_trials(
      {1, 2}, 5, [&](std::size_t workers) { return static_cast<double>(times[workers][next[workers]++]); });
  EXPECT_EQ(found[0].seconds, 11);
  EXPECT_EQ(found[1].seconds, 9);
  EXPECT_EQ(fewest_workers(found), 2u);
}

TEST(best_workers, spend_no_rounds_on_slow_candidates) {
  std::map<std::size_t, int> runs;
  core::run_trials({1, 2, 4}, 5, [&](std::size_t workers) {
    ++runs[workers];
    return 1.0 / static_cast<double>(workers);
  });
  EXPECT_EQ(runs[1], 2);  // takes 4 times as long as the fastest
  EXPECT_EQ(runs[2], 6);
  EXPECT_EQ(runs[4], 6);
}

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

TEST(best_workers, of_a_real_run) {
  std::map<std::size_t, int> before;
  std::atomic<int> runs{0};
  const best_workers_options options{
      .scheduler = {.workers = 3}, .rounds = 2, .before_each = [&](std::size_t n) { ++before[n]; }};
  const trials found = try_workers(
      [&] {
        EXPECT_EQ(fib(15), 610);
        ++runs;
      },
      options);
  ASSERT_EQ(found.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i].workers, i + 1);
    EXPECT_GT(found[i].seconds, 0);
    EXPECT_GE(before[i + 1], 2);
    EXPECT_LE(before[i + 1], 3);
  }
  EXPECT_EQ(runs, before[1] + before[2] + before[3]);
  const std::size_t best = best_workers([] { fib(10); }, options);
  EXPECT_GE(best, 1u);
  EXPECT_LE(best, 3u);
}

TEST(best_workers, refuse_bad_options_and_pass_exceptions_on) {
  EXPECT_THROW(best_workers([] {}, {.rounds = 0}), bad_input);
  EXPECT_THROW(best_workers([] {}, {.scheduler = {.workers = 0}}), bad_input);
  EXPECT_THROW(best_workers([] { throw std::runtime_error("no"); }, {.scheduler = {.workers = 2}}),
               std::runtime_error);
}

}  // namespace
}  // namespace skua::best_workers_test
