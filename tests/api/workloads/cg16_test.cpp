// cg16: published residuals, the error after every iteration, intact and damaged files of matrices, the same bits on any
// number of workers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/matrix_file.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/cg16.hpp"

namespace workloads::cg16_test {
namespace {

cg_state solved(const sparse_matrix& a, int iterations) {
  cg_state state;
  state.start(cg_right_side(a));
  cg_sequential(a, state, iterations);
  return state;
}
double residual(const sparse_matrix& a, int iterations) {
  return cg_residual(a, cg_right_side(a), solved(a, iterations).x);
}

TEST(cg16, synthetic_matrices_as_published) {
  const sparse_matrix small = cg_synthetic(5, 4, 6), large = cg_synthetic(11, 4, 37);
  EXPECT_EQ(small.n, 360u);
  EXPECT_EQ(small.entries(), 18720u);
  EXPECT_EQ(large.n, 4884u);
  EXPECT_EQ(large.entries(), 304110u);
  std::size_t min = large.n, max = 0;
  for (std::size_t row = 0; row < large.n; ++row) {
    min = std::min(min, large.start[row + 1] - large.start[row]);
    max = std::max(max, large.start[row + 1] - large.start[row]);
  }
  EXPECT_EQ(min, 24u);
  EXPECT_EQ(max, 81u);
  EXPECT_NEAR(residual(small, 10), 0.0452132510589, 1e-6 * 0.045);
  EXPECT_LT(residual(small, 50), 1e-14);
  EXPECT_NEAR(residual(large, 10), 0.290770667791, 1e-6 * 0.29);
  EXPECT_NEAR(residual(large, 50), 0.00283326329, 1e-6 * 0.0028);
  EXPECT_LT(std::sqrt(solved(large, 100).rho) / cg_norm(cg_right_side(large)), 1e-14);
}

TEST(cg16, every_iteration_reduces_the_error) {
  const sparse_matrix a = cg_synthetic(5, 4, 6);
  double before = cg_error(a, cg_vector(a.n, 0.0));
  for (int iterations = 1; iterations <= 25; ++iterations) {
    const double now = cg_error(a, solved(a, iterations).x);
    EXPECT_LT(now, before) << iterations;
    before = now;
  }
}

TEST(cg16, the_stiffness_matrix_as_published) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto file = std::filesystem::path(SKUA_SHARED) / "data" / "bcsstk16.tri";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no such matrix";
  const sparse_matrix a = read_symmetric_matrix(file.string());
  EXPECT_EQ(a.n, 4884u);
  EXPECT_EQ(a.entries(), 290378u);
  double min = a.values[0], max = a.values[0];
  for (std::uint32_t row = 0; row < a.n; ++row)
    for (std::size_t k = a.start[row]; k < a.start[row + 1]; ++k)
      if (a.columns[k] == row) min = std::min(min, a.values[k]), max = std::max(max, a.values[k]);
  EXPECT_EQ(min, 1);
  EXPECT_NEAR(max, 2147947022.547, 1e-3);
  EXPECT_NEAR(cg_norm(cg_right_side(a)), 10495799970.468956, 1e-3);
  EXPECT_NEAR(residual(a, 10), 0.170171710391, 1e-3 * 0.17);
  const cg_state end = solved(a, 600);
  EXPECT_LT(cg_residual(a, cg_right_side(a), end.x), 1e-13);
  for (const double x : end.x) EXPECT_NEAR(x, 1, 1e-10);
  for (const char* iterations : {"10", "100"}) {
    const auto program =
        find("cg16")->make({.options = {{"input", file.string()}, {"iterations", iterations}}});
    skua::scheduler pool({.workers = 2});
    program->prepare();
    pool.run([&] { program->parallel(); });
    const answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << v.message;
  }
}

TEST(cg16, any_size_on_any_number_of_workers) {
  using setting = std::map<std::string, std::string, std::less<>>;
  for (const setting& options : {setting{{"nx", "1"}, {"ny", "1"}, {"nz", "1"}},
                                 setting{{"nx", "1"}, {"nz", "2"}}, setting{{"nz", "1"}, {"iterations", "1"}},
                                 setting{{"nx", "7"}, {"times", "3"}}, setting{{"iterations", "300"}}})
    expect_verified("cg16", options, std::nullopt, uncomputed::wrong);
  EXPECT_THROW(find("cg16")->make({.options = {{"nx", "65"}}}), skua::bad_input);
  EXPECT_THROW(find("cg16")->make({.options = {{"iterations", "0"}}}), skua::bad_input);
}

// The sums of phases differ in the last bits, so the messages may differ too.
TEST(cg16, phases_on_any_number_of_workers) {
  for (const char* iterations : {"1", "50"})
    for (const std::int64_t workers : any_number_of_workers) {
      const auto program = find("cg16")->make({.options = {{"form", "phases"}, {"iterations", iterations}}});
      skua::scheduler pool({.workers = workers});
      program->prepare();
      EXPECT_FALSE(program->verify().correct);
      pool.run([&] { program->parallel(); });
      const answer_check v = program->verify();
      EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers";
      program->flip_one();
      EXPECT_FALSE(program->verify().correct);
    }
}

struct matrix_files : testing::Test, input_file {
  matrix_files() : input_file("cg16") {}
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n";
};

TEST_F(matrix_files, in_both_forms) {
  for (const std::string& text : {std::string("1 1 2e0\n0 0 2.0\r\n\n2 2\t3\n1 0 -1\n"),
                                  head + "% a comment\n3 3 4\n2 1 -1\n1 1 2\n2 2 2\n3 3 3\n"}) {
    write(text);
    const sparse_matrix a = read_symmetric_matrix(name);
    EXPECT_EQ(a.start, (std::vector<std::size_t>{0, 2, 4, 5}));
    EXPECT_EQ(a.columns, (std::vector<std::uint32_t>{0, 1, 0, 1, 2}));
    EXPECT_EQ(a.values, (std::vector<double>{2, -1, -1, 2, 3}));
  }
}

TEST_F(matrix_files, damaged_ones_are_refused) {
  EXPECT_EQ(complaint("0 0 1\n"), "accepted");
  EXPECT_EQ(complaint(""), " ends after line 0: expected entries of a matrix");
  EXPECT_EQ(complaint("0 0 1\n1 x 2\n"), ":2: expected a row, a column and a value, found '1 x 2'");
  EXPECT_EQ(complaint("0 0 nan\n"), ":1: expected a row, a column and a value, found '0 0 nan'");
  EXPECT_EQ(complaint("0 0 1 1\n"), ":1: expected a row, a column and a value, found '0 0 1 1'");
  EXPECT_EQ(complaint("0 1 1\n"), ":1: expected a column from 0 to 0, on or below the diagonal, found 1");
  EXPECT_EQ(complaint("10000000 0 1\n"), ":1: expected a row from 0 to 9999999, found 10000000");
  EXPECT_EQ(complaint("0 0 1\n1 0 1\n"), ": row 2 of 2: expected a positive entry on the diagonal");
  EXPECT_EQ(complaint("%%MatrixMarket matrix array real general\n"),
            ":1: expected '%%MatrixMarket matrix coordinate real symmetric', found "
            "'%%MatrixMarket matrix array real general'");
  EXPECT_EQ(complaint(head + "%\n"),
            " ends after line 2: expected a line with the numbers of rows, columns and entries");
  EXPECT_EQ(complaint(head + "2 3 1\n"), ":2: expected a square matrix of 1 to 10000000 rows, found '2 3 1'");
  EXPECT_EQ(complaint(head + "2 2\n"), ":2: expected the numbers of rows, columns and entries, found '2 2'");
  EXPECT_EQ(complaint(head + "1 1 1\n0 0 1\n"), ":3: expected a row from 1 to 1, found 0");
  EXPECT_EQ(complaint(head + "1 1 2\n1 1 1\n"), " ends after line 3: expected 2 entries, found 1");
  EXPECT_EQ(complaint(head + "1 1 1\n1 1 1\n1 1 1\n"), ":4: expected no more than 1 entries");
  EXPECT_THROW(find("cg16")->make({.options = {{"input", "/no/such/file"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::cg16_test
