// Bounds of loops: mixed types, the whole range of a type, and the grain that every block but the last one has.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/refusal.hpp"

namespace bounds_test {
namespace {

void expect_refused(const std::string& message) {
  EXPECT_NE(message.find("-1"), std::string::npos) << message;
  EXPECT_NE(message.find("unsigned"), std::string::npos) << message;
}

// ---- types

TEST(loop_bounds, each_axis_has_its_own_type) {
  std::atomic<int> cells{0}, first{0};
  skua::parallel_for(skua::blocked2d(-1, 2, std::size_t{0}, std::size_t{5}), [&](auto rows, auto cols) {
    for (auto r : rows)
      for (auto c : cols) {
        static_assert(std::is_same_v<decltype(r), int> && std::is_same_v<decltype(c), std::size_t>);
        ++cells;
        first += r == -1 && c == 0;
      }
  });
  EXPECT_EQ(cells, 15);
  EXPECT_EQ(first, 1);
  cells = 0;
  skua::parallel_for(skua::blocked3d(-1, 1, std::size_t{0}, 3u, std::uint8_t{250}, std::uint8_t{255}),
                     [&](auto pages, auto rows, auto cols) {
                       static_assert(std::is_same_v<decltype(*pages.begin()), int> &&
                                     std::is_same_v<decltype(*rows.begin()), std::size_t> &&
                                     std::is_same_v<decltype(*cols.begin()), std::uint8_t>);
                       cells += static_cast<int>(pages.size() * rows.size() * cols.size());
                     });
  EXPECT_EQ(cells, 30);
}

TEST(loop_bounds, a_negative_start_of_unsigned_positions_is_refused) {
  const auto never = [](auto&&...) { ADD_FAILURE(); };
  const auto zero = [](auto) { return 0; };
  const std::size_t three = 3;
  expect_refused(refusal([&] { skua::parallel_for(-1, three, never); }));
  expect_refused(refusal([&] { skua::parallel_for(skua::blocked(-1, three), never); }));
  expect_refused(refusal([&] { skua::parallel_for(skua::blocked2d(0, 1, -1, three), never); }));
  expect_refused(refusal([&] { skua::parallel_for(skua::blocked2d(-1, 1u, 0, 1), never); }));
  expect_refused(refusal([&] { skua::parallel_for(skua::blocked3d(-1, three, 0, 1, 0, 1), never); }));
  expect_refused(refusal([&] { skua::parallel_reduce(-1, three, 0, zero, std::plus<>{}); }));
  expect_refused(refusal([&] { skua::parallel_reduce_deterministic(-1, three, 0, zero, std::plus<>{}); }));
}

TEST(loop_bounds, a_negative_end_of_unsigned_positions_is_an_empty_loop) {
  const auto never = [](auto&&...) { ADD_FAILURE(); };
  const std::size_t zero = 0;
  skua::parallel_for(zero, -1, never);
  skua::parallel_for(skua::blocked(zero, -1), never);
  skua::parallel_for(skua::blocked2d(0, 1, zero, -1), never);
  skua::parallel_for(skua::blocked3d(0u, -1, 0, 1, 0, 1), never);
  EXPECT_EQ(skua::parallel_reduce(zero, -1, 7, [](auto) { return 1; }, std::plus<>{}), 7);
  EXPECT_EQ(skua::parallel_reduce_deterministic(zero, -1, 7, [](auto) { return 1; }, std::plus<>{}), 7);
}

TEST(loop_bounds, signed_and_unsigned_bounds_mix_if_both_types_hold_the_positions) {
  std::atomic<int> ran{0};
  skua::parallel_for(0, std::size_t{3}, [&](std::size_t) { ++ran; });
  skua::parallel_for(std::size_t{0}, 3, [&](std::size_t) { ++ran; });
  skua::parallel_for(-1, std::uint8_t{2}, [&](int) { ++ran; });
  skua::parallel_for(std::int64_t{-1}, 2u, [&](std::int64_t) { ++ran; });
  EXPECT_EQ(ran, 12);
}

// ---- extents

template <class I>
void expect_all_rows(I first, I last) {
  std::mutex guard;
  std::vector<std::pair<I, I>> seen;
  skua::parallel_for(skua::blocked2d(first, last, 0, 1), [&](auto rows, auto cols) {
    EXPECT_EQ(cols.size(), 1u);
    EXPECT_FALSE(rows.empty());
    const std::lock_guard lock(guard);
    seen.emplace_back(*rows.begin(), *rows.end());
  });
  std::sort(seen.begin(), seen.end());
  ASSERT_FALSE(seen.empty());
  EXPECT_LE(seen.size(), 64u);
  EXPECT_EQ(seen.front().first, first);
  EXPECT_EQ(seen.back().second, last);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_EQ(seen[i].first, seen[i - 1].second);
}

TEST(loop_bounds, tiles_cover_the_whole_range_of_a_type) {
  expect_all_rows(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  expect_all_rows(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  for (int zeros = 0; zeros < 64; ++zeros) {
    expect_all_rows(std::uint64_t{0}, ~std::uint64_t{0} << zeros);
    expect_all_rows(std::uint64_t{0}, ~std::uint64_t{0} >> zeros);
  }
  expect_all_rows(std::int8_t{-128}, std::int8_t{127});
  expect_all_rows(std::uint16_t{0}, std::uint16_t{65535});
}

TEST(loop_bounds, a_run_of_positions_knows_its_size_at_any_extent) {
  const auto min = std::numeric_limits<std::int64_t>::min(), max = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(skua::subrange<std::int64_t>(min, max).size(), std::numeric_limits<std::uint64_t>::max());
}

TEST(loop_bounds, more_tiles_than_can_be_counted_are_refused) {
  const auto never = [](auto&&...) { ADD_FAILURE(); };
  const std::int64_t n = std::int64_t{1} << 40;
  for (const std::string& message :
       {refusal([&] {
          skua::parallel_for(skua::blocked2d(std::int64_t{0}, n, std::int64_t{0}, n, 1, 1), never);
        }),
        refusal([&] {
          skua::parallel_for(skua::blocked3d(std::int64_t{0}, n, std::int64_t{0}, n, std::int64_t{0}, n,
                                             1 << 20, 1 << 20, 1),
                             never);
        })})
    EXPECT_NE(message.find("tiles"), std::string::npos) << message;
}

// The first block begins where the range begins. The test ends the loop there by an exception.
TEST(loop_bounds, blocks_of_the_whole_range_begin_at_its_start) {
  const auto min = std::numeric_limits<std::int64_t>::min(), max = std::numeric_limits<std::int64_t>::max();
  std::atomic<bool> began_right{false};
  EXPECT_THROW(skua::parallel_for(skua::blocked(min, max, 1 << 30),
                                  [&](std::int64_t first, std::int64_t last) {
                                    EXPECT_LT(first, last);
                                    if (first != min) return;
                                    began_right = true;
                                    throw 1;
                                  }),
               int);
  EXPECT_TRUE(began_right);
}

TEST(loop_bounds, a_fixed_tree_covers_the_whole_range_with_few_leaves) {
  // Each leaf is a run of positions. The map throws at once, which ends the run.
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_THROW(
      skua::parallel_reduce_deterministic(std::uint64_t{0}, huge, 0, [](std::uint64_t) -> int { throw 1; },
                                          std::plus<>{}, {.grain = 1 << 30}),
      int);
}

// ---- grains

// A thief takes a multiple of the grain, or the end of the loop. So each block but the last has at least `grain` positions.
void expect_grain(int n, int grain, int workers) {
  skua::scheduler pool({.workers = workers, .bind = false});
  for (int round = 0; round < 20; ++round) {
    std::mutex guard;
    std::vector<std::pair<int, int>> blocks;
    pool.run([&] {
      skua::parallel_for(skua::blocked(0, n, grain), [&](int first, int last) {
        {
          const std::lock_guard lock(guard);
          blocks.emplace_back(first, last);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // gives thieves time to steal
      });
    });
    std::sort(blocks.begin(), blocks.end());
    int end = 0;
    for (const auto& [first, last] : blocks) {
      EXPECT_EQ(first, end);
      end = last;
      EXPECT_GE(last - first, last == n ? 1 : grain) << first << " .. " << last << " of " << n;
    }
    EXPECT_EQ(end, n);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(loop_grain, holds_for_all_blocks_but_the_last) {
  for (const int workers : {2, 8}) {
    expect_grain(1000, 400, workers);
    expect_grain(1000, 300, workers);
    expect_grain(1000, 7, workers);
    expect_grain(100, 99, workers);
    expect_grain(64, 3, workers);
  }
}

}  // namespace
}  // namespace bounds_test
