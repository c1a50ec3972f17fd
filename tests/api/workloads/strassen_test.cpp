// strassen: exactly equal to the plain product, for matrices that can be halved and for those that cannot.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/strassen.hpp"

namespace workloads::strassen_test {
namespace {

TEST(strassen, is_the_plain_product) {
  for (const std::size_t n : {1u, 2u, 64u, 65u, 66u, 128u, 150u, 260u}) {
    const std::vector<double> a = random_matrix(1, n), b = random_matrix(2, n);
    std::vector<double> c(n * n, 7.0), plain(n * n, 0.0);
    strassen_sequential({{a.data(), n}, {b.data(), n}, {c.data(), n}}, n);
    matmul_sequential(a.data(), b.data(), plain.data(), n);
    EXPECT_EQ(c, plain) << n;
  }
}

TEST(strassen, products_as_published) {
  for (const std::size_t n : {64u, 128u, 192u, 256u, 512u}) {
    const std::vector<double> a = random_matrix(42, n), b = random_matrix(43, n);
    std::vector<double> c(n * n);
    strassen_sequential({{a.data(), n}, {b.data(), n}, {c.data(), n}}, n);
    EXPECT_EQ(hash_sequence(std::vector<std::int64_t>(c.begin(), c.end())), product_hash(n)) << n;
  }
}

TEST(strassen, the_same_on_any_number_of_workers) {
  for (const char* n : {"1", "65", "128", "300", "512"})
    expect_verified("strassen", {{"n", n}, {"times", "2"}});
}

TEST(strassen, refuses_matrices_without_rows) {
  EXPECT_THROW(find("strassen")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("strassen")->make({.options = {{"times", "0"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::strassen_test
