// sgemm and triad, the workloads whose tasks carry hints: kernels, edge sizes, and answers under the policies that look
// at the hints.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/sgemm.hpp"
#include "workloads/kernels/triad.hpp"

namespace workloads::hinted_test {
namespace {

using options = std::map<std::string, std::string, std::less<>>;

void expect_correct_everywhere(const char* name, const options& given, const char* policy) {
  const auto program = find(name)->make({.options = given});
  for (const std::int64_t workers : any_number_of_workers) {
    skua::scheduler pool({.workers = workers, .policy = policy});
    program->prepare();
    pool.run([&] { program->parallel(); });
    const answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers under " << policy;
  }
  program->flip_one();
  EXPECT_FALSE(program->verify().correct);
}

class float_products : public testing::TestWithParam<std::size_t> {};
TEST_P(float_products, as_published) {
  const std::size_t n = GetParam();
  const std::vector<float> a = random_floats(42, n), b = random_floats(43, n);
  std::vector<float> c(n * n, 0.0F);
  sgemm_sequential(a.data(), b.data(), c.data(), n);
  ASSERT_NE(product_hash(n), 0u);
  EXPECT_EQ(hash_sequence(std::vector<std::int64_t>(c.begin(), c.end())), product_hash(n));
  EXPECT_EQ(sgemm_wrong(a, b, c, n, 1, product_hash(n)), nullptr);
  c[n + 1] += 1;
  EXPECT_NE(sgemm_wrong(a, b, c, n, 1, 0), nullptr);
}
INSTANTIATE_TEST_SUITE_P(sgemm, float_products, testing::Values(64, 96, 192, 768));

TEST(sgemm, blocks_of_any_shape) {
  constexpr std::size_t pitch = 300;
  const std::vector<float> a = random_floats(1, pitch), b = random_floats(2, pitch);
  struct {
    std::size_t rows, columns, depth;
  } const shapes[] = {{1, 1, 1}, {3, 17, 5}, {4, 16, 257}, {7, 33, 300}, {48, 48, 48}, {5, 15, 256}};
  for (const auto& s : shapes) {
    std::vector<float> c(pitch * pitch, 1.0F), plain = c;
    sgemm_block(a.data(), b.data(), c.data(), s.rows, s.columns, s.depth, pitch);
    for (std::size_t i = 0; i < s.rows; ++i)
      for (std::size_t k = 0; k < s.depth; ++k)
        for (std::size_t j = 0; j < s.columns; ++j)
          plain[i * pitch + j] += a[i * pitch + k] * b[k * pitch + j];
    EXPECT_EQ(c, plain) << s.rows << " x " << s.columns << " x " << s.depth;
  }
}

TEST(sgemm, edges_on_any_number_of_workers) {
  for (const options& given :
       {options{{"n", "1"}}, options{{"n", "2"}, {"leaf", "1"}}, options{{"n", "97"}, {"leaf", "7"}},
        options{{"n", "64"}, {"leaf", "2048"}}, options{{"repetitions", "3"}}})
    expect_correct_everywhere("sgemm", given, "depth_aware");
}

TEST(triad, sums_as_published) {
  struct {
    std::size_t n;
    int sweeps;
    double first, last;
  } const known[] = {{1 << 20, 100, 3, 1035}, {16384, 10, 5, 1043}};
  for (const auto& k : known) {
    stream_arrays x = triad_input(k.n);
    for (int sweep = 1; sweep <= k.sweeps; ++sweep)
      stream_run(stream_kernel::triad, triad_factor(sweep), x.a.data(), x.b.data(), x.c.data(), 0, k.n);
    EXPECT_EQ(sum_of(x.a), triad_sum(k.n, k.sweeps));
    EXPECT_EQ(x.a.front(), k.first);
    EXPECT_EQ(x.a.back(), k.last);
    EXPECT_TRUE(triad_correct(x, k.sweeps));
  }
}

TEST(triad, ten_classic_rounds) {
  const auto program =
      find("triad")->make({.options = {{"kernels", "stream"}, {"n", "1000"}, {"sweeps", "10"}}});
  program->prepare();
  program->sequential();
  EXPECT_TRUE(program->verify().correct);
  const stream_arrays known{{1153300781250}, {230660156250}, {307546875000}};
  EXPECT_TRUE(classic_correct(known, 10));
  EXPECT_FALSE(classic_correct(known, 9));
}

TEST(triad, edges_on_any_number_of_workers) {
  for (const char* policy : {"affinity", "affinity(strict)"})
    for (const options& given :
         {options{{"n", "1"}, {"sweeps", "1"}}, options{{"n", "100"}}, options{{"leaves", "1"}},
          options{{"n", "16384"}, {"sweeps", "10"}, {"leaves", "77"}},
          options{{"kernels", "stream"}, {"sweeps", "5"}}, options{{"wishes", "32"}, {"leaves", "64"}}})
      expect_correct_everywhere("triad", given, policy);
}

// The machine is simulated. On a real one other programs may take a worker's CPU, and its leaves then run elsewhere.
TEST(triad, says_how_many_leaves_ran_where_they_ran_before) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  const auto program = find("triad")->make({.options = {{"n", "262144"}, {"sweeps", "20"}}});
  const auto share = [&](std::int64_t workers, const char* policy) {
    skua::scheduler pool(
        {.workers = workers, .policy = policy, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
    program->prepare();
    pool.run([&] { program->parallel(); });
    const answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << v.message;
    double percent = 0;
    EXPECT_EQ(std::sscanf(v.message.c_str(), "every element exact; %lf%% of the leaves", &percent), 1)
        << v.message;
    return percent;
  };
  EXPECT_EQ(share(1, "affinity"), 100);
  EXPECT_GE(share(2, "affinity"), 85);
  // The times of the leaves are measured, and other programs make some of them longer. So the best of three runs counts.
  double most = 0;
  for (int run = 0; run < 3 && most < 70; ++run) most = std::max(most, share(8, "affinity(strict)"));
  EXPECT_GE(most, 70);
  EXPECT_LE(share(8, "random"), 50);
}

TEST(sgemm, counts_what_other_workers_ran) {
  const auto program = find("sgemm")->make({.options = {{"n", "96"}, {"leaf", "12"}}});
  const auto numbers = [&](std::int64_t workers) {
    skua::scheduler pool({.workers = workers, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
    program->prepare();
    pool.run([&] { program->parallel(); });
    return program->numbers();
  };
  EXPECT_TRUE(numbers(1).empty()) << "with one worker there is no other worker to choose";
  auto stolen = numbers(16);
  // 512 leaves below forks at depths 1 to 9; a task at depth d is worth 2^(9 - d) leaves.
  EXPECT_GE(stolen["stolen_depth"], 1);
  EXPECT_LE(stolen["stolen_depth"], 9);
  EXPECT_GE(stolen["stolen_work"], 1);
  EXPECT_LE(stolen["stolen_work"], 256);
}

TEST(hinted_workloads, bad_options_are_refused) {
  EXPECT_THROW(find("sgemm")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("sgemm")->make({.options = {{"repetitions", "101"}}}), skua::bad_input);
  EXPECT_THROW(find("triad")->make({.options = {{"leaves", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("triad")->make({.options = {{"kernels", "dot"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::hinted_test
