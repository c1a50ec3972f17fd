// task_group: arguments, results, cancellation, exceptions, and the threads that may run and wait.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/shaped.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace task_group_test {
namespace {

struct failure {
  int number;
};

class group_with_workers : public testing::TestWithParam<int> {
 protected:
  skua::scheduler pool{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, group_with_workers, testing::Values(1, 2, 3, 8));

long tree(int depth) {
  if (depth == 0) return 1;
  std::atomic<long> sum{0};
  skua::task_group tasks;
  for (int i = 0; i < 3; ++i) tasks.run([&] { sum += tree(depth - 1); });
  tasks.wait();
  return sum;
}

// ---- arguments and results

TEST_P(group_with_workers, runs_every_task_once) {
  pool.run([] {
    std::vector<int> runs(10'000);
    skua::task_group tasks;
    for (std::size_t i = 0; i < runs.size(); ++i) tasks.run([&runs, i] { ++runs[i]; });
    tasks.wait();
    for (int n : runs) ASSERT_EQ(n, 1);
    EXPECT_EQ(tree(7), 2187);
  });
}

TEST_P(group_with_workers, copies_arguments_as_std_thread_does) {
  pool.run([] {
    std::string text = "before";
    std::string seen;
    int x = 1;
    auto pointer = std::make_unique<int>(5);
    int taken = 0;
    struct object {
      int n = 0;
      void add(int m) { n += m; }
    } o;
    {
      skua::task_group tasks;
      tasks.run([&seen](const std::string& s) { seen = s; }, text);
      text = "after";
      tasks.run([](int& n) { n = 2; }, std::ref(x));
      tasks.run([&taken](std::unique_ptr<int> p) { taken = *p; }, std::move(pointer));
      tasks.run(&object::add, &o, 3);
      tasks.wait();
    }
    EXPECT_EQ(seen, "before");
    EXPECT_EQ(x, 2);
    EXPECT_EQ(taken, 5);
    EXPECT_EQ(o.n, 3);
  });
}

TEST_P(group_with_workers, takes_large_and_overaligned_closures) {
  pool.run([] {
    std::atomic<long> sum{0};
    skua::task_group tasks;
    for (int i = 0; i < 500; ++i) {
      std::array<long, 100> large;
      large.fill(i);
      tasks.run([&sum, large] { sum += large[99] + large[0]; });
      struct alignas(64) wide {
        long n;
      } aligned{i};
      tasks.run([&sum, aligned] {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&aligned) % 64, 0u);
        sum += aligned.n;
      });
      tasks.run([&sum, p = std::make_unique<long>(i)] { sum += *p; });
    }
    tasks.wait();
    EXPECT_EQ(sum, 4L * 499 * 250);
  });
}

/// Throws when it is copied or moved the n-th time.
struct throws_when_copied {
  static inline std::atomic<int> alive{0};
  int* countdown;
  explicit throws_when_copied(int* c) : countdown(c) { ++alive; }
  throws_when_copied(const throws_when_copied& other) : countdown(other.countdown) {
    if (--*countdown == 0) throw failure{1};
    ++alive;
  }
  ~throws_when_copied() { --alive; }
  void operator()() const {}
  void operator()(const throws_when_copied&) const {}
};

TEST_P(group_with_workers, a_copy_that_throws_leaves_the_group_usable) {
  pool.run([] {
    for (int nth = 1; nth < 4; ++nth) {
      std::atomic<int> runs{0};  // tasks that were queued before the throw run meanwhile
      {
        int countdown = nth;
        const throws_when_copied f(&countdown);
        skua::task_group tasks;
        bool threw = false;
        for (int i = 0; i < 6; ++i) try {
            tasks.run(f);
          } catch (const failure&) {
            threw = true;
          }
        EXPECT_TRUE(threw);
        countdown = nth;
        EXPECT_THROW(for (int i = 0; i < 6; ++i) tasks.run([&runs](const throws_when_copied&) { ++runs; }, f),
                     failure);
        runs = 0;
        tasks.run([&runs] { ++runs; });
        tasks.wait();
        EXPECT_GE(runs, 1);
      }
      EXPECT_EQ(throws_when_copied::alive, 0);
    }
  });
}

TEST_P(group_with_workers, run_returning_gives_values_references_and_exceptions) {
  pool.run([] {
    int x = 7;
    skua::task_group tasks;
    auto value = tasks.run_returning([](int a, int b) { return a * b; }, 6, 7);
    auto moved = tasks.run_returning([p = std::make_unique<int>(3)]() mutable { return std::move(p); });
    auto reference = tasks.run_returning([](int& r) -> int& { return r; }, std::ref(x));
    auto nothing = tasks.run_returning([] {});
    static_assert(std::is_same_v<decltype(value.get()), int>);
    static_assert(std::is_same_v<decltype(reference.get()), int&>);
    tasks.wait();
    EXPECT_EQ(value.get(), 42);
    EXPECT_EQ(*moved.get(), 3);
    reference.get() = 8;
    EXPECT_EQ(x, 8);
    nothing.get();
    EXPECT_THROW(value.get(), std::logic_error) << "a value can be taken once";

    auto bad = tasks.run_returning([]() -> int { throw failure{9}; });
    EXPECT_THROW(tasks.wait(), failure);
    try {
      bad.get();
      FAIL();
    } catch (const failure& f) {
      EXPECT_EQ(f.number, 9);
    }
    tasks.cancel();
    auto never = tasks.run_returning([] { return 1; });
    tasks.wait();
    EXPECT_THROW(never.get(), std::logic_error);
  });
}

/// Returns the message of get() if there is no result, or an empty text if there is one.
template <class R>
std::string refusal(skua::task_result<R>& handle) {
  try {
    static_cast<void>(handle.get());
    return "";
  } catch (const std::logic_error& e) {
    return e.what();
  }
}

TEST(task_result, says_why_it_has_no_value) {
  skua::scheduler pool({.workers = 1});
  pool.run([] {
    skua::task_group tasks;
    auto value = tasks.run_returning([] { return std::string("x"); });
    auto nothing = tasks.run_returning([] {});
    const std::string too_early = refusal(value);
    EXPECT_NE(too_early.find("before task_group::wait()"), std::string::npos) << too_early;
    EXPECT_EQ(refusal(nothing), too_early);
    tasks.wait();

    auto moved = std::move(value);
    auto moved_nothing = std::move(nothing);
    const std::string empty = refusal(value);
    EXPECT_NE(empty.find("moved from"), std::string::npos) << empty;
    EXPECT_EQ(refusal(nothing), empty);

    auto copy = moved;
    EXPECT_EQ(moved.get(), "x");
    const std::string again = refusal(moved);
    EXPECT_NE(again.find("second time"), std::string::npos) << again;
    EXPECT_EQ(refusal(copy), again);
    moved_nothing.get();
    EXPECT_EQ(refusal(moved_nothing), "") << "get() of a void result may be called again";
  });
}

TEST(task_result, can_be_requested_while_its_task_runs) {
  skua::scheduler pool({.workers = 2});
  for (int round = 0; round < 100; ++round)
    pool.run([&] {
      std::atomic<bool> asked{false};
      std::atomic<int> taken{0}, thrown{0};
      skua::task_group tasks;
      const auto handle = tasks.run_returning([&]() -> std::string {
        until([&] { return asked.load(); }, "a thread that asks too early");
        if (round % 2 == 1) throw failure{round};
        return std::string(100, 'x');
      });
      const auto ask = [&, copy = handle]() mutable {
        for (;;) try {
            EXPECT_EQ(copy.get(), std::string(100, 'x'));
            ++taken;
            return;
          } catch (const failure& f) {
            EXPECT_EQ(f.number, round);
            ++thrown;
            return;
          } catch (const std::logic_error& e) {
            asked = true;
            if (std::string(e.what()).find("second time") != std::string::npos) return;
          }
      };
      std::thread a(ask), b(ask);
      if (round % 2 == 1)
        EXPECT_THROW(tasks.wait(), failure);
      else
        tasks.wait();
      a.join();
      b.join();
      EXPECT_EQ(taken, round % 2 == 1 ? 0 : 1);
      EXPECT_EQ(thrown, round % 2 == 1 ? 2 : 0);
    });
}

TEST_P(group_with_workers, a_handle_outlives_its_group_and_destroys_an_unused_value) {
  pool.run([] {
    auto tracked = std::make_shared<int>(1);
    std::optional<skua::task_result<std::shared_ptr<int>>> handle;
    {
      skua::task_group tasks;
      handle = tasks.run_returning([tracked] { return tracked; });
      tasks.run_returning([tracked] { return tracked; });
    }
    EXPECT_EQ(tracked.use_count(), 2);
    EXPECT_EQ(handle->get(), tracked);
    handle.reset();
    EXPECT_EQ(tracked.use_count(), 1);
  });
}

// ---- nesting and reuse

TEST_P(group_with_workers, tasks_may_run_more_tasks) {
  pool.run([] {
    skua::task_group tasks;
    std::atomic<int> runs{0};
    struct spawner {
      skua::task_group& tasks;
      std::atomic<int>& runs;
      void spawn(int depth) const {
        ++runs;
        for (int i = 0; depth > 0 && i < 2; ++i) tasks.run([*this, depth] { spawn(depth - 1); });
      }
    } all{tasks, runs};
    tasks.run([&] { all.spawn(10); });
    tasks.wait();
    EXPECT_EQ(runs, 2047);
  });
}

// More than are counted ahead at once (task_row.hpp), and a group inside a task of another one.
TEST_P(group_with_workers, tasks_may_run_thousands_of_tasks_of_two_groups) {
  for (int round = 0; round < 3; ++round)
    pool.run([] {
      constexpr int outer_tasks = 4, more = 1500, inner_tasks = 300;
      std::atomic<int> outer_runs{0}, inner_runs{0};
      skua::task_group outer;
      for (int i = 0; i < outer_tasks; ++i)
        outer.run([&] {
          skua::task_group inner;
          for (int k = 0; k < more; ++k) {
            outer.run([&] { ++outer_runs; });
            if (k < inner_tasks)
              inner.run([&] {
                ++inner_runs;
                outer.run([&] { ++outer_runs; });
              });
          }
          inner.wait();
        });
      outer.wait();
      EXPECT_EQ(inner_runs, outer_tasks * inner_tasks);
      EXPECT_EQ(outer_runs, outer_tasks * (more + inner_tasks));
    });
}

TEST_P(group_with_workers, can_be_used_again_after_wait) {
  pool.run([] {
    skua::task_group tasks;
    for (int round = 1; round <= 200; ++round) {
      std::atomic<int> runs{0};
      for (int i = 0; i < round % 7; ++i) tasks.run([&] { ++runs; });
      if (round % 5 == 0) tasks.run([] { throw failure{5}; });
      if (round % 5 == 0)
        EXPECT_THROW(tasks.wait(), failure);
      else
        tasks.wait();
      EXPECT_FALSE(tasks.cancelled());
      if (round % 5 != 0) {
        EXPECT_EQ(runs, round % 7);
      }
    }
  });
}

TEST_P(group_with_workers, several_groups_may_be_waited_for_in_any_order) {
  pool.run([] {
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::atomic<int> runs{0};
      skua::task_group first, second, third;
      for (int i = 0; i < 5; ++i) {
        first.run([&] { ++runs; });
        second.run([&] { tree(2), ++runs; });
        third.run([&] { ++runs; });
      }
      first.wait();
      third.wait();
      second.wait();
      EXPECT_EQ(runs, 15);
    }
  });
}

// ---- cancellation

TEST(task_group, tasks_that_have_not_started_never_start) {
  skua::scheduler pool({.workers = 1});
  pool.run([] {
    skua::task_group tasks;
    int runs = 0;
    auto tracked = std::make_shared<int>();
    for (int i = 0; i < 10; ++i) tasks.run([&runs, tracked] { ++runs; });
    tasks.cancel();
    EXPECT_TRUE(tasks.cancelled());
    tasks.run([&runs, tracked] { ++runs; });
    tasks.wait();
    EXPECT_EQ(runs, 0);
    EXPECT_EQ(tracked.use_count(), 1) << "the closures of cancelled tasks are destroyed";
    EXPECT_FALSE(tasks.cancelled());
    tasks.run([&] { ++runs; });
    tasks.wait();
    EXPECT_EQ(runs, 1);
  });
}

TEST_P(group_with_workers, running_tasks_see_the_cancellation_at_any_depth) {
  pool.run([] {
    EXPECT_FALSE(skua::cancelled());
    skua::task_group outer;
    std::atomic<int> told{0}, started{0};
    outer.run([&] {
      EXPECT_FALSE(skua::cancelled());
      skua::task_group inner;
      inner.run([&] {
        skua::task_group innermost;
        skua::join(
            [&] {
              ++started;
              outer.cancel();
              until([] { return skua::cancelled(); });
              ++told;
            },
            [&] {
              ++started;
              until([] { return skua::cancelled(); });
              ++told;
            });
        innermost.run([&] { told = 1000; });
        EXPECT_TRUE(innermost.cancelled());
      });
      inner.wait();
      EXPECT_TRUE(inner.cancelled()) << "the outer group cancels it";
      told += skua::cancelled();
    });
    outer.wait();
    EXPECT_EQ(started, 2);
    EXPECT_EQ(told, 3);
    EXPECT_FALSE(skua::cancelled());
  });
}

TEST_P(group_with_workers, cancelling_an_inner_group_leaves_the_outer_one_alone) {
  pool.run([] {
    skua::task_group outer;
    std::atomic<int> runs{0};
    for (int i = 0; i < 50; ++i)
      outer.run([&] {
        skua::task_group inner;
        inner.cancel();
        inner.run([&] { runs = 1000; });
        inner.wait();
        EXPECT_FALSE(skua::cancelled());
        ++runs;
      });
    outer.wait();
    EXPECT_EQ(runs, 50);
  });
}

// ---- exceptions

TEST_P(group_with_workers, the_leftmost_exception_cancels_the_group_and_reaches_the_caller) {
  pool.run([] {
    for (int repeat = 0; repeat < 50; ++repeat) {
      // Each task throws only when all of them have started, so that each of the three may throw.
      std::atomic<int> started{0};
      const int throwers = GetParam() >= 3 ? 3 : 1;
      skua::task_group tasks;
      for (int i = 0; i < throwers; ++i)
        tasks.run([&started, throwers, i] {
          ++started;
          until([&] { return started == throwers; }, "the other throwers");
          throw failure{i};
        });
      try {
        tasks.wait();
        FAIL() << "nothing was thrown";
      } catch (const failure& f) {
        EXPECT_EQ(f.number, 0);
      }
    }
  });
}

TEST(task_group, an_exception_cancels_the_rest) {
  skua::scheduler pool({.workers = 1});
  pool.run([] {
    skua::task_group tasks;
    int runs = 0;
    for (int i = 0; i < 10; ++i) tasks.run([&] { ++runs; });
    tasks.run([] { throw failure{1}; });  // the worker runs its newest task first
    EXPECT_THROW(tasks.wait(), failure);
    EXPECT_EQ(runs, 0);
    EXPECT_FALSE(tasks.cancelled());
  });
}

TEST_P(group_with_workers, the_destructor_waits_and_throws) {
  pool.run([] {
    std::atomic<int> runs{0};
    {
      skua::task_group tasks;
      for (int i = 0; i < 100; ++i) tasks.run([&] { ++runs; });
    }
    EXPECT_EQ(runs, 100);
    auto forgets_to_wait = [] {
      skua::task_group tasks;
      tasks.run([] { throw failure{4}; });
    };
    EXPECT_THROW(forgets_to_wait(), failure);
    // During unwinding the destructor cancels the group and waits. The exception that unwinds the stack wins.
    runs = 0;
    auto unwinds = [&] {
      skua::task_group tasks;
      tasks.run([&] {
        until([] { return skua::cancelled(); }, "the group's destructor");
        ++runs;
        throw failure{6};
      });
      throw failure{5};
    };
    try {
      unwinds();
      FAIL();
    } catch (const failure& f) {
      EXPECT_EQ(f.number, 5);
    }
    EXPECT_LE(runs, 1);
    // A group that a destructor makes during unwinding works as usual.
    struct works_in_destructor {
      std::atomic<int>& runs;
      ~works_in_destructor() {
        skua::task_group tasks;
        for (int i = 0; i < 10; ++i) tasks.run([this] { ++runs; });
      }
    };
    runs = 0;
    try {
      works_in_destructor w{runs};
      throw failure{7};
    } catch (const failure&) {
    }
    EXPECT_EQ(runs, 10);
  });
}

// ---- threads that run, threads that wait

TEST(task_group, external_threads_may_use_all_of_it) {
  skua::task_group tasks;
  std::atomic<int> runs{0};
  for (int i = 0; i < 100; ++i) tasks.run([&] { ++runs; });
  auto r = tasks.run_returning([] { return 3; });
  tasks.wait();
  EXPECT_EQ(runs, 100);
  EXPECT_EQ(r.get(), 3);
  tasks.run([] { throw failure{1}; });
  EXPECT_THROW(tasks.wait(), failure);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) tasks.run([&] { ++runs; });
    });
  for (auto& t : threads) t.join();
  tasks.wait();
  EXPECT_EQ(runs, 500);
}

TEST_P(group_with_workers, a_group_made_outside_works_inside_and_vice_versa) {
  std::atomic<int> runs{0};
  skua::task_group outside;
  pool.run([&] {
    for (int i = 0; i < 100; ++i) outside.run([&] { ++runs; });
  });
  outside.wait();
  EXPECT_EQ(runs, 100);
  outside.run([&] { ++runs; });
  pool.run([&] {
    outside.run([&] { ++runs; });
    outside.wait();
  });
  EXPECT_EQ(runs, 102);
  auto inside = pool.run([&] {
    auto made = std::make_unique<skua::task_group>();
    for (int i = 0; i < 100; ++i) made->run([&] { ++runs; });
    return made;
  });
  inside->wait();
  EXPECT_EQ(runs, 202);
  inside->run([&] { ++runs; });
  pool.run([&] {
    inside->run([&] { ++runs; });
    inside->wait();
  });
  EXPECT_EQ(runs, 204);
}

TEST(task_group, a_stolen_sibling_may_wait_for_it) {
  skua::scheduler pool({.workers = 2});
  for (int repeat = 0; repeat < 200; ++repeat)
    pool.run([&] {
      std::atomic<bool> ran{false}, waited{false};
      skua::task_group tasks;
      tasks.run([&] {
        sleep_ms(repeat % 3 == 0);
        ran = true;
      });
      skua::join([&] { until([&] { return waited.load(); }, "the sibling's wait"); },
                 [&] {
                   tasks.wait();
                   EXPECT_TRUE(ran);
                   waited = true;
                 });
    });
}

TEST(task_group, another_task_may_wait_for_private_tasks) {
  skua::scheduler pool({.workers = 2});
  for (int repeat = 0; repeat < 200; ++repeat)
    pool.run([&] {
      std::atomic<bool> stolen{false}, has_run{false}, ran{false}, waited{false};
      skua::task_group tasks;
      skua::join(
          [&] {
            until([&] { return stolen.load(); }, "a thief");
            tasks.run([&] { ran = true; });
            has_run = true;
            until([&] { return waited.load(); }, "the sibling's wait");
          },
          [&] {
            stolen = true;
            until([&] { return has_run.load(); });
            tasks.wait();
            EXPECT_TRUE(ran);
            waited = true;
          });
    });
}

TEST_P(group_with_workers, other_threads_may_run_tasks_while_one_waits) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    skua::task_group tasks;
    std::atomic<bool> stop{false};
    std::atomic<int> given{0}, runs{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 200 && !stop; ++i) {
          ++given;
          pool.run([&] { tasks.run([&] { ++runs; }); });
        }
      });
    pool.run([&] {
      for (int i = 0; i < 20; ++i) {
        tasks.run([&] { ++runs; });
        ++given;
        tasks.wait();
      }
    });
    stop = true;
    for (auto& t : threads) t.join();
    tasks.wait();
    EXPECT_EQ(runs, given);
  }
}

TEST_P(group_with_workers, waits_although_older_tasks_of_other_groups_lie_below) {
  // A worker that has reached its bound on suspended stacks waits in place, and must reach the tasks of its own group.
  skua::scheduler narrow({.workers = GetParam(), .suspended_stacks = 1});
  struct pattern {
    static int run(int depth) {
      if (depth == 0) return 1;
      std::atomic<int> sum{0};
      skua::task_group older, wanted, newer;
      older.run([&] { sum += run(depth - 1); });
      wanted.run([&] { sum += run(depth - 1); });
      newer.run([&] { sum += run(depth - 1); });
      wanted.wait();
      older.wait();
      newer.wait();
      return sum;
    }
  };
  skua::task_group tasks;
  std::atomic<int> sum{0};
  std::atomic<bool> ended{false};
  narrow.run([&] {
    tasks.run([&] {
      sum = pattern::run(5);
      ended = true;
    });
  });
  until([&] { return ended.load(); }, "a wait in place");
  tasks.wait();
  EXPECT_EQ(sum, 243);
}

TEST_P(group_with_workers, waits_inside_isolation_although_older_tasks_lie_below) {
  std::atomic<int> runs{0};
  std::atomic<bool> ended{false};
  skua::task_group tasks;
  pool.run([&] {
    tasks.run([&] {
      skua::task_group older;
      older.run([&] { ++runs; });
      skua::isolate([&] {
        skua::task_group wanted, newer;
        wanted.run([&] { ++runs; });
        newer.run([&] { ++runs; });
        wanted.wait();
        newer.wait();
      });
      older.wait();
      ended = true;
    });
  });
  until([&] { return ended.load(); }, "an isolated wait");
  tasks.wait();
  EXPECT_EQ(runs, 3);
}

// ---- memory

TEST(task_group, ten_million_tasks_in_rounds_need_the_memory_of_one_round) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "a sanitizer's own memory is not skua's";
  std::atomic<long> runs{0};
  skua::scheduler pool({.workers = 2});
  pool.run([&] {
    skua::task_group tasks;
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < 100'000; ++i) tasks.run([&runs] { runs.fetch_add(1, std::memory_order_relaxed); });
      tasks.wait();
    }
  });
  EXPECT_EQ(runs, 10'000'000);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  EXPECT_LT(used.ru_maxrss, 100 * 1024) << "kilobytes";
}

TEST(task_group, an_endless_spawner_does_not_grow_through_copies_that_throw) {
  skua::scheduler pool({.workers = 1});
  rusage before{}, after{};
  pool.run([&] {
    skua::task_group tasks;
    int countdown = 0;
    const throws_when_copied f(&countdown);
    auto spawn = [&](int times) {
      for (int i = 0; i < times; ++i) {
        countdown = 1;
        EXPECT_THROW(tasks.run(f), failure);
      }
    };
    struct small_but_throwing {
      int n = 0;
      small_but_throwing() = default;
      small_but_throwing(const small_but_throwing&) { throw failure{1}; }
      small_but_throwing(small_but_throwing&& other) noexcept : n(other.n) {}
      void operator()() const {}
    } small;
    spawn(1000);
    getrusage(RUSAGE_SELF, &before);
    spawn(10'000);
    for (int i = 0; i < 100'000; ++i) EXPECT_THROW(tasks.run(small), failure);
    getrusage(RUSAGE_SELF, &after);
  });
  if (!under_sanitizer) {
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 4 * 1024) << "kilobytes";
  }
}

TEST(task_group, may_be_made_by_one_task_and_waited_for_by_another) {
  skua::scheduler pool({.workers = 2, .bind = false});
  for (int round = 0; round < 500; ++round)
    pool.run([&] {
      std::atomic<skua::task_group*> made{nullptr};
      std::atomic<int> ran{0};
      skua::join(
          [&] {
            until([&] { return made != nullptr; });
            made.load()->wait();
            EXPECT_EQ(ran, 20);
            delete made.load();
          },
          [&] {  // runs on another worker, whose stack does not use the group again
            auto* group = new skua::task_group;
            for (int i = 0; i < 20; ++i) group->run([&] { ++ran; });
            made = group;
          });
    });
}

TEST(task_group, may_be_waited_for_in_another_scheduler) {
  skua::scheduler a({.workers = 1, .bind = false}), b({.workers = 1, .bind = false});
  a.run([&] {
    skua::task_group tasks;
    bool ran = false;
    tasks.run([&] { ran = true; });
    b.run([&] {
      tasks.wait();
      EXPECT_TRUE(ran);
    });
  });
}

// Whether the waiting task counts itself as unfinished depends on whether other threads have looked for tasks meanwhile.
// Before such a wait threw, it mostly ended with one worker, and sometimes hung.
TEST(task_group, a_wait_inside_one_of_its_tasks_throws) {
  for (const unsigned workers : {1u, 2u}) {
    skua::scheduler pool({.workers = workers, .bind = false});
    for (int round = 0; round < 200; ++round)
      pool.run([&] {
        std::atomic<int> ran{0};
        skua::task_group tasks;
        tasks.run([&] {
          tasks.run([&] { ++ran; });
          EXPECT_THROW(tasks.wait(), std::logic_error);
          tasks.run([&] { ++ran; });
        });
        tasks.run([&] { ++ran; });
        tasks.wait();
        EXPECT_EQ(ran, 3);
      });
  }
}

TEST(task_group, a_wait_in_a_task_inside_one_of_its_tasks_throws) {
  skua::scheduler pool({.workers = 2, .bind = false});
  for (int round = 0; round < 100; ++round)
    pool.run([&] {
      skua::task_group outer;
      outer.run([&] {
        EXPECT_THROW(skua::join([&] { outer.wait(); }, [] {}), std::logic_error);
        EXPECT_THROW(skua::join([] {}, [&] { outer.wait(); }), std::logic_error);
        skua::task_group inner;
        inner.run([&] { outer.wait(); });
        EXPECT_THROW(inner.wait(), std::logic_error);
      });
      outer.wait();
    });
}

TEST(task_group, a_wait_in_what_one_of_its_tasks_calls_elsewhere_throws) {
  skua::scheduler other({.workers = 1, .bind = false});
  for (const unsigned workers : {1u, 2u}) {
    skua::scheduler pool({.workers = workers, .bind = false});
    for (int round = 0; round < 50; ++round)
      pool.run([&] {
        skua::task_group tasks;
        tasks.run([&] {
          EXPECT_THROW(other.run([&] { tasks.wait(); }), std::logic_error);
          EXPECT_THROW(skua::blocking([&] { tasks.wait(); }), std::logic_error);
          EXPECT_THROW(skua::blocking([&] { other.run([&] { tasks.wait(); }); }), std::logic_error);
          EXPECT_THROW(skua::isolate([&] { tasks.wait(); }), std::logic_error);
        });
        tasks.wait();
      });
  }
}

TEST(task_group, a_wait_in_a_blocking_call_of_a_task_that_an_external_thread_added_throws) {
  skua::task_group tasks;  // of the default scheduler
  tasks.run([&] { EXPECT_THROW(skua::blocking([&] { tasks.wait(); }), std::logic_error); });
  tasks.wait();
}

TEST(task_group, destroyed_by_one_of_its_own_tasks_ends_the_process) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        skua::scheduler pool({.workers = 2, .bind = false});
        pool.run([] {
          auto* const tasks = new skua::task_group;
          tasks->run([tasks] { delete tasks; });
          until([] { return false; });
        });
      },
      "skua: a task_group cannot be destroyed by one of its own tasks");
}

[[gnu::noinline]] void overwrite_the_stack_below() {
  volatile char below[4096];
  for (volatile char& one : below) one = 0x41;
}

// The join in which the group is made has a scope on its stack, as long as the region's shape is being learnt.
TEST(task_group, may_outlive_the_join_in_a_region_in_which_it_was_made) {
  skua::scheduler pool({.workers = 1, .bind = false});
  pool.run([] {
    skua::shaped(skua::learn("task_group_test.outlives_join"), [] {
      const int data[100] = {};
      skua::reads(data, 100);
      skua::isolate([] {
        std::unique_ptr<skua::task_group> tasks;
        skua::join([&] { skua::join([&] { tasks = std::make_unique<skua::task_group>(); }, [] {}); }, [] {});
        overwrite_the_stack_below();
        bool ran = false;
        skua::task_group other;
        tasks->run([&] {
          overwrite_the_stack_below();
          other.run([&] { ran = true; });
          other.wait();
        });
        tasks->wait();
        EXPECT_TRUE(ran);
      });
    });
  });
}

TEST(task_group, a_wait_in_a_task_of_another_group_does_not_throw) {
  skua::scheduler pool({.workers = 2, .bind = false});
  pool.run([&] {
    std::atomic<int> ran{0};
    skua::task_group waited_for, waits;
    waited_for.run([&] { ++ran; });
    waits.run([&] {
      waited_for.wait();
      EXPECT_EQ(ran, 1);
    });
    waits.wait();
  });
}

}  // namespace
}  // namespace task_group_test
