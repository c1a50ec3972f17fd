// What must stay true when workers hand joins, loops and group tasks to idle workers (src/core/dealing/dealing.hpp), in virtual time: the order of
// the steps is fixed there, so a mistake of the order fails in every run.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <skua/skua.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"

namespace dealing_test {
namespace {

skua::scheduler_options dealing(std::int64_t workers) {
  return {.workers = workers,
          .policy = "nearest(deal=always)",
          .simulate = skua::simulation{.machine = "opteron-8380-4s"}};
}

/// Runs `check` under many schedules in which any thread may stop for any time at each use of a shared word. The schedules are the
/// same with AddressSanitizer, which runs every fourth one.
constexpr int fates = 400, step = under_address_sanitizer ? 4 : 1;
constexpr int often_enough = 20 / step;
void in_hostile_schedules(const std::function<void()>& check) {
  for (int fate = 1; fate <= fates; fate += step) {
    SCOPED_TRACE("SKUA_SIMULATE_HOSTILE=" + std::to_string(fate));
    setenv("SKUA_SIMULATE_HOSTILE", std::to_string(fate).c_str(), 1);
    check();
  }
  unsetenv("SKUA_SIMULATE_HOSTILE");
}

// The task is pushed while the other worker is busy, so it stays private. Then that worker gets a join, and waits there for the
// task, which the owner may have begun meanwhile.
TEST(dealing, a_handed_join_waits_for_all_tasks_of_its_group) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  int handed = 0;
  in_hostile_schedules([&] {
    skua::scheduler pool(dealing(2));
    pool.run([&] {
      skua::isolate([&] {
        skua::task_group group;
        bool ended = false;
        const auto task = [&] {
          for (int i = 0; i < 20; ++i) skua::join([] { skua::costs(100); }, [] { skua::costs(100); });
          ended = true;
        };
        skua::join([&] { group.run(task); }, [] { skua::costs(5000); });
        const int here = skua::worker_index();
        skua::join([] {},
                   [&] {
                     handed += skua::worker_index() != here;
                     group.wait();
                     EXPECT_TRUE(ended);
                   });
      });
    });
  });
  EXPECT_GT(handed, often_enough) << "else this test tests nothing";
}

// Values are made and destroyed once each, whichever way a short loop is divided. Each position forks, so it uses the slot of
// the loop's record if that is free.
class counted {
 public:
  explicit counted(std::uint64_t sum = 0) : sum_(sum) { ++alive; }
  counted(const counted& other) noexcept : sum_(other.sum_) { ++alive; }
  counted& operator=(const counted& other) noexcept = default;
  ~counted() { --alive; }
  std::uint64_t sum() const { return sum_; }
  static inline int alive = 0;  // virtual threads take turns

 private:
  std::uint64_t sum_;
};

TEST(dealing, short_loops_that_fork_run_each_position_once) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  in_hostile_schedules([] {
    for (const std::int64_t workers : {2, 3}) {
      skua::scheduler pool(dealing(workers));
      pool.run([&] {
        for (std::size_t n = 2; n <= 9; ++n) {
          std::vector<int> runs(n);
          const auto value = [&](std::size_t i) {
            skua::join([&] { ++runs[i]; }, [&] { skua::costs(static_cast<double>(100 * (i % 7))); });
            return counted(i);
          };
          const auto add = [](counted a, counted b) { return counted(a.sum() + b.sum()); };
          EXPECT_EQ(skua::parallel_reduce(std::size_t{0}, n, counted(0), value, add).sum(), n * (n - 1) / 2);
          EXPECT_EQ(runs, std::vector<int>(n, 1)) << n << " positions on " << workers << " workers";
        }
      });
    }
    EXPECT_EQ(counted::alive, 0);
  });
}

// With an odd number of workers, half of them times the size of the loop may be less than a grain.
TEST(dealing, no_piece_of_a_loop_is_empty) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  for (const std::int64_t workers : {3, 5, 9})
    for (const std::size_t grain : {1, 4})
      for (const bool asleep : {false, true}) {
        skua::scheduler pool(dealing(workers));
        std::vector<int> runs(2 * grain);
        constexpr int loops = 20;
        pool.run([&] {
          for (int i = 0; i < loops; ++i) {
            skua::parallel_for(
                std::size_t{0}, runs.size(),
                [&](std::size_t at) {
                  ++runs[at];
                  skua::costs(8'000 / static_cast<double>(runs.size()));  // together worth three workers
                },
                {.grain = static_cast<std::int64_t>(grain)});
            if (asleep) skua::costs(1'000'000);
          }
        });
        EXPECT_EQ(runs, std::vector<int>(2 * grain, loops));
        if (!asleep) {
          EXPECT_EQ(pool.report().total.forks, static_cast<std::uint64_t>(loops)) << workers;
        }
      }
}

TEST(dealing, a_loop_of_two_positions_is_one_fork_of_two_pieces) {
  skua::scheduler pool(dealing(2));
  pool.run([] {
    for (int i = 0; i < 20; ++i) skua::parallel_for(0, 2, [](int) { skua::costs(10'000); });
  });
  EXPECT_EQ(pool.report().total.forks, 20u);
}

// The home of a group adds tasks, another stack waits for them, and home goes on to add tasks meanwhile, so that bundles are made
// while the other one looks for the tasks.
TEST(dealing, a_wait_on_another_stack_waits_for_all_tasks_of_a_group_that_is_bundled) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  int waited_elsewhere = 0;
  in_hostile_schedules([&] {
    skua::scheduler pool(dealing(8));
    pool.run([&] {
      constexpr int before = 12, after = 40;
      skua::task_group group;
      int ended = 0, added = 0;
      const int here = skua::worker_index();
      const auto add = [&](int n) {
        for (int i = 0; i < n; ++i) {
          group.run([&ended] {
            skua::costs(2000);
            ++ended;
          });
          ++added;
        }
      };
      skua::join(
          [&] {
            add(before);
            skua::costs(500);
            add(after);
          },
          [&] {
            if (skua::worker_index() == here) return;
            ++waited_elsewhere;
            skua::costs(8000);
            const int so_far = added;
            group.wait();
            EXPECT_GE(ended, so_far);
          });
      group.wait();
      EXPECT_EQ(ended, before + after);
    });
  });
  EXPECT_GT(waited_elsewhere, often_enough) << "else this test tests nothing";
}

// The exception of the task that was added first is thrown, and the tasks that had not begun are cancelled.
TEST(dealing, a_bundle_ends_with_the_first_exception) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  in_hostile_schedules([&] {
    skua::scheduler pool(dealing(8));
    pool.run([&] {
      for (int round = 0; round < 3; ++round) {
        skua::task_group group;
        int ran = 0;
        for (int i = 0; i < 40; ++i)
          group.run([&ran, i] {
            skua::costs(3000);
            ++ran;
            if (i >= 20) throw i;
          });
        EXPECT_THROW(group.wait(), int);
        EXPECT_GE(ran, 1);
        group.run([&ran] { ran = -1; });
        group.wait();
        EXPECT_EQ(ran, -1) << "the group is as new after its exception";
      }
    });
  });
}

// Each task adds two tasks to the same group, to a depth of 3, and waits for a group of its own.
TEST(dealing, tasks_of_a_bundle_may_add_tasks_and_wait) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  in_hostile_schedules([&] {
    skua::scheduler pool(dealing(8));
    pool.run([&] {
      skua::task_group group;
      int ran = 0;
      const std::function<void(int)> task = [&](int depth) {
        skua::costs(1500);
        ++ran;
        if (depth == 0) return;
        for (int i = 0; i < 2; ++i) group.run([&task, depth] { task(depth - 1); });
        skua::task_group own;
        int below = 0;
        for (int i = 0; i < 10; ++i)
          own.run([&below] {
            skua::costs(1500);
            ++below;
          });
        own.wait();
        EXPECT_EQ(below, 10);
      };
      for (int i = 0; i < 10; ++i) group.run([&task] { task(3); });
      group.wait();
      EXPECT_EQ(ran, 10 * 15);
    });
  });
}

}  // namespace
}  // namespace dealing_test
