// Prefix sums, compared with those of the standard library.
#include <deque>
#include <numeric>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "many_schedulers.hpp"

namespace scan_test {
namespace {

using tests::number;
using tests::on_many_schedulers;

// Sizes below and above the one at which a scan becomes parallel, in one round of blocks and in several.
std::vector<std::size_t> sizes(std::mt19937_64& random) {
  return {0, 1, 2, 1'023, 1'024, 1'025, number(random, 2'000, 90'000), number(random, 200'000, 700'000)};
}

TEST(parallel_scan, gives_what_the_standard_library_gives) {
  on_many_schedulers([](auto& random) {
    for (const std::size_t n : sizes(random)) {
      SCOPED_TRACE(n);
      std::vector<int> in(n);
      for (int& x : in) x = static_cast<int>(random() % 2'000) - 1'000;
      std::vector<long> expected(n), out(n, 77);
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), std::plus<>{}, 0L);
      EXPECT_EQ(skua::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), 0L, std::plus<>{}),
                out.end());
      ASSERT_EQ(out, expected);
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0L);
      EXPECT_EQ(skua::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 0L, std::plus<>{}),
                out.end());
      ASSERT_EQ(out, expected);
    }
  });
}

TEST(parallel_scan, works_in_place) {
  on_many_schedulers([](auto& random) {
    for (const std::size_t n : sizes(random)) {
      std::vector<long> in(n), expected(n);
      for (long& x : in) x = static_cast<long>(random() % 1'000);
      std::vector<long> data = in;
      std::inclusive_scan(in.begin(), in.end(), expected.begin());
      skua::parallel_inclusive_scan(data.begin(), data.end(), data.begin(), 0L, std::plus<>{});
      ASSERT_EQ(data, expected);
      data = in;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0L);
      skua::parallel_exclusive_scan(data.begin(), data.end(), data.begin(), 0L, std::plus<>{});
      ASSERT_EQ(data, expected);
    }
  });
}

// The composition of affine maps x -> a x + b is associative but not commutative. Its initial value is not neutral.
struct affine {
  std::uint64_t a = 1, b = 0;
  friend bool operator==(const affine&, const affine&) = default;
};
affine then(const affine& f, const affine& g) { return {f.a * g.a, g.a * f.b + g.b}; }

TEST(parallel_scan, keeps_the_order_and_uses_the_initial_value_once) {
  on_many_schedulers([](auto& random) {
    for (const std::size_t n : sizes(random)) {
      std::vector<affine> in(n), expected(n), out(n);
      for (affine& f : in) f = {random() | 1, random()};
      const affine initial{3, 5};
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), then, initial);
      skua::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), initial, then);
      ASSERT_EQ(out, expected);
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), initial, then);
      skua::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), initial, then);
      ASSERT_EQ(out, expected);
    }
  });
}

TEST(parallel_scan, takes_iterators_that_are_not_pointers) {
  on_many_schedulers([](auto& random) {
    const std::deque<int> in(number(random, 2'000, 20'000), 1);
    std::deque<int> out(in.size());
    skua::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), 0, std::plus<>{});
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], static_cast<int>(i) + 1);
  });
}

TEST(parallel_scan, passes_on_what_combine_throws) {
  on_many_schedulers([](auto& random) {
    std::vector<long> in(number(random, 5'000, 50'000), 1);
    const auto bad = static_cast<long>(number(random, 1, in.size()));
    std::vector<long> out(in.size());
    const auto combine = [&](long a, long b) {
      if (a + b >= bad) throw std::range_error("too much");
      return a + b;
    };
    EXPECT_THROW(skua::parallel_inclusive_scan(in.begin(), in.end(), out.begin(), 0L, combine),
                 std::range_error);
    EXPECT_THROW(skua::parallel_exclusive_scan(in.begin(), in.end(), out.begin(), 0L, combine),
                 std::range_error);
  });
}

}  // namespace
}  // namespace scan_test
