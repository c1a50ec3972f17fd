// What it costs to spread work over all workers of a large machine, and to collect it again: loops, reductions and trees of
// joins in which each worker computes 10 000 cycles, one after the other. Costs are declared, so each run gives the same
// numbers. The same for groups of tasks.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <skua/skua.hpp>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/in_child.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/with_variable.hpp"

namespace short_loops_test {
namespace {

constexpr int work = 10'000;
constexpr int pause = 1'000'000;  // until all workers sleep

class machine_of_test {
 public:
  explicit machine_of_test(const std::string& machine, const std::string& policy = "nearest",
                           std::optional<std::int64_t> workers = {})
      : options_{.workers = workers, .policy = policy, .simulate = skua::simulation{.machine = machine}} {}

  int workers() const { return static_cast<int>(skua::scheduler(options_).workers()); }

  /// Cycles above the work for each call of `one`, in a row of calls, after `before` of them.
  double overhead(const char* what, const std::function<void(int workers)>& one, double own = work,
                  int before = 30, int measured = 20) const {
    const int all = before + measured;
    const double cycles = (cycles_of(all, one) - cycles_of(before, one)) / measured - own;
    return said(what, cycles);
  }

  /// The same where each call comes from an external thread.
  double overhead_from_outside(const char* what, const std::function<void(int workers)>& one) const {
    constexpr int before = 30, measured = 20;
    skua::scheduler pool(options_);
    const auto run = [&](int times) {
      for (int i = 0; i < times; ++i) pool.run([&] { one(static_cast<int>(pool.workers())); });
      return static_cast<double>(pool.simulated().cycles);
    };
    const double cycles_before = run(before);
    return said(what, (run(measured) - cycles_before) / measured - work);
  }

  double said(const char* what, double cycles) const {
    std::printf("  %s, %s, %s: %.0f cycles above the work\n", options_.simulate->machine.c_str(),
                options_.policy.c_str(), what, cycles);
    return cycles;
  }

 private:
  double cycles_of(int times, const std::function<void(int workers)>& one) const {
    skua::scheduler pool(options_);
    pool.run([&] {
      for (int i = 0; i < times; ++i) one(static_cast<int>(pool.workers()));
    });
    return static_cast<double>(pool.simulated().cycles);
  }

  const skua::scheduler_options options_;
};

void loop(int n) {
  skua::parallel_for(0, n, [](int) { skua::costs(work); });
}

void reduction(int n) {
  const auto value = [](int i) {
    skua::costs(work);
    return std::size_t{1} + static_cast<std::size_t>(i);
  };
  const std::size_t sum = skua::parallel_reduce(0, n, std::size_t{0}, value, std::plus<>());
  EXPECT_EQ(sum, static_cast<std::size_t>(n) * static_cast<std::size_t>(n + 1) / 2);
}

void tree(int n) {
  if (n == 1) return skua::costs(work);
  skua::join([n] { tree(n / 2); }, [n] { tree(n - n / 2); });
}

// The bounds for loops: 12 000 cycles above the work for the 16 workers of the Opterons, 25 000 for 112, 35 000 (10
// microseconds) for 192. They grow with the logarithm of the workers.
TEST(short_loops, reach_16_workers_within_12000_cycles) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const machine_of_test opterons("opteron-8380-4s");
  EXPECT_LT(opterons.overhead("loop", loop), 12'000);
  EXPECT_LT(opterons.overhead("reduction", reduction), 12'000);
  EXPECT_LT(opterons.overhead("tree", tree), 12'000);
}

TEST(short_loops, reach_112_workers_within_25000_cycles) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const machine_of_test xeons("xeon-8480plus-2s");
  ASSERT_EQ(xeons.workers(), 112);
  EXPECT_LT(xeons.overhead("loop", loop), 25'000);
  if (under_sanitizer) return;  // 16 workers run the other two there
  EXPECT_LT(xeons.overhead("reduction", reduction), 25'000);
  EXPECT_LT(xeons.overhead("tree", tree), 25'000);
}

TEST(short_loops, reach_192_workers_within_35000_cycles) {
  if (under_sanitizer) GTEST_SKIP() << "two machines are enough under a sanitizer";
  const machine_of_test epycs("epyc-9654-2s");
  ASSERT_EQ(epycs.workers(), 192);
  EXPECT_LT(epycs.overhead("loop", loop), 35'000);
  EXPECT_LT(epycs.overhead("reduction", reduction), 35'000);
  EXPECT_LT(epycs.overhead("tree", tree), 35'000);
}

// Eight times the workers are three more steps of dealing, and not eight times the cost.
TEST(short_loops, cost_as_the_logarithm_of_the_workers) {
  if (under_sanitizer) GTEST_SKIP() << "the bounds above are enough under a sanitizer";
  const auto overhead = [](std::int64_t workers) {
    return machine_of_test("epyc-9654-2s", "nearest", workers).overhead("loop", loop);
  };
  const double of_24 = overhead(24), of_192 = overhead(192);
  EXPECT_LT(of_192, 1.7 * of_24);
}

// An external thread keeps its worker between its calls.
TEST(short_loops, cost_no_more_from_outside) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const machine_of_test opterons("opteron-8380-4s");
  EXPECT_LT(opterons.overhead_from_outside("loop from outside", loop), 12'000);
  EXPECT_LT(opterons.overhead_from_outside("tree from outside", tree), 12'000);
  if (under_sanitizer) return;
  EXPECT_LT(machine_of_test("xeon-8480plus-2s").overhead_from_outside("loop from outside", loop), 25'000);
  EXPECT_LT(machine_of_test("xeon-8480plus-2s").overhead_from_outside("tree from outside", tree), 25'000);
  EXPECT_LT(machine_of_test("epyc-9654-2s").overhead_from_outside("loop from outside", loop), 35'000);
  EXPECT_LT(machine_of_test("epyc-9654-2s").overhead_from_outside("tree from outside", tree), 35'000);
}

// The line that is printed at exit contains the time in which the scheduler ends.
TEST(short_loops, of_main_cost_no_time_when_their_scheduler_ends) {
  const child_result ended = in_child([]() -> int {
    const with_variable simulate("SKUA_SIMULATE", "opteron-8380-4s"),
        costs("SKUA_SIMULATE_COSTS", "declared");
    {
      skua::scheduler pool;
      for (int i = 0; i < 8; ++i) pool.run([] { loop(16); });
    }
    std::exit(0);
  });
  EXPECT_EQ(ended.exit_code, 0) << ended.errors;
  double seconds = 0;
  unsigned long long cycles = 0;
  const std::size_t line = ended.errors.find("skua: simulated opteron-8380-4s: ");
  ASSERT_NE(line, std::string::npos) << ended.errors;
  ASSERT_EQ(std::sscanf(ended.errors.c_str() + line, "skua: simulated opteron-8380-4s: %lf s, %llu cycles",
                        &seconds, &cycles),
            2);
  EXPECT_LT(cycles, 1'000'000u);
}

// So the bounds above show that workers deal.
TEST(short_loops, take_much_longer_where_all_tasks_are_stolen) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest(deal=never)").overhead("loop", loop), 30'000);
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest(deal=never)").overhead("tree", tree), 20'000);
}

void group(int n) {
  skua::task_group tasks;
  for (int i = 0; i < n; ++i) tasks.run([] { skua::costs(work); });
  tasks.wait();
}

// The bounds are those of loops.
TEST(short_groups, reach_16_workers_within_12000_cycles) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_LT(machine_of_test("opteron-8380-4s").overhead("group", group), 12'000);
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest(deal=never)").overhead("group", group), 30'000);
}

TEST(short_groups, reach_112_workers_within_25000_cycles) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  EXPECT_LT(machine_of_test("xeon-8480plus-2s").overhead("group", group), 25'000);
}

TEST(short_groups, reach_192_workers_within_35000_cycles) {
  if (under_sanitizer) GTEST_SKIP() << "two machines are enough under a sanitizer";
  EXPECT_LT(machine_of_test("epyc-9654-2s").overhead("group", group), 35'000);
}

// main adds each task in a call of its own. The bounds are those of groups inside a task, but for 16 workers. A steal for each task,
// and a wake-up, took 260 000 and 2 300 000 cycles.
TEST(short_groups, from_main_are_given_away_in_bundles) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto overhead = [](const char* machine, double bound) {
    const with_variable simulate("SKUA_SIMULATE", machine), costs("SKUA_SIMULATE_COSTS", "declared");
    const child_result ended = in_child([&]() -> int {
      skua::scheduler& pool = skua::default_scheduler();
      const auto run = [&](int times) {
        for (int i = 0; i < times; ++i) group(static_cast<int>(pool.workers()));
        return static_cast<double>(pool.simulated().cycles);
      };
      const double before = run(4);
      const double cycles = (run(8) - before) / 8 - work;
      std::fprintf(stderr, "  %s, group from main: %.0f cycles above the work\n", machine, cycles);
      std::_Exit(cycles < bound ? 0 : 1);
    });
    EXPECT_EQ(ended.exit_code, 0) << ended.errors;
    std::printf("%s", ended.errors.c_str());
  };
  overhead("opteron-8380-4s", 12'500);
  if (under_sanitizer) return;
  overhead("xeon-8480plus-2s", 25'000);
  overhead("epyc-9654-2s", 35'000);
}

TEST(short_groups, of_many_tasks_keep_all_workers_busy) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  constexpr int tasks_each = 10;
  const auto many = [](int workers) { group(tasks_each * workers); };
  EXPECT_LT(machine_of_test("opteron-8380-4s").overhead("ten tasks each", many, tasks_each * work, 10, 10),
            0.8 * tasks_each * work);
}

TEST(short_groups, of_empty_tasks_are_no_slower_than_without_dealing) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  const auto empty = [](int) {
    skua::task_group tasks;
    for (int i = 0; i < 1000; ++i) tasks.run([] {});
    tasks.wait();
  };
  const double without =
      machine_of_test("opteron-8380-4s", "nearest(deal=never)").overhead("empty", empty, 0, 5, 5);
  EXPECT_LT(machine_of_test("opteron-8380-4s").overhead("empty", empty, 0, 5, 5), without);
}

// All workers change the group's count. When a worker made the others try again, and each task that was published changed it, 192
// workers took 3 to 9 times as long as one, and 16 workers took a fifth of its time.
TEST(short_groups, grow_a_tree_of_tiny_tasks_on_many_workers) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  constexpr double cycles_each = 900, tasks = 5461;
  std::function<void(skua::task_group&, int)> grow = [&](skua::task_group& group, int depth) {
    skua::costs(cycles_each);
    for (int i = 0; depth > 0 && i < 4; ++i) group.run([&, depth] { grow(group, depth - 1); });
  };
  const auto tree = [&](int) {
    skua::task_group group;
    grow(group, 6);
    group.wait();
  };
  const auto speedup = [&](const char* machine) {
    const double cycles = machine_of_test(machine).overhead("tree in one group", tree, 0, 2, 4);
    return tasks * cycles_each / cycles;
  };
  EXPECT_GT(speedup("opteron-8380-4s"), 8);
  if (under_sanitizer) return;
  EXPECT_GT(speedup("epyc-9654-2s"), 5);
}

// A task may wait for another one of its group, so every task that has not begun can be taken by any worker.
TEST(short_groups, let_tasks_wait_for_each_other) {
  skua::scheduler pool({.policy = "nearest", .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  pool.run([&] {
    for (int i = 0; i < 20; ++i) group(16);  // so that the size of the tasks is known
    for (int i = 0; i < 5; ++i) {
      int arrived = 0;
      skua::task_group tasks;
      for (int k = 0; k < 8; ++k)
        tasks.run([&] {
          ++arrived;
          while (arrived < 8) skua::costs(work);
        });
      tasks.wait();
      EXPECT_EQ(arrived, 8);
    }
  });
}

TEST(short_groups, run_each_task_once_and_count_it_once) {
  skua::scheduler pool(
      {.policy = "nearest", .keep_report = true, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  constexpr int groups = 20, tasks_each = 40;
  std::vector<int> runs(tasks_each);
  pool.run([&] {
    for (int i = 0; i < groups; ++i) {
      skua::task_group tasks;
      for (int k = 0; k < tasks_each; ++k)
        tasks.run([&, k] {
          ++runs[static_cast<std::size_t>(k)];
          tasks.run([] { skua::costs(work / 2); });
          skua::costs(work);
        });
      tasks.wait();
    }
  });
  EXPECT_EQ(runs, std::vector<int>(tasks_each, groups));
  EXPECT_EQ(pool.report().total.group_tasks, static_cast<std::uint64_t>(2 * groups * tasks_each));
  EXPECT_GT(pool.report().total.steals, static_cast<std::uint64_t>(10 * groups));
}

TEST(short_groups, throw_the_exception_of_the_task_that_was_added_first) {
  skua::scheduler pool({.policy = "nearest", .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  pool.run([&] {
    for (int i = 0; i < 20; ++i) {
      skua::task_group tasks;
      for (int k = 0; k < 16; ++k)
        tasks.run([k] {
          skua::costs(work);
          throw k;
        });
      try {
        tasks.wait();
        ADD_FAILURE() << "no exception";
      } catch (int k) {
        EXPECT_GE(k, 0);
      }
    }
    group(16);
  });
}

/// The same after a pause in which all workers fall asleep.
double overhead_from_asleep(const machine_of_test& machine, const std::function<void(int workers)>& one,
                            double own) {
  const auto with_pause = [&](int workers) {
    one(workers);
    skua::costs(pause);
  };
  return machine.overhead("from asleep", with_pause, pause + own, 5, 5);
}
double overhead_from_asleep(const std::string& policy, int positions, int cycles, double own) {
  const auto loop = [=](int) { skua::parallel_for(0, positions, [=](int) { skua::costs(cycles); }); };
  return overhead_from_asleep(machine_of_test("opteron-8380-4s", policy), loop, own);
}

constexpr int long_work = 100'000;

void group_of_long_tasks(int n) {
  skua::task_group tasks;
  for (int i = 0; i < n; ++i) tasks.run([] { skua::costs(long_work); });
  tasks.wait();
}

// Who is woken wakes others.
TEST(short_loops, wake_all_workers_if_there_is_enough_work) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  EXPECT_LT(overhead_from_asleep("nearest", 16, long_work, long_work), 70'000);
  EXPECT_GT(overhead_from_asleep("nearest(deal=never)", 16, long_work, long_work), 100'000);
}

TEST(short_groups, wake_all_workers_if_there_is_enough_work) {
  SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS();
  EXPECT_LT(overhead_from_asleep(machine_of_test("opteron-8380-4s"), group_of_long_tasks, long_work), 70'000);
}

// Prints what wake-ups cost on large machines, and checks nothing: it takes two minutes. docs/decisions/0029-dealing.md has the numbers.
TEST(short_loops, DISABLED_wake_192_workers) {
  const auto loop = [](int workers) { skua::parallel_for(0, workers, [](int) { skua::costs(long_work); }); };
  const std::function<void(int)> tree = [&](int n) {
    if (n == 1) return skua::costs(long_work);
    skua::join([&, n] { tree(n / 2); }, [&, n] { tree(n - n / 2); });
  };
  for (const char* machine : {"opteron-8380-4s", "xeon-8480plus-2s", "epyc-9654-2s"}) {
    std::printf("loop, group, tree of joins:\n");
    overhead_from_asleep(machine_of_test(machine), loop, long_work);
    overhead_from_asleep(machine_of_test(machine), group_of_long_tasks, long_work);
    overhead_from_asleep(machine_of_test(machine), tree, long_work);
  }
}

TEST(short_loops, of_a_few_nanoseconds_wake_no_more_workers_than_without_dealing) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const double without = overhead_from_asleep("nearest(deal=never)", 100, 2, 0);
  EXPECT_LT(overhead_from_asleep("nearest", 100, 2, 0), 1.5 * without);
}

TEST(short_loops, of_a_few_nanoseconds_stay_with_their_worker) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto loop = [](int) { skua::parallel_for(0, 100, [](int) { skua::costs(2); }); };
  EXPECT_LT(machine_of_test("opteron-8380-4s").overhead("small", loop, 0), 3'000);
  EXPECT_GT(machine_of_test("opteron-8380-4s", "nearest(deal=never)").overhead("small", loop, 0), 6'000);
}

// What is known of a loop may be wrong the next time.
TEST(short_loops, that_become_long_reach_all_workers) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  for (const bool asleep : {false, true}) {
    skua::scheduler pool({.simulate = skua::simulation{.machine = "opteron-8380-4s"}});
    const auto loop_of = [](int n, int cycles) {
      skua::parallel_for(0, n, [=](int) { skua::costs(cycles); });
    };
    constexpr int long_loops = 10, long_position = 100'000;
    const auto cycles = [&](int n) {
      const auto before = pool.simulated().cycles;
      pool.run([&] {
        for (int i = 0; i < 100; ++i) loop_of(100, 2);
        if (asleep) skua::costs(pause);
        for (int i = 0; i < n; ++i) loop_of(16, long_position);
      });
      return static_cast<double>(pool.simulated().cycles - before);
    };
    const double none = cycles(0), each = (cycles(long_loops) - none) / long_loops;
    std::printf("  long loops after small ones: %.0f cycles each\n", each);
    EXPECT_LT(each, 2 * long_position) << "asleep: " << asleep;
  }
}

// Each worker runs the same positions as last time, so that it finds its data in its cache.
TEST(short_loops, give_each_worker_the_same_positions_each_time) {
  skua::scheduler pool({.policy = "nearest", .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  std::vector<std::size_t> last(16), now(16);
  const auto one = [&] {
    skua::parallel_for(0, 16, [&](int i) {
      now[static_cast<std::size_t>(i)] = static_cast<std::size_t>(skua::worker_index());
      skua::costs(work);
    });
  };
  pool.run([&] {
    for (int i = 0; i < 5; ++i) one();
    for (int i = 0; i < 5; ++i) {
      last = now;
      one();
      EXPECT_EQ(now, last);
    }
  });
}

}  // namespace
}  // namespace short_loops_test
