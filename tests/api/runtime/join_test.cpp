// join: results, exceptions, and what happens to siblings.
#include <skua/join.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace join_test {
namespace {

struct failure {
  int number;
};

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

long fib_with(skua::task_context& w, long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join(
      w, [=](skua::task_context& x) { return fib_with(x, n - 1); },
      [=](skua::task_context& x) { return fib_with(x, n - 2); });
  return a + b;
}

/// Counts its live objects.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> made{0};
  int value;
  explicit counted(int v) : value(v) { ++alive, ++made; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
};

class join_with_workers : public testing::TestWithParam<int> {
 protected:
  skua::scheduler pool{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, join_with_workers, testing::Values(1, 2, 3, 8));

TEST_P(join_with_workers, returns_results_in_order) {
  pool.run([] {
    auto [a, b] = skua::join([] { return 1; }, [] { return std::string("two"); });
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, "two");
    auto [c, d, e] = skua::join([] { return 1; }, [] { return 2.5; }, [] { return 'x'; });
    EXPECT_EQ(std::tuple(c, d, e), std::tuple(1, 2.5, 'x'));
    const auto four = skua::join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; });
    EXPECT_EQ(four, std::tuple(1, 2, 3, 4));
    const auto five =
        skua::join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; }, [] { return 5; });
    EXPECT_EQ(five, std::tuple(1, 2, 3, 4, 5));
    const auto six = skua::join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; },
                                [] { return 5; }, [] { return std::string("six"); });
    EXPECT_EQ(six, std::tuple(1, 2, 3, 4, 5, std::string("six")));
  });
}

TEST_P(join_with_workers, void_results_are_left_out) {
  pool.run([] {
    int runs = 0;
    auto nothing = [&] { std::atomic_ref(runs).fetch_add(1); };
    static_assert(std::is_void_v<decltype(skua::join(nothing, nothing))>);
    static_assert(std::is_void_v<decltype(skua::join(nothing, nothing, nothing, nothing))>);
    skua::join(nothing, nothing);
    skua::join(nothing, nothing, nothing);
    skua::join(nothing, nothing, nothing, nothing, nothing, nothing);
    EXPECT_EQ(runs, 11);
    auto [left] = skua::join([] { return 7; }, nothing);
    EXPECT_EQ(left, 7);
    auto [right] = skua::join(nothing, [] { return 8; });
    EXPECT_EQ(right, 8);
    const std::tuple<int> one = skua::join(nothing, [] { return 9; }, nothing);
    EXPECT_EQ(std::get<0>(one), 9);
    const std::tuple<int, char> some =
        skua::join(nothing, [] { return 1; }, nothing, nothing, [] { return 'c'; }, nothing);
    EXPECT_EQ(some, std::tuple(1, 'c'));
    const std::tuple<int, int> ends = skua::join([] { return 1; }, nothing, nothing, [] { return 4; });
    EXPECT_EQ(ends, std::tuple(1, 4));
    EXPECT_EQ(runs, 11 + 2 + 2 + 4 + 2);
  });
}

TEST_P(join_with_workers, references_stay_references) {
  pool.run([] {
    int x = 1, y = 2, z = 3;
    auto both = skua::join([&]() -> int& { return x; }, [&]() -> const int& { return y; });
    static_assert(std::is_same_v<decltype(both.first), int&>);
    static_assert(std::is_same_v<decltype(both.second), const int&>);
    both.first = 10;
    EXPECT_EQ(x, 10);
    EXPECT_EQ(&both.second, &y);
    auto three =
        skua::join([&]() -> int& { return x; }, [&]() -> int& { return y; }, [&]() -> int& { return z; });
    static_assert(std::is_same_v<decltype(three), std::tuple<int&, int&, int&>>);
    std::get<0>(three) = 1, std::get<1>(three) = 2, std::get<2>(three) = 4;
    EXPECT_EQ(x + y + z, 7);
    auto& [p, q] = both;
    p = 20;
    EXPECT_EQ(x, 20);
    EXPECT_EQ(q, 2);
  });
}

TEST_P(join_with_workers, rvalue_references_stay_references) {
  pool.run([] {
    for (int round = 0; round < 200; ++round) {
      auto x = std::make_unique<int>(1), y = std::make_unique<int>(2), z = std::make_unique<int>(3);
      auto both = skua::join([&]() -> std::unique_ptr<int>&& { return std::move(x); },
                             [&]() -> std::unique_ptr<int>&& { return std::move(y); });
      static_assert(std::is_same_v<decltype(both.first), std::unique_ptr<int>&&>);
      static_assert(std::is_same_v<decltype(both.second), std::unique_ptr<int>&&>);
      ASSERT_TRUE(&both.first == &x && &both.second == &y) << "nothing has been moved";
      auto [value, moved] =
          skua::join([&] { return std::move(x); }, [&]() -> std::unique_ptr<int>&& { return std::move(y); });
      static_assert(std::is_same_v<decltype(value), std::unique_ptr<int>>);
      static_assert(std::is_same_v<decltype(moved), std::unique_ptr<int>&&>);
      ASSERT_TRUE(*value == 1 && &moved == &y);
      auto three = skua::join([&]() -> std::unique_ptr<int>&& { return std::move(y); }, [] {},
                              [&]() -> std::unique_ptr<int>&& { return std::move(z); }, [] { return 4; });
      static_assert(
          std::is_same_v<decltype(three), std::tuple<std::unique_ptr<int>&&, std::unique_ptr<int>&&, int>>);
      const std::unique_ptr<int> taken = std::get<1>(std::move(three));
      ASSERT_TRUE(*taken == 3 && !z && *y == 2);
    }
  });
  std::string text = "text";
  std::string&& from_outside = skua::blocking([&]() -> std::string&& { return std::move(text); });
  EXPECT_EQ(&from_outside, &text);
}

TEST_P(join_with_workers, results_are_bound_like_a_tuple) {
  pool.run([] {
    std::string x = "x", y = "y";
    const auto rvalue_of = [](std::string& s) { return [&s]() -> std::string&& { return std::move(s); }; };
    const auto same = [&](auto& a, auto& b) { EXPECT_TRUE(&a == &x && &b == &y && x == "x" && y == "y"); };
    auto both = skua::join(rvalue_of(x), rvalue_of(y));
    {
      auto& [a, b] = both;
      same(a, b);
    }
    {
      auto&& [a, b] = both;
      same(a, b);
    }
    {
      const auto& [a, b] = both;
      same(a, b);
    }
    {
      auto&& [a, b] = std::move(both);
      same(a, b);
    }
    {
      auto&& [a, b] = skua::join(rvalue_of(x), rvalue_of(y));
      same(a, b);
    }
    auto one = skua::join(rvalue_of(x), [] {});
    auto& [a] = one;
    const auto& [b] = one;
    EXPECT_TRUE(&a == &x && &b == &x);
    const auto values = skua::join([] { return 1; }, [&]() -> std::string& { return y; });
    auto& [number, text] = values;
    static_assert(std::is_same_v<decltype(number), const int>);
    static_assert(std::is_same_v<decltype(text), std::string&>);
    EXPECT_TRUE(number == 1 && &text == &y);
  });
}

TEST_P(join_with_workers, a_callable_that_needs_no_argument_gets_none) {
  const auto count = [](auto&&... arguments) { return sizeof...(arguments); };
  pool.run([&](skua::task_context& w) {
    auto [a, b, c] = skua::join(count, count, count);
    EXPECT_EQ(a + b + c, 0u);
    auto [d, e] = skua::join(w, count, count);
    EXPECT_EQ(d + e, 0u);
    auto [f, g] = skua::join(skua::hinted(skua::depth{1}, count), skua::hinted(skua::depth{1}, count));
    EXPECT_EQ(f + g, 0u);
    skua::task_group tasks;
    auto h = tasks.run_returning(count);
    tasks.wait();
    EXPECT_EQ(h.get(), 0u);
  });
  EXPECT_EQ(pool.run(count), 0u);
}

TEST_P(join_with_workers, moves_only_results_and_callables) {
  pool.run([] {
    auto first = std::make_unique<int>(1);
    auto [a, b] = skua::join([p = std::move(first)]() mutable { return std::move(p); },
                             [p = std::make_unique<int>(2)]() mutable { return std::move(p); });
    EXPECT_EQ(*a + *b, 3);
    auto three = skua::join([] { return std::make_unique<int>(1); }, [] {},
                            [p = std::make_unique<int>(3)]() mutable { return std::move(p); });
    static_assert(std::is_same_v<decltype(three), std::tuple<std::unique_ptr<int>, std::unique_ptr<int>>>);
    EXPECT_EQ(*std::get<0>(three) + *std::get<1>(three), 4);
  });
}

TEST_P(join_with_workers, two_results_convert_to_a_tuple) {
  pool.run([] {
    std::tuple<int, std::unique_ptr<int>> t =
        skua::join([] { return 1; }, [] { return std::make_unique<int>(2); });
    EXPECT_EQ(std::get<0>(t) + *std::get<1>(t), 3);
    int x = 5;
    std::tuple<int&, int> r = skua::join([&]() -> int& { return x; }, [] { return 6; });
    std::get<0>(r) = 7;
    EXPECT_EQ(x, 7);
    auto pair = skua::join([] { return 1; }, [] { return 2; });
    EXPECT_EQ(get<0>(pair) + get<1>(pair), 3);
  });
}

TEST_P(join_with_workers, takes_lvalue_and_const_callables) {
  pool.run([] {
    const auto f = [] { return 1; };
    auto g = [n = 1]() mutable { return ++n; };
    auto [a, b] = skua::join(f, g);
    EXPECT_EQ(a + b, 3);
    EXPECT_EQ(g(), 3) << "an lvalue is called, not copied";
    auto [c, d] = skua::join(&std::thread::hardware_concurrency, f);
    EXPECT_EQ(c, std::thread::hardware_concurrency());
    EXPECT_EQ(d, 1);
  });
}

TEST_P(join_with_workers, passes_the_task_context_to_callables_that_take_it) {
  pool.run([](skua::task_context& w) {
    EXPECT_EQ(fib_with(w, 18), 2584);
    auto [a, b, c] = skua::join(
        w, [](skua::task_context&) { return 1; }, [] { return 2; },
        [](skua::task_context& x) { return fib_with(x, 10); });
    EXPECT_EQ(std::tuple(a, b, c), std::tuple(1, 2, 55L));
    int runs = 0;
    skua::join(w, [&] { ++runs; }, [](skua::task_context&) {});
    EXPECT_EQ(runs, 1);
    auto [d, e] = skua::join([](skua::task_context& x) { return fib_with(x, 5); }, [] { return 1; });
    EXPECT_EQ(d + e, 6);
  });
}

TEST_P(join_with_workers, computes_fib) {
  EXPECT_EQ(pool.run([] { return fib(22); }), 17711);
}

TEST(join, works_on_external_threads) {
  EXPECT_EQ(skua::worker_index(), -1);
  auto [a, b] = skua::join([] { return fib(15); }, [] { return skua::worker_index(); });
  EXPECT_EQ(a, 610);
  EXPECT_GE(b, 0);
  EXPECT_EQ(skua::worker_index(), -1);
  EXPECT_THROW(skua::join([] { throw failure{1}; }, [] {}), failure);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) right += fib(12) == 144;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(right, 160);
}

// ---- exceptions

int throwing(int number) { throw failure{number}; }

TEST_P(join_with_workers, the_leftmost_exception_wins) {
  pool.run([] {
    auto caught = [](auto&&... callables) {
      try {
        skua::join(callables...);
      } catch (const failure& f) {
        return f.number;
      }
      return 0;
    };
    for (int repeat = 0; repeat < 50; ++repeat) {
      EXPECT_EQ(caught([] { throwing(1); }, [] { throwing(2); }), 1);
      EXPECT_EQ(caught([] {}, [] { throwing(2); }), 2);
      EXPECT_EQ(caught([] { return 1; }, [] { return throwing(2); }, [] { return throwing(3); }), 2);
      EXPECT_EQ(caught([] {}, [] {}, [] { return 3; }, [] { throwing(4); }, [] {}, [] { throwing(6); }), 4);
      EXPECT_EQ(caught([] { fib(8); }, [] { throwing(2); }, [] { fib(8); }, [] { throwing(4); }), 2);
    }
  });
}

TEST(join, an_unstarted_sibling_never_starts) {
  skua::scheduler pool({.workers = 1});  // there is no thief
  pool.run([] {
    int started = 0;
    EXPECT_THROW(skua::join([] { throw failure{1}; }, [&] { ++started; }), failure);
    EXPECT_THROW(
        skua::join([] { throw failure{1}; }, [&] { ++started; }, [&] { ++started; }, [&] { ++started; }),
        failure);
    EXPECT_THROW(skua::join([] {}, [] { throw failure{1}; }, [&] { ++started; }), failure);
    EXPECT_EQ(started, 0);
  });
}

TEST(join, started_siblings_have_ended_before_the_exception_arrives) {
  skua::scheduler pool({.workers = 2});
  pool.run([] {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::atomic<bool> started{false}, ended{false};
      try {
        skua::join(
            [&] {
              until([&] { return started.load(); }, "the sibling to be stolen");
              throw failure{repeat};
            },
            [&] {
              started = true;
              sleep_ms(2);
              ended = true;
            });
        FAIL() << "nothing was thrown";
      } catch (const failure& f) {
        EXPECT_TRUE(ended);
        EXPECT_EQ(f.number, repeat);
      }
    }
  });
}

TEST(join, the_result_of_a_stolen_sibling_is_destroyed_exactly_once) {
  skua::scheduler pool({.workers = 2});
  pool.run([] {
    for (int repeat = 0; repeat < 20; ++repeat) {
      counted::made = 0;
      std::atomic<bool> started{false};
      auto slow_value = [&] {
        started = true;
        sleep_ms(1);
        return counted(2);
      };
      auto wait_for_it = [&] { until([&] { return started.load(); }, "the sibling to be stolen"); };
      EXPECT_THROW(skua::join(
                       [&] {
                         wait_for_it();
                         throw failure{1};
                       },
                       slow_value),
                   failure);
      EXPECT_EQ(counted::made, 1);
      EXPECT_EQ(counted::alive, 0);
      started = false;
      {
        auto [a, b] = skua::join(
            [&] {
              wait_for_it();
              return counted(1);
            },
            slow_value);
        EXPECT_EQ(a.value + b.value, 3);
        EXPECT_EQ(counted::alive, 2);
      }
      EXPECT_EQ(counted::alive, 0);
      // If the stolen callable throws, the result of the first one is destroyed.
      started = false;
      EXPECT_THROW(skua::join(
                       [&] {
                         wait_for_it();
                         return counted(1);
                       },
                       [&]() -> counted {
                         started = true;
                         throw failure{2};
                       }),
                   failure);
      EXPECT_EQ(counted::alive, 0);
    }
  });
}

TEST_P(join_with_workers, results_are_destroyed_when_others_throw) {
  pool.run([] {
    for (int repeat = 0; repeat < 200; ++repeat) {
      EXPECT_THROW(
          skua::join([] { return counted(1); }, [] { return counted(fib(5) == 5 ? throwing(2) : 0); },
                     [] { return counted(3); }),
          failure);
      EXPECT_EQ(counted::alive, 0);
    }
  });
}

// ---- the C++ runtime's exception state

TEST(join, two_tasks_suspended_in_handlers_rethrow_their_own) {
  // The pool's only worker runs both tasks, one after the other. Each task waits inside its catch block until the other one
  // arrives there.
  skua::scheduler pool({.workers = 1});
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::atomic<int> in_handler{0}, right{0}, ended{0};
    auto suspends_in_handler = [&](int number) {
      try {
        throw failure{number};
      } catch (const failure&) {
        ++in_handler;
        skua::blocking([&] { until([&] { return in_handler == 2; }, "the other task's handler"); });
        try {
          throw;
        } catch (const failure& f) {
          right += f.number == number;
        }
      }
      ++ended;
    };
    skua::task_group tasks;
    pool.run([&] {
      tasks.run(suspends_in_handler, 1);
      tasks.run(suspends_in_handler, 2);
    });
    until([&] { return ended == 2; }, "both tasks");
    tasks.wait();
    EXPECT_EQ(right, 2);
  }
  EXPECT_GE(pool.report().total.suspensions, 20u);
}

TEST(join, many_tasks_suspended_in_handlers_rethrow_their_own) {
  skua::scheduler pool({.workers = 2});
  std::atomic<int> wrong{0}, runs{0};
  struct tree {
    std::atomic<int>&wrong, &runs;
    void run(int depth, int number) {
      try {
        throw failure{number};
      } catch (const failure&) {
        if (depth > 0)
          skua::join([&] { run(depth - 1, 2 * number); }, [&] { run(depth - 1, 2 * number + 1); });
        else
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (std::uncaught_exceptions() != 0) ++wrong;
        try {
          throw;
        } catch (const failure& f) {
          wrong += f.number != number;
          ++runs;
        }
      }
    }
  } whole{wrong, runs};
  pool.run([&] { whole.run(8, 1); });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs, 511);
}

/// Calls join() while an exception unwinds the stack.
struct joins_in_destructor {
  std::atomic<int>& right;
  int before = std::uncaught_exceptions();
  ~joins_in_destructor() {
    const bool unwinding = std::uncaught_exceptions() == before + 1;
    std::atomic<bool> stolen{false};
    bool calm_outside = false;
    auto [a, b] = skua::join(
        [&] {
          until([&] { return stolen.load(); }, "a thief");
          return fib(8);
        },
        [&] {
          stolen = true;
          // Exceptions of another stack do not count on the thief's stack.
          calm_outside = std::uncaught_exceptions() == 0;
          sleep_ms(2);
          try {
            throw failure{5};
          } catch (const failure& f) {
            return f.number;
          }
        });
    right += unwinding && a == 21 && b == 5 && calm_outside && std::uncaught_exceptions() == before + 1;
  }
};

TEST(join, works_inside_destructors_during_unwinding) {
  skua::scheduler pool({.workers = 2});
  std::atomic<int> right{0};
  for (int repeat = 0; repeat < 10; ++repeat)
    pool.run([&] {
      // The code runs on this thread's own stack, and then, in a stolen task, on a task's stack.
      auto unwinds = [&] {
        try {
          joins_in_destructor outer{right};
          throw failure{repeat};
        } catch (const failure& f) {
          right += f.number == repeat;
        }
        right += std::uncaught_exceptions() == 0;
      };
      unwinds();
      std::atomic<bool> taken{false}, ended{false};
      skua::join([&] { until([&] { return taken.load(); }, "a thief"); },
                 [&] {
                   taken = true;
                   unwinds();
                   ended = true;
                 });
      right += ended;
    });
  EXPECT_EQ(right, 70);
}

TEST(join, uncaught_exceptions_is_right_after_a_wait_in_a_sibling_that_threw) {
  skua::scheduler pool({.workers = 2});
  pool.run([] {
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> stolen{false};
      EXPECT_THROW(skua::join(
                       [&] {
                         until([&] { return stolen.load(); }, "a thief");
                         throw failure{1};
                       },
                       [&] {
                         stolen = true;
                         EXPECT_EQ(std::uncaught_exceptions(), 0);
                         sleep_ms(1);
                       }),
                   failure);
      EXPECT_EQ(std::uncaught_exceptions(), 0);
      EXPECT_FALSE(std::current_exception());
    }
  });
}

// ---- depth

/// A recursion in the left callable: every level keeps a record in the queue.
long spine(long depth) {
  if (depth == 0) return 0;
  auto [below, here] = skua::join([=] { return spine(depth - 1); }, [] { return 1; });
  return below + here;
}
long throwing_spine(long depth) {
  if (depth == 0) throw failure{77};
  auto [below, here] = skua::join([=] { return throwing_spine(depth - 1); }, [] { return 1; });
  return below + here;
}

constexpr std::int64_t big_stack = std::int64_t{1} << 30;

template <class F>
void on_big_stack(F&& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, big_stack);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* code) -> void* {
                  (*static_cast<std::remove_reference_t<F>*>(code))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST_P(join_with_workers, goes_on_with_more_outstanding_joins_than_a_queue_holds) {
  // A queue has 16384 slots. ThreadSanitizer records at most 65536 nested calls. When something is thrown, AddressSanitizer
  // does not unpoison frames beyond 64 MB.
  static constexpr long depth = under_sanitizer ? 17'000 : 100'000;
  on_big_stack([&] {
    pool.run([] {
      for (int repeat = 0; repeat < 3; ++repeat) EXPECT_EQ(spine(depth), depth);
      try {
        throwing_spine(depth);
        FAIL() << "nothing was thrown";
      } catch (const failure& f) {
        EXPECT_EQ(f.number, 77);
      }
      EXPECT_EQ(fib(15), 610);
    });
  });
}

TEST(join, goes_on_beyond_the_queue_on_a_task_stack_too) {
  skua::scheduler pool({.workers = 2, .stack_bytes = big_stack});
  pool.run([] {
    std::atomic<bool> taken{false};
    auto [a, b] = skua::join(
        [&] {
          until([&] { return taken.load(); }, "a thief");
          return 0L;
        },
        [&] {
          taken = true;
          return spine(17'000);
        });
    EXPECT_EQ(a + b, 17'000);
  });
}

struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("copied"); }
};

TEST(join, a_result_whose_copy_throws_leaves_no_sibling_behind) {
  skua::scheduler pool({.workers = 2, .bind = false});
  pool.run([&] {
    for (int round = 0; round < 100; ++round) {
      int ran = 0;
      bool gone = false;
      const throws_when_copied original;
      EXPECT_THROW(skua::join([&]() -> throws_when_copied { return original; },
                              [&] {
                                ++ran;
                                EXPECT_FALSE(gone);
                                return 1;
                              }),
                   std::runtime_error);
      gone = true;
      EXPECT_LE(ran, 1);
    }
  });
}

}  // namespace
}  // namespace join_test
