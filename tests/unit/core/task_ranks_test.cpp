// The order of tasks by priority. A tree in order is the model.
#include "core/queue/task_ranks.hpp"

#include <cstdint>
#include <iterator>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace task_ranks_test {
namespace {

using skua::core::task_rank;
using skua::core::task_ranks;

constexpr std::uint64_t nothing = ~std::uint64_t{0};

std::uint64_t take(task_ranks& ranks) {
  const task_rank* const first = ranks.first();
  if (!first) return nothing;
  const std::uint64_t number = first->number;
  ranks.drop_first();
  return number;
}

TEST(task_ranks, takes_the_greatest_first_and_equals_by_age) {
  task_ranks ranks;
  const std::int64_t priorities[] = {3, 7, 3, 9, 7, 1};
  std::uint64_t number = 0;
  for (const std::int64_t one : priorities) ranks.add({false, one, number++});
  ranks.add({true, 1, number});
  for (const std::uint64_t wanted : {6, 3, 1, 4, 0, 2, 5}) EXPECT_EQ(take(ranks), wanted);
  EXPECT_EQ(ranks.size(), 0u);
  EXPECT_EQ(take(ranks), nothing);
}

// Few priorities, many, and rising or falling ones: in the runs and in the heap, in any order of calls.
TEST(task_ranks, agree_with_a_sorted_set) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const std::int64_t priorities : {1, 3, 20, 1'000'000}) {
    task_ranks ranks;
    std::set<task_rank> model;
    std::uint64_t number = 0;
    const auto taken_from_model = [&] {
      if (model.empty()) return nothing;
      const auto last = std::prev(model.end());
      const std::uint64_t its = last->number;
      model.erase(last);
      return its;
    };
    for (int step = 0; step < 200; ++step) {
      for (unsigned k = random() % 500; k-- > 0; ++number) {
        const std::int64_t slope = step % 3 - 1;
        const task_rank one{
            random() % 50 == 0,
            static_cast<std::int64_t>(random()) % priorities + slope * static_cast<std::int64_t>(number),
            number};
        ranks.add(one);
        model.insert(one);
      }
      for (unsigned k = random() % 500; k-- > 0;) ASSERT_EQ(take(ranks), taken_from_model());
      ASSERT_EQ(ranks.size(), model.size());
      if (step % 50 == 49) {  // all get new numbers and priorities
        const std::size_t left = model.size();
        const auto its = [&](std::size_t i) {
          return task_rank{i % 7 == 0, static_cast<std::int64_t>(i * 37 % 10), number + i};
        };
        ranks.replace(left, its);
        model.clear();
        for (std::size_t i = 0; i < left; ++i) model.insert(its(i));
        number += left;
      }
    }
    while (!model.empty()) ASSERT_EQ(take(ranks), taken_from_model());
    ASSERT_EQ(take(ranks), nothing);
  }
}

}  // namespace
}  // namespace task_ranks_test
