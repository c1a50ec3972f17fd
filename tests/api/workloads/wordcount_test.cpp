// wordcount: known counts, the merging of maps, and verified answers on any number of workers.
#include <gtest/gtest.h>

#include "workload_checks.hpp"
#include "workloads/kernels/wordcount.hpp"

namespace workloads::wordcount_test {
namespace {

template <class Counts>
class wordcount_maps : public testing::Test {};
using both_maps = testing::Types<ordered_counts, flat_counts>;
TYPED_TEST_SUITE(wordcount_maps, both_maps);

TYPED_TEST(wordcount_maps, sequential_as_published) {
  struct {
    std::size_t n;
    std::uint32_t words;
  } const known[] = {{500, 1000}, {1000, 10000}};
  for (const auto& k : known) {
    TypeParam counts(k.words);
    counts.count(wordcount_matrix(42, k.n, k.words));
    const wordcount_answer answer = *wordcount_published(k.n, k.words);
    EXPECT_EQ(wordcount_hash(counts), answer.hash);
    EXPECT_EQ(counts[0], answer.first);
    EXPECT_EQ(counts[1], answer.second);
    EXPECT_EQ(counts[k.words - 1], answer.last);
  }
}

TYPED_TEST(wordcount_maps, merged_right_into_left) {
  using times = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  using text = std::vector<std::uint32_t>;
  const auto merged = [](const text& one, const text& two) {
    TypeParam left(10), right(10);
    left.count(one);
    right.count(two);
    left.merge(std::move(right));
    times all;
    left.for_each([&](std::uint32_t word, std::uint64_t count) { all.emplace_back(word, count); });
    return all;
  };
  EXPECT_EQ(merged({1, 3, 3, 9}, {0, 3, 4, 9, 9}), (times{{0, 1}, {1, 1}, {3, 3}, {4, 1}, {9, 3}}));
  EXPECT_EQ(merged({1, 2}, {5, 6}), (times{{1, 1}, {2, 1}, {5, 1}, {6, 1}}));
  EXPECT_EQ(merged({5, 6}, {1, 2}), (times{{1, 1}, {2, 1}, {5, 1}, {6, 1}}));
  EXPECT_EQ(merged({}, {7}), (times{{7, 1}}));
  EXPECT_EQ(merged({7}, {}), (times{{7, 1}}));
  EXPECT_EQ(merged({}, {}), times());
}

TEST(wordcount, verified_on_any_number_of_workers) {
  expect_verified("wordcount");
  expect_verified("wordcount", {{"map", "flat"}});
  expect_verified("wordcount", {{"n", "1"}});
  expect_verified("wordcount", {{"n", "101"}, {"words", "1"}, {"grain", "1"}});
  expect_verified("wordcount", {{"n", "101"}, {"words", "100000"}, {"grain", "7"}, {"map", "flat"}});
  expect_verified("wordcount", {}, 7);
}

TEST(wordcount, bad_options) {
  EXPECT_EQ(complaint("wordcount", "map", "hash"), "map is 'hash'; allowed: ordered, flat");
  EXPECT_NE(complaint("wordcount", "n", "0"), "accepted");
  EXPECT_NE(complaint("wordcount", "words", "0"), "accepted");
  EXPECT_NE(complaint("wordcount", "grain", "0"), "accepted");
}

}  // namespace
}  // namespace workloads::wordcount_test
