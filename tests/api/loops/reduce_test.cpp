// Reductions: order, identities, determinism, move-only values, exceptions.
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "many_schedulers.hpp"

namespace reduce_test {
namespace {

using tests::number;
using tests::on_many_schedulers;

TEST(parallel_reduce, adds_what_a_loop_adds) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 20; ++round) {
      const auto n = static_cast<long>(number(random, 0, 100'000));
      const long sum = skua::parallel_reduce(0, n, 0L, [](long i) { return 2 * i + 1; }, std::plus<>{});
      EXPECT_EQ(sum, n * n);
    }
  });
}

TEST(parallel_reduce, keeps_the_order_of_operations_that_do_not_commute) {
  on_many_schedulers([](auto& random) {
    const std::size_t n = number(random, 1'000, 20'000);
    std::string expected;
    for (std::size_t i = 0; i < n; ++i) expected += std::to_string(i % 10);
    for (int round = 0; round < 10; ++round) {
      const std::string digits = skua::parallel_reduce(
          std::size_t{0}, n, std::string{}, [](std::size_t i) { return std::to_string(i % 10); },
          [](std::string a, std::string b) { return std::move(a) + b; });
      ASSERT_EQ(digits, expected);
    }
  });
}

TEST(parallel_reduce, takes_iterators_ranges_and_mixed_integers) {
  on_many_schedulers([](auto& random) {
    std::vector<int> v(number(random, 0, 5'000));
    std::iota(v.begin(), v.end(), -7);
    const long expected = std::accumulate(v.begin(), v.end(), 0L);
    EXPECT_EQ(skua::parallel_reduce(v, 0L, [](int x) { return x; }, std::plus<>{}), expected);
    EXPECT_EQ(
        skua::parallel_reduce(v.begin(), v.end(), 0L, [](auto at) { return *at; }, std::plus<>{}), expected);
    EXPECT_EQ(
        skua::parallel_reduce(0, v.size(), 0L, [&](std::size_t i) { return v[i]; }, std::plus<>{}), expected);
    const std::deque<int> d(v.begin(), v.end());
    EXPECT_EQ(skua::parallel_reduce(d, 0L, [](int x) { return x; }, std::plus<>{}), expected);
    EXPECT_EQ(skua::parallel_reduce_deterministic(v, 0L, [](int x) { return x; }, std::plus<>{}), expected);
  });
}

TEST(parallel_reduce, takes_ranges_without_random_access) {
  on_many_schedulers([](auto& random) {
    std::list<std::string> words;
    std::string expected;
    for (std::size_t i = 0; i < number(random, 0, 2'000); ++i)
      expected += words.emplace_back(std::to_string(random() % 100));
    const std::forward_list<std::string> forward(words.begin(), words.end());
    const auto itself = [](const std::string& word) { return word; };
    const auto joined = [](std::string a, const std::string& b) { return std::move(a) + b; };
    EXPECT_EQ(skua::parallel_reduce(words, std::string(), itself, joined), expected);
    EXPECT_EQ(skua::parallel_reduce(forward, std::string(), itself, joined), expected);
    EXPECT_EQ(skua::parallel_reduce(std::ranges::subrange(words.begin(), words.end()), std::string(), itself,
                                    joined),
              expected);
    EXPECT_EQ(skua::parallel_reduce_deterministic(words, std::string(), itself, joined), expected);
    EXPECT_EQ(skua::parallel_reduce(words | std::views::filter([](auto& word) { return word.size() == 2; }),
                                    std::size_t{0}, &std::string::size, std::plus<>{}) +
                  static_cast<std::size_t>(std::ranges::count(words, 1u, &std::string::size)),
              expected.size());
  });
}

TEST(parallel_reduce, calls_members_of_the_elements) {
  struct weight {
    long grams;
    long twice() const { return 2 * grams; }
    weight plus(const weight& other) const { return {grams + other.grams}; }
  };
  on_many_schedulers([](auto& random) {
    std::vector<weight> v(number(random, 0, 5'000));
    long all = 0;
    for (weight& one : v) all += one.grams = static_cast<long>(random() % 1'000);
    EXPECT_EQ(skua::parallel_reduce(v, 0L, &weight::grams, std::plus<>{}), all);
    EXPECT_EQ(skua::parallel_reduce(v, 0L, &weight::twice, std::plus<>{}), 2 * all);
    EXPECT_EQ(skua::parallel_reduce_deterministic(v, 0L, &weight::grams, std::plus<>{}), all);
    EXPECT_EQ(skua::parallel_reduce(v, weight{0}, std::identity{}, &weight::plus).grams, all);
  });
}

TEST(parallel_reduce, of_nothing_is_the_identity) {
  on_many_schedulers([](auto&) {
    const auto never = [](auto) -> int { throw std::logic_error("called"); };
    EXPECT_EQ(skua::parallel_reduce(5, 5, 42, never, std::plus<>{}), 42);
    EXPECT_EQ(skua::parallel_reduce(5, -5, 42, never, std::plus<>{}), 42);
    EXPECT_EQ(skua::parallel_reduce_deterministic(5, 5, 42, never, std::plus<>{}), 42);
    EXPECT_EQ(skua::parallel_reduce_deterministic(5, -5, 42, never, std::plus<>{}), 42);
  });
}

TEST(parallel_reduce, refuses_a_negative_grain_of_an_empty_loop) {
  const auto never = [](auto&&...) -> int { throw std::logic_error("called"); };
  const std::vector<int> none;
  const skua::loop bad{.grain = -3};
  const auto all_forms = [&] {
    EXPECT_THROW(skua::parallel_reduce(5, 5, 42, never, std::plus<>{}, bad), skua::bad_input);
    EXPECT_THROW(skua::parallel_reduce(none.begin(), none.end(), 42, never, std::plus<>{}, bad),
                 skua::bad_input);
    EXPECT_THROW(skua::parallel_reduce(none, 42, never, std::plus<>{}, bad), skua::bad_input);
    EXPECT_THROW(skua::parallel_reduce_deterministic(5, -5, 42, never, std::plus<>{}, bad), skua::bad_input);
    EXPECT_THROW(skua::parallel_reduce_deterministic(none, 42, never, std::plus<>{}, bad), skua::bad_input);
  };
  all_forms();  // on a thread that is not a worker
  on_many_schedulers([&](auto&) { all_forms(); });
}

TEST(parallel_reduce, moves_large_values) {
  using counts = std::map<int, long>;
  on_many_schedulers([](auto& random) {
    const auto n = static_cast<int>(number(random, 1'000, 10'000));
    const auto merge = [](counts a, counts b) {
      for (auto& [key, count] : b) a[key] += count;
      return a;
    };
    const counts all =
        skua::parallel_reduce(0, n, counts{}, [](int i) { return counts{{i % 10, 1}}; }, merge);
    ASSERT_EQ(all.size(), 10u);
    for (auto& [key, count] : all) EXPECT_EQ(count, (n - key + 9) / 10);
  });
}

/// Counts its copies.
struct counted {
  static inline std::atomic<long> copies{0};
  long value = 0;
  counted() = default;
  explicit counted(long v) : value(v) {}
  counted(const counted& other) : value(other.value) { ++copies; }
  counted(counted&&) = default;
  counted& operator=(const counted& other) {
    value = other.value;
    ++copies;
    return *this;
  }
  counted& operator=(counted&&) = default;
};

TEST(parallel_reduce, copies_nothing_but_the_identity) {
  const auto add = [](counted a, counted b) { return counted(a.value + b.value); };
  const auto one = [](int i) { return counted(i); };
  skua::scheduler pool({.workers = 1});
  pool.run([&] {
    counted::copies = 0;
    EXPECT_EQ(skua::parallel_reduce(0, 10'000, counted(0), one, add).value, 49'995'000);
    EXPECT_EQ(counted::copies, 1);
    counted::copies = 0;
    EXPECT_EQ(skua::parallel_reduce_deterministic(0, 10'000, counted(0), one, add, {.grain = 1'000}).value,
              49'995'000);
    EXPECT_EQ(counted::copies, 10);  // one for each leaf
  });
}

TEST(parallel_reduce, nests) {
  on_many_schedulers([](auto&) {
    const long n = skua::parallel_reduce(
        0, 100, 0L,
        [](int i) { return skua::parallel_reduce(0, i, 0L, [](int) { return 1; }, std::plus<>{}); },
        std::plus<>{});
    EXPECT_EQ(n, 4950);
  });
}

/// A number that can be copied. A use after it was moved from crashes.
class boxed {
 public:
  explicit boxed(long value) : p_(std::make_unique<long>(value)) {}
  boxed(const boxed& other) : boxed(*other) {}
  boxed(boxed&&) = default;
  boxed& operator=(boxed&&) = default;
  long operator*() const {
    if (!p_) std::abort();
    return *p_;
  }

 private:
  std::unique_ptr<long> p_;
};

TEST(parallel_reduce, throws_the_leftmost_exception) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 20; ++round) {
      const auto bad = static_cast<int>(number(random, 0, 9'999));
      const auto map = [&](int i) {
        if (i >= bad) throw i;
        return boxed(i);
      };
      const auto add = [](boxed a, boxed b) { return boxed(*a + *b); };
      const auto thrown_by = [&](auto reduce) {
        try {
          reduce();
        } catch (int position) {
          return position;
        }
        return -1;
      };
      EXPECT_EQ(thrown_by([&] { skua::parallel_reduce(0, 10'000, boxed(0), map, add); }), bad);
      EXPECT_EQ(thrown_by([&] { skua::parallel_reduce_deterministic(0, 10'000, boxed(0), map, add); }), bad);
    }
  });
}

TEST(parallel_reduce, passes_on_what_combine_throws_and_combines_no_value_after_that) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 50; ++round) {
      const auto bad = static_cast<long>(number(random, 0, 9'999));
      const auto add = [&](boxed a, boxed b) {  // the caller has moved its values into a and b
        if (*b == bad) throw std::range_error("bad");
        return boxed(*a + *b + 10'000);
      };
      const auto map = [](long i) { return boxed(i); };
      EXPECT_THROW(skua::parallel_reduce(0, 10'000L, boxed(10'000), map, add), std::range_error);
      EXPECT_THROW(skua::parallel_reduce_deterministic(0, 10'000L, boxed(10'000), map, add),
                   std::range_error);
    }
  });
}

TEST(parallel_reduce, refuses_a_negative_grain) {
  const auto one = [](int) { return 1; };
  EXPECT_THROW(skua::parallel_reduce(0, 10, 0, one, std::plus<>{}, {.grain = -1}), skua::bad_input);
  EXPECT_THROW(skua::parallel_reduce_deterministic(0, 10, 0, one, std::plus<>{}, {.grain = -1}),
               skua::bad_input);
  EXPECT_EQ(skua::parallel_reduce(0, 10, 0, one, std::plus<>{}, {.grain = 3}), 10);
}

TEST(parallel_reduce, works_with_a_memo) {
  on_many_schedulers([](auto&) {
    skua::loop_memo memo;
    for (int sweep = 0; sweep < 5; ++sweep) {
      const std::string letters = skua::parallel_reduce(
          0, 260, std::string{}, [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); },
          [](std::string a, std::string b) { return a + b; }, {.placement = skua::same_as_last(memo)});
      ASSERT_EQ(letters.size(), 260u);
      for (std::size_t i = 0; i < 260; ++i) ASSERT_EQ(letters[i], static_cast<char>('a' + i % 26));
    }
  });
}

TEST(parallel_reduce_deterministic, gives_the_same_bits_on_any_number_of_workers) {
  std::mt19937_64 random(tests::test_seed());
  std::vector<double> x(number(random, 50'000, 100'000));
  for (double& value : x)
    value = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 64) - 64);
  for (const std::int64_t grain : {0, 1, 7, 1'000, 1'000'000}) {
    std::vector<std::uint64_t> bits;
    on_many_schedulers([&](auto&) {
      for (int round = 0; round < 5; ++round)
        bits.push_back(std::bit_cast<std::uint64_t>(skua::parallel_reduce_deterministic(
            std::size_t{0}, x.size(), 0.0, [&](std::size_t i) { return x[i]; }, std::plus<>{},
            {.grain = grain})));
    });
    for (const std::uint64_t b : bits) EXPECT_EQ(b, bits[0]) << "grain " << grain;
  }
}

// The tree is part of the contract: another version must not divide the range in another way, because this would change the
// results of a program.
TEST(parallel_reduce_deterministic, combines_halves_down_to_leaves_of_the_grain) {
  const std::string tree = skua::parallel_reduce_deterministic(
      0, 10, std::string("."), [](int i) { return std::to_string(i); },
      [](std::string a, std::string b) { return "(" + a + b + ")"; }, {.grain = 4});
  EXPECT_EQ(tree, "(((((.0)1)2)3)(((((.4)5)6)7)((.8)9)))");
}

}  // namespace
}  // namespace reduce_test
