// Loops over the same range, again and again: each worker runs the same positions each time, so data stay in its caches. Costs
// and data are declared, so each run gives the same numbers.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <skua/skua.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/at_same_place.hpp"
#include "tests/support/sanitizers.hpp"

namespace repeated_loops_test {
namespace {

/// The scheduler tries two ways to divide a loop, eight loops each, and then keeps one. If both ways take long at first,
/// the data are only at their workers in the middle of the third eight loops. So the last eight of 32 count.
constexpr int loops = 32, counted = 8;

struct outcome {
  double us;    // a loop, of those that count
  double same;  // the share of elements that ran on the same worker in the last two loops
};

/// How many bytes behind a boundary of 2 MB each array begins: multiples of 8, below 64 KB.
struct layout {
  std::size_t a, b, c;
};

/// An array of doubles. Nobody reads or writes it: its bytes are only declared.
class array {
 public:
  array(std::size_t n, std::size_t offset)
      : memory_(n + offset / sizeof(double)), skipped_(offset / sizeof(double)) {}
  double* at(std::size_t i) { return memory_.data() + skipped_ + i; }

 private:
  std::vector<double, at_same_place<double>> memory_;
  std::size_t skipped_;
};

/// a = b + s c for `n` elements. A grain of 0 lets skua divide the loops.
outcome run_triads(const std::string& machine, std::size_t n, layout where, std::int64_t grain) {
  skua::scheduler pool({.policy = "nearest", .simulate = skua::simulation{.machine = machine}});
  array a(n, where.a), b(n, where.b), c(n, where.c);
  std::vector<int> ran_on(n, -1), before;
  double us = 0;
  const auto now_us = [&] { return 1e6 * pool.simulated_so_far().seconds; };
  pool.run([&] {
    for (int i = 0; i < loops; ++i) {
      before = ran_on;
      const double began = now_us();
      skua::parallel_for(skua::blocked(std::size_t{0}, n, grain), [&](std::size_t first, std::size_t last) {
        skua::reads(b.at(first), last - first);
        skua::reads(c.at(first), last - first);
        skua::writes(a.at(first), last - first);
        skua::costs(0.8 * static_cast<double>(last - first));
        for (std::size_t k = first; k < last; ++k) ran_on[k] = skua::worker_index();
      });
      if (i >= loops - counted) us += (now_us() - began) / counted;
    }
  });
  std::size_t same = 0;
  for (std::size_t k = 0; k < n; ++k) same += ran_on[k] == before[k];
  return {us, static_cast<double>(same) / static_cast<double>(n)};
}

/// Beside a static schedule: as many pieces as workers, which no thief can divide.
void expect_same_positions(const std::string& machine, std::size_t n, layout where) {
  const std::size_t workers = skua::scheduler({.simulate = skua::simulation{.machine = machine}}).workers();
  const outcome free = run_triads(machine, n, where, 0);
  const outcome fixed = run_triads(machine, n, where, static_cast<std::int64_t>((n + workers - 1) / workers));
  std::printf("  %s, %zu %zu %zu: %.1f us a loop, %.1f%% as before; one piece for each worker: %.1f us\n",
              machine.c_str(), where.a, where.b, where.c, free.us, 100 * free.same, fixed.us);
  EXPECT_GT(free.same, 0.95);
  EXPECT_LT(free.us, 1.3 * fixed.us);
}

TEST(repeated_loops, keep_their_positions_on_16_workers) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  // In all of these but the first, the data once never came to rest: thieves took pieces that were slow because their data were still far away.
  constexpr layout layouts[] = {
      {0, 0, 0}, {43696, 55248, 36624}, {21856, 44960, 7712}, {26256, 11504, 10416}, {39328, 26976, 57056}};
  for (const layout& where : layouts) expect_same_positions("opteron-8380-4s", 524'288, where);
}

TEST(repeated_loops, keep_their_positions_on_112_workers) {
  if (under_sanitizer) GTEST_SKIP() << "one machine is enough under a sanitizer";
  expect_same_positions("xeon-8480plus-2s", 2'000'000, {32, 4128, 16});
}

/// The first sixteenth of the positions takes most of the time.
double us_of_uneven_loops(const std::string& policy, std::uint64_t seed) {
  constexpr int n = 1024;
  skua::scheduler pool(
      {.policy = policy, .seed = seed, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  double began = 0, ended = 0;
  pool.run([&] {
    for (int i = 0; i < 2 * loops; ++i) {
      if (i == loops) began = pool.simulated_so_far().seconds;
      skua::parallel_for(0, n, [=](int k) { skua::costs(k < n / 16 ? 20'000 : 1'000); });
    }
    ended = pool.simulated_so_far().seconds;
  });
  const double us = 1e6 * (ended - began) / loops;
  std::printf("  uneven, %s: %.1f us a loop\n", policy.c_str(), us);
  return us;
}

/// The median over some seeds: the time of a seed may be a tenth longer or shorter.
double us_of_uneven_loops(const std::string& policy) {
  std::array<double, 5> us;
  for (std::size_t i = 0; i < us.size(); ++i) us[i] = us_of_uneven_loops(policy, i + 1);
  std::ranges::sort(us);
  return us[us.size() / 2];
}

// Thieves must be free to divide such loops.
TEST(repeated_loops, that_are_uneven_are_stolen) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  EXPECT_LT(us_of_uneven_loops("nearest"), 1.1 * us_of_uneven_loops("nearest(deal=never)"));
}

}  // namespace
}  // namespace repeated_loops_test
