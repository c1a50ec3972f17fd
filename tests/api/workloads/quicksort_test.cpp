// quicksort: random keys, and keys that make a bad quicksort slow, on any number of workers.
#include <gtest/gtest.h>

#include <numeric>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/quicksort.hpp"

#include "tests/support/sanitizers.hpp"

namespace workloads::quicksort_test {
namespace {

TEST(quicksort, a_partition_keeps_all_keys_and_counts_right) {
  for (std::size_t n = 0; n < 40; ++n)
    for (sort_key bound = 0; bound < 10; ++bound) {
      std::vector<sort_key> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<sort_key>(below_at(n, i, 10));
      const std::uint64_t before = hash_set(keys);
      const auto left = [=](sort_key key) { return key < bound; };
      const auto count = static_cast<std::ptrdiff_t>(quicksort_partition(keys, left));
      EXPECT_TRUE(std::all_of(keys.begin(), keys.begin() + count, left));
      EXPECT_TRUE(std::none_of(keys.begin() + count, keys.end(), left));
      EXPECT_EQ(hash_set(keys), before);
    }
}

TEST(quicksort, a_step_leaves_less_to_do) {
  for (const sort_key kinds : {1u, 2u, 3u, 100u}) {
    std::vector<sort_key> keys(5000);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<sort_key>(below_at(1, i, kinds));
    const auto [low, high] = quicksort_split(keys);
    EXPECT_LE(low.size() + high.size(), keys.size());
    EXPECT_LT(std::max(low.size(), high.size()), keys.size());
    EXPECT_EQ(low.size() + high.size() == 0, kinds == 1);
  }
}

TEST(quicksort, pivots_of_sorted_keys_are_in_the_middle) {
  std::vector<sort_key> keys(100'000);
  std::iota(keys.begin(), keys.end(), sort_key{0});
  EXPECT_NEAR(quicksort_pivot(keys), 50'000, 1);
  std::reverse(keys.begin(), keys.end());
  EXPECT_NEAR(quicksort_pivot(keys), 50'000, 1);
}

TEST(quicksort, sequential_as_published) {
  for (const std::size_t n : {std::size_t{65536}, std::size_t{100'000}, std::size_t{1} << 20}) {
    std::vector<sort_key> keys = sort_keys(42, n);
    quicksort_sequential(keys, quicksort_depth(n));
    EXPECT_EQ(hash_sequence(keys), sorted_keys_hash(n)) << n;
  }
  std::vector<sort_key> keys = sort_keys(42, 65536);
  quicksort_sequential(keys, 1);  // a depth of 1, so it soon sorts without pivots
  EXPECT_EQ(hash_sequence(keys), sorted_keys_hash(65536));
}

// Under a sanitizer stack frames are many times larger.
constexpr std::int64_t small_stack = (under_sanitizer ? 1024 : 64) * 1024;

TEST(quicksort, every_input_on_any_number_of_workers) {
  for (const char* n : {"0", "1", "2048", "2049", "100000", "400000"})
    for (const char* input : {"random", "sorted", "reversed", "equal"}) {
      const auto program = find("quicksort")->make({.options = {{"n", n}, {"input", input}}});
      for (const std::int64_t workers : any_number_of_workers) {
        skua::scheduler pool({.workers = workers, .stack_bytes = small_stack});
        program->prepare();
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", " << n << ' ' << input << " keys, " << workers
                               << " workers";
      }
    }
}

TEST(quicksort, refuses_other_inputs) {
  EXPECT_THROW(find("quicksort")->make({.options = {{"input", "shuffled"}}}), skua::bad_input);
  EXPECT_THROW(find("quicksort")->make({.options = {{"n", "-1"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::quicksort_test
