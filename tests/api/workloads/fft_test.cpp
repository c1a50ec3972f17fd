// fft: its transforms, compared with their definition and with known results, and the same bits on any number of workers.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/fft.hpp"

namespace workloads::fft_test {
namespace {

using points = std::vector<fft_point>;

points transformed(const points& x) {
  std::vector<fft_level> levels = fft_levels(x.size());
  for (fft_level& level : levels) level.fill_roots(0, level.roots.size());
  points y(x.size()), spare(x.size());
  fft_sequential(levels.data(), x.data(), y.data(), spare.data());
  return y;
}
/// All bins by their definition. It computes each root of unity once, and fft_bin() computes it for each bin.
points bins_by_definition(const points& x) {
  const std::size_t n = x.size();
  points roots(n), bins(n);
  for (std::size_t k = 0; k < n; ++k) roots[k] = fft_root(k, n);
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t k = 0; k < n; ++k) bins[m] += x[k] * roots[m * k % n];
  return bins;
}
double distance(const points& a, const points& b) {
  points difference(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) difference[k] = a[k] - b[k];
  return std::sqrt(fft_energy(difference));
}

TEST(fft, divides_as_cilk_does) {
  std::vector<std::size_t> lengths;
  for (const fft_level& level : fft_levels(1 << 22)) lengths.push_back(level.length);
  EXPECT_EQ(lengths, (std::vector<std::size_t>{1 << 22, 1 << 18, 1 << 14, 1024, 128, 16}));
  EXPECT_EQ(fft_radix(512), 16u);
  EXPECT_EQ(fft_radix(64), 8u);
  EXPECT_EQ(fft_radix(32), 0u);
}

class fft_lengths : public testing::TestWithParam<std::size_t> {};

TEST_P(fft_lengths, every_bin_as_defined_and_back_again) {
  const std::size_t n = GetParam();
  const points x = fft_input(7, n), y = transformed(x);
  points swapped(n), back(n);
  EXPECT_LT(distance(y, bins_by_definition(x)), 1e-13 * std::sqrt(fft_energy(y)));
  EXPECT_EQ(fft_complaint(x, y, std::nullopt), "");

  // The inverse is the transform with real and imaginary parts exchanged, divided by n.
  for (std::size_t k = 0; k < n; ++k) swapped[k] = {y[k].imag(), y[k].real()};
  swapped = transformed(swapped);
  for (std::size_t k = 0; k < n; ++k)
    back[k] = fft_point{swapped[k].imag(), swapped[k].real()} / static_cast<double>(n);
  EXPECT_LT(distance(back, x), 1e-13 * std::sqrt(fft_energy(x)));
}

TEST_P(fft_lengths, a_delta_is_flat_and_a_tone_is_one_bin) {
  const std::size_t n = GetParam(), tone = n / 3;
  points delta(n), wave(n);
  delta[0] = 1;
  for (const fft_point& bin : transformed(delta)) EXPECT_EQ(bin, fft_point(1));
  for (std::size_t k = 0; k < n; ++k) wave[k] = std::conj(fft_root(tone * k % n, n));
  points expected(n);
  expected[tone] = static_cast<double>(n);
  EXPECT_LT(distance(transformed(wave), expected), 1e-13 * static_cast<double>(n));
}

INSTANTIATE_TEST_SUITE_P(, fft_lengths,
                         testing::Values(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 8192));

TEST(fft, as_published) {
  for (const std::size_t n : {1u << 14, 1u << 16, 1u << 20}) {
    const points x = fft_input(42, n);
    points y = transformed(x);
    EXPECT_EQ(fft_complaint(x, y, fft_published(n)), "") << n;
    y[12345] += 1e-6;
    EXPECT_EQ(fft_complaint(x, y, fft_published(n)), "the transform differs from the published one") << n;
    y[0] *= 2;
    EXPECT_EQ(fft_complaint(x, y, fft_published(n)),
              "the energy of the transform differs from that of its input")
        << n;
    EXPECT_EQ(fft_complaint(fft_input(43, n), transformed(fft_input(43, n)), fft_published(n)),
              "the input differs from the published one");
  }
}

TEST(fft, every_bit_on_any_number_of_workers) {
  for (const char* n : {"1", "32", "64", "512", "4096", "32768"})
    for (const char* region : {"none", "shaped"}) {
      const auto program =
          find("fft")->make({.seed = 3, .options = {{"n", n}, {"transforms", "2"}, {"region", region}}});
      for (const std::int64_t workers : any_number_of_workers) {
        skua::scheduler pool({.workers = workers, .policy = "bitier"});
        program->prepare();
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", " << n << " points, " << workers << " workers";
      }
    }
}

TEST(fft, refuses_lengths_that_are_not_powers_of_two) {
  const auto complaint = [](const char* n) {
    try {
      find("fft")->make({.options = {{"n", n}}});
    } catch (const skua::bad_input& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(complaint("100"), "n is '100'; allowed: a power of two; nearest: 128");
  EXPECT_EQ(complaint("5"), "n is '5'; allowed: a power of two; nearest: 4");
  EXPECT_EQ(complaint("65"), "n is '65'; allowed: a power of two; nearest: 64");
  EXPECT_EQ(complaint("0"), "n is '0'; allowed: a whole number from 1 to 268435456; nearest: 1");
}

}  // namespace
}  // namespace workloads::fft_test
