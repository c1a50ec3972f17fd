// ep: the NAS parallel benchmarks' random numbers and answers, and that they come out on any number of workers.
#include <gtest/gtest.h>

#include "workload_checks.hpp"
#include "workloads/common/npb_random.hpp"
#include "workloads/kernels/ep.hpp"

namespace workloads {
namespace {

TEST(npb_random, a_power_of_five_modulo_a_power_of_two) {
  npb_random one(1);
  EXPECT_EQ(one.next(), 1220703125 * 0x1p-46);
  EXPECT_EQ(one.next(), static_cast<double>(1220703125ull * 1220703125ull % (1ull << 46)) * 0x1p-46);
}

TEST(npb_random, skips_as_if_it_had_stepped) {
  npb_random slow(314159265);
  for (std::uint64_t steps = 0; steps < 100; ++steps) {
    npb_random fast(314159265);
    fast.skip(steps);
    EXPECT_EQ(fast.next(), slow.next()) << steps;
  }
}

TEST(ep, sequential_as_published) {
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

TEST(ep, bad_options) {
  EXPECT_EQ(complaint("ep", "class", "F"), "class is 'F'; allowed: size, S, W, A, B, C, D, E");
  EXPECT_EQ(complaint("ep", "m", "15"), "m is '15'; allowed: a whole number from 16 to 40; nearest: 16");
}

}  // namespace
}  // namespace workloads
