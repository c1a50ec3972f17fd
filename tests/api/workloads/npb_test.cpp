// ep, cg and is of the NAS parallel benchmarks: random numbers, inputs and answers, on any number of workers.
#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/random.hpp"
#include "workloads/kernels/ep.hpp"
#include "workloads/kernels/npb_cg.hpp"
#include "workloads/kernels/npb_is.hpp"

namespace workloads::npb_test {
namespace {

TEST(npb_random, a_power_of_five_modulo_a_power_of_two) {
  npb_random one(1);
  EXPECT_EQ(one.next(), 1220703125 * 0x1p-46);
  EXPECT_EQ(one.next(), static_cast<double>(1220703125ull * 1220703125ull % (1ull << 46)) * 0x1p-46);
}

TEST(npb_random, skipping_gives_the_same_numbers_as_stepping) {
  npb_random slow(314159265);
  for (std::uint64_t steps = 0; steps < 100; ++steps) {
    npb_random fast(314159265);
    fast.skip(steps);
    EXPECT_EQ(fast.next(), slow.next()) << steps;
  }
}

TEST(ep, sequential_as_published) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  for (const int m : {18, 20, 22}) {
    const ep_tally answer = ep_sequential((1 << m) / ep_batch_pairs), &known = ep_published(m)->answer;
    EXPECT_NEAR(answer.sx, known.sx, 1e-10 * std::abs(known.sx));
    EXPECT_NEAR(answer.sy, known.sy, 1e-10 * std::abs(known.sy));
    EXPECT_EQ(answer.counts, known.counts);
  }
  EXPECT_EQ(ep_published(18)->answer.pairs(), 205458);
  EXPECT_EQ(ep_published(24)->answer.pairs(), 13176389);
  EXPECT_EQ(ep_published(25)->answer.pairs(), 26354769);
  EXPECT_EQ(ep_published(28)->answer.pairs(), 210832767);
  EXPECT_EQ(ep_published(30)->answer.pairs(), 843345606);
}

TEST(ep, verified_on_any_number_of_workers) {
  expect_verified("ep");
  expect_verified("ep", {{"m", "16"}});
  expect_verified("ep", {{"m", "19"}});
}

TEST(ep, verified_in_static_blocks) {
  for (const char* blocks : {"1", "3", "16", "300"})
    expect_verified("ep", {{"m", "19"}, {"static_blocks", blocks}});
}

TEST(ep, bad_options) {
  EXPECT_EQ(complaint("ep", "class", "F"), "class is 'F'; allowed: size, S, W, A, B, C, D, E");
  EXPECT_EQ(complaint("ep", "m", "15"), "m is '15'; allowed: a whole number from 16 to 40; nearest: 16");
}

TEST(cg, verified_in_static_blocks_and_after_some_steps) {
  for (const char* blocks : {"1", "3", "2000"})
    expect_verified("cg", {{"class", "S"}, {"static_blocks", blocks}});
  expect_verified("cg", {{"class", "S"}, {"steps", "2"}});
}

TEST(cg, steps_are_those_with_a_published_answer_or_all) {
  EXPECT_EQ(complaint("cg", "steps", "6"), "steps is 6 for class S; allowed: up to 5, or all 15; nearest: 5");
}

TEST(cg, matrix_as_published) {
  for (const char name : {'S', 'W'}) {
    const npb_cg_matrix a = npb_cg_matrix_of(npb_cg_class_of(name));
    EXPECT_EQ(a.value.size(), npb_cg_class_of(name).entries);
    EXPECT_EQ(a.start.size(), a.n + 1);
    EXPECT_EQ(a.start.back(), a.value.size());
    for (std::size_t i = 0; i < a.n; ++i)
      for (std::size_t k = a.start[i] + 1; k < a.start[i + 1]; ++k) ASSERT_LT(a.column[k - 1], a.column[k]);
  }
}

TEST(cg, rows_of_any_length) {
  npb_cg_matrix a{6, {0, 0, 1, 3, 6, 10, 15}, {}, {}};
  std::vector<double> x(6), y(6, -1.0);
  for (std::size_t i = 0; i < 6; ++i) {
    x[i] = static_cast<double>(i + 1);
    for (std::size_t j = 0; j < i; ++j) {
      a.column.push_back(static_cast<std::uint32_t>(j));
      a.value.push_back(1.0);
    }
  }
  npb_cg_multiply(a, x.data(), y.data(), 0, 6);
  EXPECT_EQ(y, (std::vector<double>{0, 1, 3, 6, 10, 15}));
  EXPECT_EQ(npb_cg_sum(0, 6, [&](std::size_t i) { return x[i]; }), 21.0);
  EXPECT_EQ(npb_cg_sum(2, 2, [&](std::size_t i) { return x[i]; }), 0.0);
}

TEST(cg, verified_on_any_number_of_workers) {
  expect_verified("cg");
  expect_verified("cg", {{"grain", "1"}});
  if constexpr (!under_sanitizer) expect_verified("cg", {{"class", "W"}, {"grain", "256"}});
}

TEST(cg, bad_options) {
  EXPECT_EQ(complaint("cg", "class", "D"), "class is 'D'; allowed: size, S, W, A, B, C");
  EXPECT_NE(complaint("cg", "grain", "0"), "accepted");
  EXPECT_NE(complaint("cg", "repeats", "0"), "accepted");
}

TEST(is, places_of_blocks_in_buckets) {
  std::vector<std::uint32_t> histograms = {2, 0, 1, 1, 3, 0}, starts(4);  // two blocks, three buckets
  npb_is_places(histograms, starts);
  EXPECT_EQ(histograms, (std::vector<std::uint32_t>{0, 3, 6, 2, 3, 7}));
  EXPECT_EQ(starts, (std::vector<std::uint32_t>{0, 3, 6, 7}));
}

TEST(is, ranks_that_do_not_sort_are_noticed) {
  const std::vector<npb_key> keys = {3, 1, 1, 0, 3};
  const std::vector<std::uint32_t> right = {1, 3, 3, 5};
  std::vector<npb_key> sorted(5);
  std::vector<std::uint32_t> up_to(4);
  npb_is_count(keys, 0, 0, up_to);
  EXPECT_EQ(up_to, right);
  EXPECT_TRUE(npb_is_sorts(keys, right, sorted));
  EXPECT_EQ(sorted, (std::vector<npb_key>{0, 1, 1, 3, 3}));
  for (std::size_t v = 0; v < right.size(); ++v)
    for (const std::uint32_t by : {1u, ~0u}) {
      std::vector<std::uint32_t> wrong = right;
      wrong[v] += by;
      EXPECT_FALSE(npb_is_sorts(keys, wrong, sorted)) << v;
    }
}

TEST(is, verified_on_any_number_of_workers) {
  expect_verified("is");
  expect_verified("is", {{"class", "W"}});
}

TEST(is, bad_options) {
  EXPECT_EQ(complaint("is", "class", "D"), "class is 'D'; allowed: size, S, W, A, B, C");
}

}  // namespace
}  // namespace workloads::npb_test
