// Thieves leave very short tasks to the worker that forks them, because the worker ends such a task before a thief has it.
#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"

namespace skua {
namespace {
namespace tiny_steals_test {

// If thieves did not pause, they would steal from up to 7000 of each 20 000 loops, and a loop would take several times as
// long. If other programs use the CPUs, the thief steals less in both cases.
TEST(tiny_steals, short_loops_are_left_to_their_worker) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "a sanitizer makes tasks long";
  scheduler s({.workers = 2});
  constexpr int loops = 500'000;
  s.run([] {
    for (int i = 0; i < loops; ++i) parallel_for(0, 10, [](int) {});
  });
  EXPECT_LT(s.report().total.steals, loops / 100u);
}

}  // namespace tiny_steals_test
}  // namespace
}  // namespace skua
