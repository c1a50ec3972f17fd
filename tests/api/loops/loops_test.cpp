// parallel_for in all its forms: each position runs exactly once, for all types; grains, exceptions, memos.
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "many_schedulers.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/until.hpp"

namespace loops_test {
namespace {

using tests::number;
using tests::on_many_schedulers;

/// Counts how often each position was visited.
class visits {
 public:
  explicit visits(std::size_t n) : size_(n), count_(std::make_unique<std::atomic<int>[]>(n)) {}
  void operator()(std::size_t i) {
    ASSERT_LT(i, size_);
    count_[i].fetch_add(1, std::memory_order_relaxed);
  }
  void expect_each(int times) const {
    for (std::size_t i = 0; i < size_; ++i)
      ASSERT_EQ(count_[i], times) << "position " << i << " of " << size_;
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::atomic<int>[]> count_;
};

TEST(parallel_for, visits_each_position_once) {
  on_many_schedulers([](auto& random) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{16},
                                std::size_t{17}, number(random, 18, 1'000), number(random, 1'000, 300'000)}) {
      for (const std::int64_t grain : {0, 1, 3, 64, 1'000'000}) {
        visits seen(n);
        skua::parallel_for(std::size_t{0}, n, [&](std::size_t i) { seen(i); }, {.grain = grain});
        seen.expect_each(1);
      }
    }
  });
}

TEST(parallel_for, takes_integers_of_mixed_types) {
  on_many_schedulers([](auto&) {
    std::vector<char> v(1'000);
    skua::parallel_for(0, v.size(), [&](auto i) {
      static_assert(std::is_same_v<decltype(i), std::size_t>);
      ++v[i];
    });
    skua::parallel_for(short{0}, 1'000L, [&](auto i) {
      static_assert(std::is_same_v<decltype(i), long>);
      ++v[static_cast<std::size_t>(i)];
    });
    skua::parallel_for(0u, 1'000, [&](auto i) {
      static_assert(std::is_same_v<decltype(i), unsigned>);
      ++v[i];
    });
    for (const char c : v) ASSERT_EQ(c, 3);
  });
}

TEST(parallel_for, starts_below_zero) {
  on_many_schedulers([](auto&) {
    visits seen(3'000);
    skua::parallel_for(-1'000, 2'000L, [&](long i) { seen(static_cast<std::size_t>(i + 1'000)); });
    seen.expect_each(1);
  });
}

TEST(parallel_for, covers_the_whole_of_a_narrow_type) {
  on_many_schedulers([](auto&) {
    visits seen(255);
    skua::parallel_for(std::int8_t{-128}, std::int8_t{127}, [&](auto i) {
      static_assert(std::is_same_v<decltype(i), std::int8_t>);
      seen(static_cast<std::size_t>(i + 128));
    });
    seen.expect_each(1);
    visits top(100);
    constexpr std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
    skua::parallel_for(max - 100, max,
                       [&](std::uint64_t i) { top(static_cast<std::size_t>(i - (max - 100))); });
    top.expect_each(1);
  });
}

TEST(parallel_for, of_an_empty_or_reversed_range_does_nothing) {
  on_many_schedulers([](auto&) {
    const auto never = [](auto&&...) { FAIL(); };
    skua::parallel_for(0, 0, never);
    skua::parallel_for(5, -5, never);
    skua::parallel_for(std::size_t{7}, 3u, never);
    std::vector<int> v(10);
    skua::parallel_for(v.begin(), v.begin(), never);
    skua::parallel_for(v.end(), v.begin(), never);
    skua::parallel_for(skua::blocked(3, 3), never);
    skua::parallel_for(skua::blocked(3, -3, 8), never);
    skua::parallel_for(skua::blocked2d(0, 0, 0, 10), never);
    skua::parallel_for(skua::blocked2d(0, 10, 5, 5), never);
    skua::parallel_for(skua::blocked3d(0, 10, 0, 10, 9, 0), never);
    skua::parallel_for_each(std::vector<int>{}, never);
    skua::parallel_for_each(std::list<int>{}, never);
  });
}

TEST(parallel_for, takes_iterators) {
  on_many_schedulers([](auto& random) {
    std::vector<int> v(number(random, 1, 50'000));
    skua::parallel_for(v.begin(), v.end(), [](std::vector<int>::iterator at) { ++*at; });
    skua::parallel_for(v.data(), v.data() + v.size(), [](int* at) { ++*at; });
    for (const int x : v) ASSERT_EQ(x, 2);
  });
}

template <class A, class B>
concept can_loop = requires(A first, B last) { skua::parallel_for(first, last, [](auto) {}); };

TEST(parallel_for, takes_iterators_of_mixed_types) {
  on_many_schedulers([](auto& random) {
    std::vector<int> v(number(random, 1, 20'000));
    const auto size = v.size();
    visits seen(size);
    const auto first = v.cbegin();
    const auto see = [&](std::vector<int>::const_iterator at) { seen(static_cast<std::size_t>(at - first)); };
    skua::parallel_for(v.cbegin(), v.end(), see);
    skua::parallel_for(v.begin(), v.cend(), see, {.grain = 7});
    skua::parallel_for(v.begin(), v.cend(), [](auto at) {
      static_assert(std::is_same_v<decltype(at), std::vector<int>::const_iterator>);
    });
    const int* const end = v.data() + size;
    skua::parallel_for(v.data(), end, [&](const int* at) { seen(static_cast<std::size_t>(at - v.data())); });
    skua::parallel_for(skua::blocked(v.begin(), v.cend()), [&](auto from, auto to) {
      for (; from != to; ++from) see(from);
    });
    seen.expect_each(4);
    std::deque<int> d(size, 1);
    EXPECT_EQ(skua::parallel_reduce(
                  d.begin(), d.cend(), std::size_t{0}, [](auto at) { return static_cast<std::size_t>(*at); },
                  std::plus<>{}),
              size);
    skua::parallel_for(v.cend(), v.begin(), [](auto) { FAIL() << "the range is reversed"; });
  });
  struct base {};
  struct derived : base {
    int more;
  };
  static_assert(can_loop<derived*, const derived*>);
  static_assert(!can_loop<derived*, base*>, "they have a common type, but steps of different length");
  static_assert(!can_loop<int*, long*>);
  static_assert(!can_loop<int*, std::nullptr_t>);
  static_assert(!can_loop<std::vector<int>::iterator, int>);
  static_assert(!can_loop<std::list<int>::iterator, std::list<int>::const_iterator>);
}

// If an idle worker splits a loop, each half has a last block of its own. With one worker there is only one last block.
TEST(parallel_for, gives_blocks_of_at_least_the_grain) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 20; ++round) {
      const auto n = static_cast<int>(number(random, 1, 5'000));
      const auto grain = static_cast<int>(number(random, 1, 200));
      visits seen(static_cast<std::size_t>(n));
      skua::parallel_for(skua::blocked(0, n, grain), [&](int first, int last) {
        EXPECT_LT(first, last);
        for (int i = first; i < last; ++i) seen(static_cast<std::size_t>(i));
      });
      seen.expect_each(1);
    }
  });
  skua::scheduler alone({.workers = 1});
  alone.run([] {
    skua::parallel_for(skua::blocked(0, 1'000, 64), [](int first, int last) {
      EXPECT_TRUE(last - first >= 64 || last == 1'000) << first << " .. " << last;
    });
  });
}

TEST(parallel_for, covers_rectangles_and_boxes_once) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 5; ++round) {
      const auto rows = number(random, 1, 300), cols = number(random, 1, 300), pages = number(random, 1, 30);
      const auto grain = [&] { return static_cast<std::int64_t>(number(random, 0, 40)); };
      visits plane(rows * cols);
      skua::parallel_for(skua::blocked2d(std::size_t{0}, rows, 0, cols, grain(), grain()),
                         [&](auto r, auto c) {
                           EXPECT_EQ(r.size(), static_cast<std::size_t>(r.end() - r.begin()));
                           for (auto i : r)
                             for (auto j : c) plane(i * cols + j);
                         });
      plane.expect_each(1);
      visits box(pages * rows * cols);
      skua::parallel_for(skua::blocked3d(std::size_t{0}, pages, 0, rows, 0, cols, grain(), grain(), grain()),
                         [&](auto p, auto r, auto c) {
                           for (auto i : p)
                             for (auto j : r)
                               for (auto k : c) box((i * rows + j) * cols + k);
                         });
      box.expect_each(1);
    }
  });
}

TEST(parallel_for, tiles_start_below_zero_and_keep_to_their_grain) {
  on_many_schedulers([](auto&) {
    visits seen(20 * 30);
    skua::parallel_for(skua::blocked2d(-10, 10, -15, 15, 3, 4), [&](auto r, auto c) {
      EXPECT_LE(r.size(), 3u);
      EXPECT_LE(c.size(), 4u);
      for (int i : r)
        for (int j : c) seen(static_cast<std::size_t>((i + 10) * 30 + j + 15));
    });
    seen.expect_each(1);
  });
}

TEST(parallel_for_each, visits_every_element_of_any_range) {
  on_many_schedulers([](auto& random) {
    std::vector<int> v(number(random, 1, 20'000));
    skua::parallel_for_each(v, [](int& x) { ++x; });
    for (const int x : v) ASSERT_EQ(x, 1);
    std::list<int> l(v.begin(), v.end());
    skua::parallel_for_each(l, [](int& x) { ++x; });
    for (const int x : l) ASSERT_EQ(x, 2);
    std::forward_list<int> f(v.begin(), v.end());
    skua::parallel_for_each(f, [](int& x) { x += 2; }, {.grain = 16});
    for (const int x : f) ASSERT_EQ(x, 3);
  });
}

TEST(parallel_for_each, calls_a_member_of_every_element) {
  struct counter {
    int calls = 0;
    void call() { ++calls; }
  };
  on_many_schedulers([](auto& random) {
    std::vector<counter> v(number(random, 1, 3'000));
    std::list<counter> l(number(random, 1, 3'000));
    std::vector<counter*> addresses;
    for (counter& one : v) addresses.push_back(&one);
    skua::parallel_for_each(v, &counter::call);
    skua::parallel_for_each(l, &counter::call);
    skua::parallel_for(v.data(), v.data() + v.size(), &counter::call);  // the positions are addresses
    skua::parallel_for_each(addresses, &counter::call);
    const auto called = [](int times) { return [times](const counter& one) { return one.calls == times; }; };
    EXPECT_TRUE(std::ranges::all_of(v, called(3)));
    EXPECT_TRUE(std::ranges::all_of(l, called(1)));
  });
}

TEST(parallel_for, refuses_a_negative_grain_naming_what_is_allowed) {
  const auto nothing = [](auto&&...) {};
  for (const std::string& said :
       {refusal([&] { skua::parallel_for(0, 10, nothing, {.grain = -3}); }),
        refusal([&] { skua::parallel_for(skua::blocked(0, 10, -3), nothing); }),
        refusal([&] { skua::parallel_for(skua::blocked2d(0, 9, 0, 9, -3), nothing); }),
        refusal([&] { skua::parallel_for(skua::blocked2d(0, 9, 0, 9, 0, -3), nothing); })}) {
    EXPECT_NE(said.find("-3"), std::string::npos) << said;
    EXPECT_NE(said.find("allowed: 0"), std::string::npos) << said;
  }
}

TEST(parallel_for, refuses_a_negative_grain_of_an_empty_loop) {
  const auto never = [](auto&&...) { FAIL(); };
  std::vector<int> none;
  skua::loop_memo memo;
  const auto all_forms = [&] {
    for (const std::string& said :
         {refusal([&] { skua::parallel_for(0, 0, never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for(5, -5, never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for(none.begin(), none.end(), never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for_each(none, never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for_each(std::list<int>{}, never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for(skua::blocked(4, 4, -3), never); }),
          refusal([&] { skua::parallel_for(skua::blocked(4, 4), never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for(skua::blocked2d(0, 0, 0, 9, -3), never); }),
          refusal([&] { skua::parallel_for(skua::blocked2d(0, 9, 0, 0, 0, -3), never); }),
          refusal([&] { skua::parallel_for(skua::blocked2d(0, 0, 0, 0), never, {.grain = -3}); }),
          refusal([&] { skua::parallel_for(skua::blocked3d(0, 9, 0, 9, 0, 0, 0, 0, -3), never); }),
          refusal([&] {
            skua::parallel_for(0, 0, never, {.grain = -3, .placement = skua::same_as_last(memo)});
          })})
      EXPECT_NE(said.find("loop grain is -3"), std::string::npos) << said;
  };
  all_forms();  // on a thread that is not a worker
  on_many_schedulers([&](auto&) { all_forms(); });
}

TEST(parallel_for, throws_the_leftmost_exception_after_all_started_iterations_end) {
  on_many_schedulers([](auto& random) {
    for (int round = 0; round < 30; ++round) {
      const auto bad = static_cast<int>(number(random, 0, 19'999));
      std::atomic<int> inside{0};
      int thrown = -1;
      try {
        skua::parallel_for(0, 20'000, [&](int i) {
          struct here {
            std::atomic<int>& n;
            explicit here(std::atomic<int>& count) : n(count) { ++n; }
            ~here() { --n; }
          } now(inside);
          if (i >= bad) throw i;
        });
      } catch (int position) {
        thrown = position;
      }
      EXPECT_EQ(thrown, bad);
      EXPECT_EQ(inside, 0);
    }
  });
}

TEST(parallel_for, ends_when_every_iteration_throws) {
  on_many_schedulers([](auto&) {
    for (int round = 0; round < 20; ++round) {
      try {
        skua::parallel_for(0, 1'000, [](int i) { throw std::runtime_error(std::to_string(i)); });
        FAIL();
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "0");
      }
    }
  });
}

TEST(parallel_for, nests) {
  on_many_schedulers([](auto& random) {
    const std::size_t n = number(random, 20, 40);
    visits seen(n * n * n);
    skua::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
      skua::parallel_for(std::size_t{0}, n, [&](std::size_t j) {
        skua::parallel_for(std::size_t{0}, n, [&](std::size_t k) { seen((i * n + j) * n + k); });
      });
    });
    seen.expect_each(1);
  });
}

TEST(parallel_for, catches_an_exception_of_an_inner_loop_outside_of_it) {
  on_many_schedulers([](auto&) {
    std::atomic<int> caught{0};
    skua::parallel_for(0, 64, [&](int i) {
      try {
        skua::parallel_for(0, 100, [&](int j) {
          if (j == i) throw j;
        });
      } catch (int j) {
        if (j == i) ++caught;
      }
    });
    EXPECT_EQ(caught, 64);
  });
}

TEST(parallel_for, runs_from_an_external_thread) {
  visits seen(10'000);
  skua::parallel_for(std::size_t{0}, std::size_t{10'000}, [&](std::size_t i) { seen(i); });
  seen.expect_each(1);
}

TEST(loop_memo, covers_each_position_once_in_every_sweep) {
  on_many_schedulers([](auto& random) {
    skua::loop_memo memo;
    for (int change = 0; change < 4; ++change) {  // the size changes, so the memo starts anew
      const std::size_t n = number(random, 1, 5'000);
      const auto grain = static_cast<std::int64_t>(number(random, 0, 100));
      visits seen(n);
      for (int sweep = 0; sweep < 5; ++sweep)
        skua::parallel_for(std::size_t{0}, n, [&](std::size_t i) { seen(i); },
                           {.grain = grain, .placement = skua::same_as_last(memo)});
      seen.expect_each(5);
    }
  });
}

TEST(loop_memo, serves_schedulers_of_different_sizes) {
  skua::loop_memo memo;
  visits seen(1'000);
  on_many_schedulers([&](auto&) {
    skua::parallel_for(std::size_t{0}, std::size_t{1'000}, [&](std::size_t i) { seen(i); },
                       {.placement = skua::same_as_last(memo)});
  });
  seen.expect_each(4);
}

TEST(loop_memo, gives_blocks_of_at_least_the_grain) {
  on_many_schedulers([](auto&) {
    skua::loop_memo memo;
    skua::parallel_for(skua::blocked(0, 1'000, 150),
                       [](int first, int last) {
                         EXPECT_TRUE(last - first >= 150 || last == 1'000) << first << " .. " << last;
                       },
                       {.placement = skua::same_as_last(memo)});
  });
}

TEST(loop_memo, throws_the_leftmost_exception_and_goes_on) {
  on_many_schedulers([](auto& random) {
    skua::loop_memo memo;
    const skua::loop how{.placement = skua::same_as_last(memo)};
    for (int round = 0; round < 10; ++round) {
      const auto bad = static_cast<int>(number(random, 0, 999));
      int thrown = -1;
      try {
        skua::parallel_for(
            0, 1'000,
            [&](int i) {
              if (i >= bad) throw i;
            },
            how);
      } catch (int position) {
        thrown = position;
      }
      EXPECT_EQ(thrown, bad);
      visits seen(1'000);
      skua::parallel_for(std::size_t{0}, std::size_t{1'000}, [&](std::size_t i) { seen(i); }, how);
      seen.expect_each(1);
    }
  });
}

TEST(loop_memo, nests) {
  on_many_schedulers([](auto&) {
    skua::loop_memo memo;
    visits seen(50 * 50);
    for (int sweep = 0; sweep < 3; ++sweep)
      skua::parallel_for(std::size_t{0}, std::size_t{50},
                         [&](std::size_t i) {
                           skua::parallel_for(std::size_t{0}, std::size_t{50},
                                              [&](std::size_t j) { seen(i * 50 + j); });
                         },
                         {.placement = skua::same_as_last(memo)});
    seen.expect_each(3);
  });
}

// The machine may be busy, so each block waits until the other worker has begun as many blocks. Otherwise one worker could
// take the share of the other. After that wait, each block sleeps for a random time. So without the memo no assignment would
// repeat.
TEST(loop_memo, runs_blocks_where_they_ran_before) {
  skua::scheduler pool({.workers = 2, .topology = skua::topology::synthetic("package:1 core:2 pu:1")});
  pool.run([] {
    constexpr int blocks = 16, sweeps = 50;
    std::mt19937_64 random(tests::test_seed());
    std::array<std::uint8_t, blocks * sweeps> pauses;
    for (auto& pause : pauses) pause = static_cast<std::uint8_t>(random());
    skua::loop_memo memo;
    std::array<std::atomic<int>, blocks> ran_by{};
    std::array<std::atomic<int>, 2> begun{};
    int same = 0;
    std::array<int, blocks> before{};
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      begun[0] = begun[1] = 0;
      skua::parallel_for(0, blocks,
                         [&](int b) {
                           const auto me = static_cast<std::size_t>(skua::worker_index());
                           const int mine = ++begun[me];
                           ran_by[static_cast<std::size_t>(b)] = static_cast<int>(me);
                           if (mine <= blocks / 2)
                             until([&] { return begun[1 - me] >= mine; }, "the other worker");
                           std::this_thread::sleep_for(std::chrono::microseconds(
                               pauses[static_cast<std::size_t>(sweep * blocks + b)]));
                         },
                         {.placement = skua::same_as_last(memo)});
      for (std::size_t b = 0; b < blocks; ++b) {
        if (sweep > 0) same += ran_by[b] == before[b];
        before[b] = ran_by[b];
      }
    }
    EXPECT_GT(same, blocks * (sweeps - 1) * 9 / 10);
    EXPECT_EQ(std::set<int>(before.begin(), before.end()).size(), 2u);
  });
}

}  // namespace
}  // namespace loops_test
