// Thieves leave very short tasks to the worker that forks them, because the worker ends such a task before a thief has it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"

namespace skua {
namespace {
namespace tiny_steals_test {

// If thieves did not pause, they would steal from up to 7000 of each 20 000 loops, and a loop would take several times as
// long. If other programs use the CPUs, the thief steals less in both cases.
TEST(tiny_steals, short_loops_are_left_to_their_worker) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "a sanitizer makes tasks long";
  static constexpr int loops = 500'000;
  // The fewest of three runs, since a thief may lose its CPU before it has noticed what it steals.
  std::uint64_t fewest = loops;
  for (int run = 0; run < 3 && fewest >= loops / 100; ++run) {
    scheduler s({.workers = 2});
    s.run([] {
      for (int i = 0; i < loops; ++i) parallel_for(0, 10, [](int) {});
    });
    fewest = std::min(fewest, s.report().total.steals);
  }
  EXPECT_LT(fewest, loops / 100u);
}

// Longer loops, which may be stolen from. A thief that never stayed away stole from nearly each of them, and they took ten times
// as long.
TEST(tiny_steals, small_loops_of_a_task_are_left_to_their_worker) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "a sanitizer makes loops long";
  scheduler s({.workers = 2});
  static constexpr int loops = 100'000;
  s.run([] {
    std::array<int, 100> ran{};
    for (int i = 0; i < loops; ++i) parallel_for(0, 100, [&](int k) { ++ran[static_cast<std::size_t>(k)]; });
    EXPECT_EQ(ran[99], loops);
  });
  std::printf("  %llu parts stolen\n", static_cast<unsigned long long>(s.report().total.steals));
  EXPECT_LT(s.report().total.steals, loops / 10u);
}

}  // namespace tiny_steals_test
}  // namespace
}  // namespace skua
