// cholesky: the factor of known matrices of any size, and the same bits on any number of workers.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/cholesky.hpp"

namespace workloads::cholesky_test {
namespace {

TEST(cholesky, whole_numbers_exactly) {
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 130u, 200u}) {
    std::vector<double> l = cholesky_exact_input(n);
    cholesky_sequential(l.data(), n);
    EXPECT_EQ(cholesky_error(l, n, [](std::size_t i, std::size_t j) { return j <= i ? 1.0 : 0.0; }), 0) << n;
  }
}

TEST(cholesky, random_factors_of_any_size) {
  for (const std::size_t n : {1u, 3u, 64u, 67u, 129u, 191u}) {
    std::vector<double> l = cholesky_random_input(7, n);
    cholesky_sequential(l.data(), n);
    const auto entry = [n](std::size_t i, std::size_t j) { return cholesky_entry(7, n, i, j); };
    EXPECT_LT(cholesky_error(l, n, entry), 1e-13) << n;
    l[0] = std::nan("");
    EXPECT_TRUE(std::isnan(cholesky_error(l, n, entry)));
  }
}

TEST(cholesky, sums_of_logarithms_as_published) {
  for (const std::size_t n : {256u, 512u}) {
    std::vector<double> l = cholesky_random_input(42, n);
    cholesky_sequential(l.data(), n);
    EXPECT_NEAR(cholesky_log_sum(l, n), cholesky_log_sum(n), 1e-11) << n;
    EXPECT_LT(cholesky_error(l, n, [n](auto i, auto j) { return cholesky_entry(42, n, i, j); }), 1e-11);
  }
}

TEST(cholesky, every_bit_on_any_number_of_workers) {
  for (const char* n : {"1", "64", "65", "127", "320", "450"})
    for (const char* input : {"random", "exact"})
      expect_verified("cholesky", {{"n", n}, {"input", input}}, 3);
}

TEST(cholesky, refuses_other_inputs) {
  EXPECT_THROW(find("cholesky")->make({.options = {{"input", "sparse"}}}), skua::bad_input);
  EXPECT_THROW(find("cholesky")->make({.options = {{"n", "0"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::cholesky_test
