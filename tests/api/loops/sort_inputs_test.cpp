// Sorts of many types in many orders, and how many comparisons and moves they take.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "many_schedulers.hpp"

namespace sort_inputs_test {
namespace {

using keys = std::vector<std::uint64_t>;

struct input {
  const char* name;
  std::uint64_t (*key)(std::uint64_t i, std::uint64_t n);
};

std::uint64_t mixed(std::uint64_t i) {
  i = (i + 1) * 0x9e37'79b9'7f4a'7c15u;
  return (i ^ (i >> 29)) * 0xbf58'476d'1ce4'e5b9u >> 20;
}

constexpr input inputs[] = {
    {"random", [](std::uint64_t i, std::uint64_t) { return mixed(i); }},
    {"sorted", [](std::uint64_t i, std::uint64_t) { return i; }},
    {"reversed", [](std::uint64_t i, std::uint64_t n) { return n - i; }},
    {"equal", [](std::uint64_t, std::uint64_t) { return std::uint64_t{7}; }},
    {"two values", [](std::uint64_t i, std::uint64_t) { return mixed(i) % 2; }},
    {"16 values", [](std::uint64_t i, std::uint64_t) { return mixed(i) % 16; }},
    {"sorted with equal ones", [](std::uint64_t i, std::uint64_t) { return i / 5; }},
    {"reversed with equal ones", [](std::uint64_t i, std::uint64_t n) { return (n - i) / 5; }},
    {"organ pipe", [](std::uint64_t i, std::uint64_t n) { return std::min(i, n - i); }},
    {"valley", [](std::uint64_t i, std::uint64_t n) { return std::max(i, n - i); }},
    {"saw", [](std::uint64_t i, std::uint64_t) { return i % 100; }},
    {"one at the end is small", [](std::uint64_t i, std::uint64_t n) { return i + 1 == n ? 0 : i + 1; }},
    {"two runs", [](std::uint64_t i, std::uint64_t n) { return 2 * i < n ? 2 * i : 2 * i - n; }},
};

keys keys_of(const input& in, std::size_t n) {
  keys all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = in.key(i, n);
  return all;
}

template <std::size_t Bytes>
struct record {
  std::uint64_t key;
  std::array<std::uint64_t, Bytes / 8 - 1> rest;
};

template <class T>
T make(std::uint64_t key) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::to_string(key % 3 == 0 ? key : key + 10'000'000'000'000'000'000u);  // short and long ones
  else if constexpr (std::is_same_v<T, std::unique_ptr<std::uint64_t>>)
    return std::make_unique<std::uint64_t>(key);
  else if constexpr (std::is_same_v<T, std::pair<std::uint32_t, std::uint32_t>>)
    return {static_cast<std::uint32_t>(key / 3), static_cast<std::uint32_t>(key)};
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(key);
  else
    return {key, {key + 1}};
}

template <class T>
bool before(const T& a, const T& b) {
  if constexpr (requires { a.rest; })
    return a.key < b.key;
  else if constexpr (requires { *a; })
    return *a < *b;
  else
    return a < b;
}
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (requires { a.rest; })
    return a.key == b.key && a.rest == b.rest;
  else if constexpr (requires { *a; })
    return *a == *b;
  else
    return a == b;
}

template <class List>
void expect_sorted(std::size_t n) {
  using T = typename List::value_type;
  for (const input& in : inputs) {
    SCOPED_TRACE(std::string(in.name) + ", " + std::to_string(n));
    List v, stable;
    std::vector<T> expected;
    for (const std::uint64_t key : keys_of(in, n)) {
      v.push_back(make<T>(key));
      stable.push_back(make<T>(key));
      expected.push_back(make<T>(key));
    }
    std::ranges::sort(expected, before<T>);
    skua::parallel_sort(v, before<T>);
    ASSERT_TRUE(std::ranges::equal(v, expected, same<T>));
    skua::parallel_stable_sort(stable, before<T>);
    ASSERT_TRUE(std::ranges::equal(stable, expected, same<T>));
  }
}

template <class T>
void expect_sorted_in_all_sizes() {
  for (const std::size_t n : {2u, 3u, 25u, 65u, 1'024u, 1'025u, 4'500u}) expect_sorted<std::vector<T>>(n);
}

TEST(sort_inputs, all_types_in_all_orders) {
  const skua::topology machine = skua::topology::synthetic("package:2 core:4 pu:1");
  skua::scheduler pool({.workers = 3, .topology = machine});
  pool.run([] {
    expect_sorted_in_all_sizes<std::uint64_t>();
    expect_sorted_in_all_sizes<double>();
    expect_sorted_in_all_sizes<std::pair<std::uint32_t, std::uint32_t>>();
    expect_sorted_in_all_sizes<record<24>>();
    expect_sorted_in_all_sizes<record<64>>();
    expect_sorted_in_all_sizes<record<128>>();
    expect_sorted_in_all_sizes<std::string>();
    expect_sorted_in_all_sizes<std::unique_ptr<std::uint64_t>>();
    expect_sorted<std::deque<std::uint64_t>>(10'000);
    expect_sorted<std::vector<std::uint64_t>>(200'000);  // divided in parallel
  });
}

/// Counts how often its values are moved.
struct moved_number {
  std::uint64_t value;
  static inline std::atomic<std::uint64_t> moves{0};
  explicit moved_number(std::uint64_t key) : value(key) {}
  moved_number(moved_number&& other) noexcept : value(other.value) { count(); }
  moved_number& operator=(moved_number&& other) noexcept {
    value = other.value;
    count();
    return *this;
  }
  static void count() { moves.fetch_add(1, std::memory_order_relaxed); }
};

struct work {
  std::uint64_t comparisons, moves;
};

template <class Sort>
work work_of(const input& in, std::size_t n, Sort sort) {
  std::vector<moved_number> v;
  v.reserve(n);
  for (const std::uint64_t key : keys_of(in, n)) v.emplace_back(key);
  std::atomic<std::uint64_t> comparisons{0};
  moved_number::moves = 0;
  sort(v, [&comparisons](const moved_number& a, const moved_number& b) {
    comparisons.fetch_add(1, std::memory_order_relaxed);
    return a.value < b.value;
  });
  const std::uint64_t moves = moved_number::moves;
  EXPECT_TRUE(std::ranges::is_sorted(v, {}, &moved_number::value));
  return {comparisons, moves};
}

constexpr auto sort_it = [](auto& v, auto less) { skua::parallel_sort(v, less); };
constexpr auto sort_stably = [](auto& v, auto less) { skua::parallel_stable_sort(v, less); };

TEST(sort_inputs, sorted_and_reversed_input_takes_one_pass) {
  tests::on_many_schedulers([](auto&) {
    for (const std::size_t n : {2u, 3u, 100u, 1'024u, 1'025u, 50'000u}) {
      SCOPED_TRACE(n);
      const auto expect_one_pass = [n](const input& in, auto sort, std::uint64_t moves) {
        SCOPED_TRACE(in.name);
        const work done = work_of(in, n, sort);
        ASSERT_EQ(done.comparisons, n - 1);
        ASSERT_EQ(done.moves, moves);
      };
      expect_one_pass(inputs[1], sort_it, 0);
      expect_one_pass(inputs[1], sort_stably, 0);
      expect_one_pass(inputs[3], sort_it, 0);
      expect_one_pass(inputs[3], sort_stably, 0);
      expect_one_pass(inputs[2], sort_it, n / 2 * 3);
      expect_one_pass(inputs[2], sort_stably, n / 2 * 3);
    }
    // If neighbours are equal, the sort knows the direction after one more comparison.
    const work with_equals = work_of(inputs[7], 50'000, sort_it);
    EXPECT_LE(with_equals.comparisons, 50'000u);
    EXPECT_LE(with_equals.moves, 75'000u);
  });
}

// The pass looks at several pairs of numbers in each step, and divides long ranges.
TEST(sort_inputs, one_pair_out_of_order_is_found_at_each_position) {
  const auto expect_found = [](std::size_t n, std::size_t step, auto number) {
    using T = decltype(number);
    std::vector<T> wanted(n);
    for (std::size_t i = 0; i < n; ++i) wanted[i] = static_cast<T>(i);
    for (std::size_t at = 1; at < n; at += step) {
      std::vector<T> v = wanted;
      std::swap(v[at - 1], v[at]);
      skua::parallel_sort(v);
      ASSERT_EQ(v, wanted) << at << " of " << n;
    }
  };
  for (const std::size_t n : {2u, 3u, 5u, 6u, 67u, 600u}) {
    expect_found(n, 1, std::uint64_t{});
    expect_found(n, 1, double{});
  }
  expect_found(5'000, 61, std::uint64_t{});
  expect_found(5'000, 61, double{});
}

// A part of a long range of records is looked at in two places at once, and each pair of neighbours once.
TEST(sort_inputs, long_ranges_of_records_take_one_pass) {
  constexpr std::size_t n = 600'001;
  std::vector<record<24>> sorted(n);
  for (std::size_t i = 0; i < n; ++i) sorted[i].key = i;
  const auto by_key = [](const record<24>& a, const record<24>& b) { return a.key < b.key; };
  for (const bool reversed : {false, true}) {
    std::vector<record<24>> v = sorted;
    if (reversed) std::ranges::reverse(v);
    std::atomic<std::size_t> comparisons{0};
    skua::parallel_sort(v, [&](const record<24>& a, const record<24>& b) {
      comparisons.fetch_add(1, std::memory_order_relaxed);
      return by_key(a, b);
    });
    EXPECT_EQ(comparisons, n - 1);
    EXPECT_TRUE(std::ranges::is_sorted(v, by_key));
  }
  for (std::size_t at = 1; at < n; at += 23'011) {
    std::vector<record<24>> v = sorted;
    std::swap(v[at - 1], v[at]);
    skua::parallel_sort(v, by_key);
    ASSERT_TRUE(std::ranges::is_sorted(v, by_key)) << at;
  }
}

TEST(sort_inputs, every_input_takes_few_comparisons) {
  skua::scheduler pool({.workers = 2});
  pool.run([] {
    const std::size_t n = 200'000;
    const double n_log_n = static_cast<double>(n) * std::log2(static_cast<double>(n));
    for (const input& in : inputs) {
      SCOPED_TRACE(in.name);
      EXPECT_LE(static_cast<double>(work_of(in, n, sort_it).comparisons), 1.5 * n_log_n);
    }
    // The sort makes one partition for each bit of the values and one more to separate equal elements. Up to two more passes
    // look for an existing order and find none.
    EXPECT_LE(work_of(inputs[4], n, sort_it).comparisons, 4 * n);
    EXPECT_LE(work_of(inputs[5], n, sort_it).comparisons, 8 * n);
  });
}

/// If the comparator throws at its k-th call, each element is still in the range. The range is long enough to be divided in
/// parallel.
TEST(sort_inputs, a_long_range_loses_nothing_when_the_comparator_throws) {
  skua::scheduler pool({.workers = 2});
  pool.run([] {
    const std::size_t n = 140'000;
    for (const std::size_t which : {0u, 4u, 8u}) {
      for (const std::uint64_t last_good :
           {std::uint64_t{0}, std::uint64_t{50'000}, std::uint64_t{300'000}}) {
        SCOPED_TRACE(std::string(inputs[which].name) + ", " + std::to_string(last_good));
        keys expected = keys_of(inputs[which], n);
        std::vector<std::unique_ptr<std::uint64_t>> v;
        for (const std::uint64_t key : expected) v.push_back(std::make_unique<std::uint64_t>(key));
        std::atomic<std::uint64_t> calls{0};
        EXPECT_THROW(skua::parallel_sort(v,
                                         [&](const auto& a, const auto& b) {
                                           if (calls.fetch_add(1, std::memory_order_relaxed) >= last_good)
                                             throw std::runtime_error("the comparator threw");
                                           return *a < *b;
                                         }),
                     std::runtime_error);
        keys found;
        for (const auto& one : v) {
          ASSERT_TRUE(one) << "an element was lost";
          found.push_back(*one);
        }
        std::ranges::sort(found);
        std::ranges::sort(expected);
        ASSERT_EQ(found, expected);
      }
    }
  });
}

// If the comparator is not an order, the result is unspecified. But no element is lost, and nothing outside of the range is
// changed.
TEST(sort_inputs, a_contradictory_comparator_loses_nothing) {
  tests::on_many_schedulers([](auto& random) {
    for (const std::size_t n : {30u, 1'000u, 100'000u}) {
      keys v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = i;
      std::atomic<std::uint64_t> calls{random()};
      skua::parallel_sort(v, [&calls](std::uint64_t, std::uint64_t) {
        return mixed(calls.fetch_add(1, std::memory_order_relaxed)) % 2 == 0;
      });
      std::ranges::sort(v);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(v[i], i);
    }
  });
}

}  // namespace
}  // namespace sort_inputs_test
