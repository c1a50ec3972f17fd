// sor and gauss: known properties of their inputs and answers, and verified answers on any number of workers.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/hash.hpp"
#include "workloads/kernels/gauss.hpp"
#include "workloads/kernels/sor.hpp"

namespace workloads::sor_gauss_test {
namespace {

TEST(sor, sequential_as_published) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  struct {
    std::size_t n;
    int iterations;
    double error, squares, sum;
  } const known[] = {{65, 20, 0.473233566776, 377.931703226235, 761.581735225581},
                     {129, 100, 0.418765576308, 1550.15231526902, 3196.72465933193},
                     {512, 100, 0.818029227503, 6434.71321097104, 14213.8932097906},
                     {1024, 50, 0.929038216412, 9359.13231572212, 20766.1708280025},
                     {2048, 200, 0.927811418997, 35885.1157962235, 81226.0293461851}};
  for (const auto& k : known) {
    if (under_sanitizer && k.n > 1024) continue;
    std::vector<double> plate = sor_plate(sor_square(k.n));
    sor_sequential(plate, sor_square(k.n), k.iterations, 1.5);
    double squares = 0, sum = 0;
    for (const double u : plate) {
      squares += u * u;
      sum += std::abs(u);
    }
    EXPECT_NEAR(sor_error(plate, sor_square(k.n)), k.error, 1e-12);
    EXPECT_NEAR(squares, k.squares, 1e-9 * k.squares);
    EXPECT_NEAR(sum, k.sum, 1e-9 * k.sum);
    EXPECT_EQ(hash_sequence(plate), sor_published(k.n, k.iterations));
  }
}

TEST(sor, settles_at_its_limit) {
  for (const sor_grid grid : {sor_grid{129, 129}, {129, 60}, {40, 129}}) {
    std::vector<double> plate = sor_plate(grid);
    sor_sequential(plate, grid, 500, 1.9520897);
    EXPECT_LT(sor_error(plate, grid), 1e-10);
    plate[grid.columns + 2] = std::nan("");
    EXPECT_TRUE(std::isnan(sor_error(plate, grid)));
  }
}

TEST(sor, verified_on_any_number_of_workers) {
  expect_verified("sor");
  expect_verified("sor", {{"n", "3"}});
  expect_verified("sor", {{"n", "80"}, {"columns", "33"}, {"leaf", "7"}});
  expect_verified("sor", {{"n", "30"}, {"columns", "65"}, {"omega", "best"}, {"iterations", "400"}});
  expect_verified("sor", {{"n", "4"}, {"iterations", "1"}, {"leaf", "1"}});
  expect_verified("sor", {{"n", "65"}, {"iterations", "20"}, {"leaf", "1"}});
  expect_verified("sor", {{"n", "50"}, {"iterations", "230"}, {"leaf", "7"}, {"omega", "best"}});
}

TEST(sor, bad_options) {
  EXPECT_EQ(complaint("sor", "n", "2"), "n is '2'; allowed: a whole number from 3 to 16384; nearest: 3");
  EXPECT_EQ(complaint("sor", "omega", "2"), "omega is '2'; allowed: 1.5, best");
  EXPECT_NE(complaint("sor", "iterations", "0"), "accepted");
  EXPECT_NE(complaint("sor", "leaf", "0"), "accepted");
}

TEST(gauss, sequential_as_published) {
  for (const std::size_t n : {std::size_t{128}, std::size_t{512}}) {
    std::vector<double> a = gauss_system(42, n);
    gauss_sequential(a.data(), n);
    EXPECT_NEAR(gauss_log_determinant(a, n), gauss_published(n)->log_determinant, 1e-9);
    EXPECT_EQ(hash_sequence(a), gauss_published(n)->hash);
    EXPECT_LT(gauss_error(gauss_solution(a, n)), 1e-12 * static_cast<double>(n));
  }
  EXPECT_TRUE(std::isnan(gauss_error({1.0, std::nan("")})));
}

TEST(gauss, verified_on_any_number_of_workers) {
  expect_verified("gauss");
  expect_verified("gauss", {{"form", "loop"}});
  expect_verified("gauss", {{"n", "1"}});
  expect_verified("gauss", {{"n", "2"}});
  expect_verified("gauss", {{"n", "101"}, {"leaf", "1"}});
  expect_verified("gauss", {{"n", "101"}, {"leaf", "7"}, {"form", "loop"}});
  expect_verified("gauss", {}, 7);
}

TEST(gauss, bad_options) {
  EXPECT_EQ(complaint("gauss", "form", "halves"), "form is 'halves'; allowed: divide, loop");
  EXPECT_NE(complaint("gauss", "n", "0"), "accepted");
  EXPECT_NE(complaint("gauss", "leaf", "0"), "accepted");
}

}  // namespace
}  // namespace workloads::sor_gauss_test
