// Exact values of work, span and the call sites on the span, in virtual time. work_span_here_test.cpp tests them in real
// time.
#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "work_span_of.hpp"

namespace {

using skua::observe::work_span_record;

constexpr const char* machine = "opteron-8380-4s";

skua::scheduler_options simulated(std::int64_t workers, const std::string& policy = "nearest") {
  return {.workers = workers,
          .policy = policy,
          .keep_report = true,
          .simulate = skua::simulation{.machine = machine, .level = skua::detail_level::lines}};
}

/// Computes for `ns` nanoseconds of the simulated machine. `ns` must be even, because the machine has 2.5 GHz.
void computes(std::uint64_t ns) { skua::costs(static_cast<double>(ns) * 2.5); }

template <class F>
work_span_record run_simulated(std::int64_t workers, F f) {
  skua::scheduler pool(simulated(workers));
  pool.run(f);
  return work_span_of(pool);
}

/// A balanced tree. Each leaf takes `ns`.
[[gnu::noinline]] void balanced(int depth, std::uint64_t ns) {
  if (depth == 0) return computes(ns);
  skua::join([=] { balanced(depth - 1, ns); }, [=] { balanced(depth - 1, ns); });
}

TEST(work_span, a_balanced_tree_has_the_span_of_a_leaf) {
  for (const std::int64_t workers : {1, 2, 5, 16}) {
    const auto s = run_simulated(workers, [] { balanced(6, 1000); });
    EXPECT_EQ(s.work_ns, 64'000u) << workers;
    EXPECT_EQ(s.span_ns, 1000u) << workers;
    EXPECT_EQ(s.burdened_span_ns, 1000u + 6 * s.burden_ns) << workers;
    EXPECT_DOUBLE_EQ(s.parallelism(), 64);
    EXPECT_EQ(s.forks, 63u);
    EXPECT_TRUE(s.exact);
    EXPECT_EQ(s.grain_ns, 0u);
  }
}

/// Code before, between and after joins of unequal callables.
void unequal(int depth) {
  computes(100);
  if (depth == 0) return;
  skua::join([=] { unequal(depth - 1); }, [] { computes(50); });
  computes(10);
  skua::join([] { computes(70); }, [=] { unequal(depth - 1); }, [] { computes(30); });
}

TEST(work_span, the_longer_callable_counts) {
  for (const std::int64_t workers : {1, 3, 8}) {
    const auto s = run_simulated(workers, [] { unequal(3); });
    std::uint64_t work = 100, span = 100;
    for (int depth = 1; depth <= 3; ++depth) {
      work = 100 + work + 50 + 10 + 70 + work + 30;
      span = 100 + span + 10 + span;
    }
    EXPECT_EQ(s.work_ns, work) << workers;
    EXPECT_EQ(s.span_ns, span) << workers;
  }
}

TEST(work_span, consecutive_parts_add_up) {
  const auto s = run_simulated(4, [] {
    for (int i = 0; i < 20; ++i) {
      computes(6);
      skua::join([] { computes(200); }, [] { computes(300); });
    }
  });
  EXPECT_EQ(s.work_ns, 20 * 506u);
  EXPECT_EQ(s.span_ns, 20 * 306u);
}

TEST(work_span, calls_from_external_threads_follow_each_other) {
  skua::scheduler pool(simulated(4));
  for (int i = 0; i < 3; ++i) pool.run([] { balanced(3, 100); });
  const auto s = work_span_of(pool);
  EXPECT_EQ(s.work_ns, 2400u);
  EXPECT_EQ(s.span_ns, 300u);
  pool.reset_report();
  pool.run([] { balanced(2, 100); });
  const auto later = work_span_of(pool);
  EXPECT_EQ(later.work_ns, 400u);
  EXPECT_EQ(later.span_ns, 100u);
}

TEST(work_span, exceptions_pass_through_joins) {
  for (const std::int64_t workers : {1, 2, 6}) {
    const auto s = run_simulated(workers, [] {
      for (int i = 0; i < 4; ++i) {
        try {
          skua::join(
              [] {
                balanced(3, 50);
                throw std::runtime_error("first");
              },
              [] { balanced(3, 40); });
        } catch (const std::runtime_error&) {
          computes(8);
        }
        EXPECT_THROW(skua::join([] { computes(30); },
                                []() -> void {
                                  computes(60);
                                  throw std::logic_error("second");
                                }),
                     std::logic_error);
        balanced(4, 26);
      }
    });
    EXPECT_EQ(s.span_ns, 4 * (50 + 8 + 60 + 26u)) << workers;
    EXPECT_GE(s.work_ns, 4 * (8 * 50 + 8 + 90 + 16 * 26u)) << workers;
  }
}

TEST(work_span, a_run_is_the_same_with_and_without_it) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto stream = [](bool keep, std::int64_t workers, const char* policy) {
    skua::scheduler_options options = simulated(workers, policy);
    options.keep_report = keep;
    skua::scheduler pool(options);
    pool.run([] {
      balanced(7, 300);
      unequal(4);
      skua::parallel_for(0, 200, [](int) { computes(40); });
      skua::task_group tasks;
      for (int i = 0; i < 50; ++i) tasks.run([i] { computes(100 + static_cast<std::uint64_t>(i)); });
      tasks.wait();
    });
    return pool.simulated().stream;
  };
  for (const char* policy : {"nearest", "random", "chase_lev", "managers", "announced"})
    for (const std::int64_t workers : {1, 5, 12})
      EXPECT_EQ(stream(true, workers, policy), stream(false, workers, policy)) << policy << ' ' << workers;
}

// ---- loops

TEST(work_span, a_loop_has_the_span_of_an_iteration) {
  for (const std::int64_t workers : {1, 3, 8}) {
    const auto s = run_simulated(workers, [] {
      computes(12);
      skua::parallel_for(0, 1000, [](int) { computes(90); });
    });
    EXPECT_EQ(s.work_ns, 90'012u) << workers;
    EXPECT_EQ(s.span_ns, 102u) << workers;
    EXPECT_GE(s.loops, 1u);
  }
}

TEST(work_span, a_loop_of_loops_and_joins) {
  for (const std::int64_t workers : {1, 4}) {
    const auto s = run_simulated(workers, [] {
      skua::parallel_for(0, 16, [](int) {
        computes(10);
        skua::parallel_for(0, 12, [](int) { balanced(2, 40); });
      });
    });
    EXPECT_EQ(s.work_ns, 16 * (10 + 12 * 160u)) << workers;
    EXPECT_EQ(s.span_ns, 50u) << workers;
  }
}

TEST(work_span, a_grain_is_serial) {
  const auto s = run_simulated(
      2, [] { skua::parallel_for(0, 1024, [](int) { computes(10); }, skua::loop{.grain = 32}); });
  EXPECT_EQ(s.work_ns, 10'240u);
  EXPECT_EQ(s.span_ns, 320u);
}

// ---- groups

TEST(work_span, a_group_has_the_span_of_its_latest_task) {
  for (const std::int64_t workers : {1, 2, 7}) {
    std::optional<skua::task_group> tasks;  // its destructor reads a shared word, which takes time
    const auto s = run_simulated(workers, [&] {
      tasks.emplace();
      for (int i = 0; i < 40; ++i) {
        computes(10);
        tasks->run([i] { computes(i == 30 ? 2000 : 100); });
      }
      computes(20);
      tasks->wait();
      computes(4);
    });
    EXPECT_EQ(s.work_ns, 40 * 10 + 39 * 100 + 2000 + 24u) << workers;
    EXPECT_EQ(s.span_ns, 31 * 10 + 2000 + 4u) << workers;
    EXPECT_EQ(s.group_tasks, 40u);
  }
}

void spawns(skua::task_group& tasks, int depth) {
  computes(10);
  if (depth == 0) return;
  for (int i = 0; i < 2; ++i) tasks.run([&tasks, depth] { spawns(tasks, depth - 1); });
  computes(2);
}

TEST(work_span, tasks_that_run_tasks_of_their_group) {
  for (const std::int64_t workers : {1, 2, 7}) {
    std::optional<skua::task_group> tasks;
    const auto s = run_simulated(workers, [&] {
      tasks.emplace();
      spawns(*tasks, 5);
      tasks->wait();
      skua::join(
          [&] {
            computes(100);
            spawns(*tasks, 2);
          },
          [] { computes(30); });
      tasks->wait();
    });
    EXPECT_EQ(s.work_ns, 63 * 10 + 31 * 2 + 100 + 7 * 10 + 3 * 2 + 30u) << workers;
    EXPECT_EQ(s.span_ns, 6 * 10 + 100 + 3 * 10u) << workers;
  }
}

// ---- suspended and moved stacks, waits, and regions that a stack may not leave

TEST(work_span, stacks_that_suspend_and_move) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  std::uint64_t work = 100, span = 100;
  for (int depth = 1; depth <= 4; ++depth) {
    work = 100 + work + 50 + 10 + 70 + work + 30;
    span = 100 + span + 10 + span;
  }
  for (const auto where : {skua::continuation::home, skua::continuation::free})
    for (const std::int64_t stacks : {1, 64})
      for (const char* policy : {"nearest", "random", "chase_lev", "managers", "most_loaded"}) {
        skua::scheduler_options options = simulated(9, policy);
        options.continuation = where;
        options.suspended_stacks = stacks;
        skua::scheduler pool(options);
        pool.run([] { unequal(4); });
        const auto s = work_span_of(pool);
        EXPECT_EQ(s.work_ns, work) << policy << ' ' << stacks;
        EXPECT_EQ(s.span_ns, span) << policy << ' ' << stacks;
      }
}

void chain(int length) {
  if (length == 0) return;
  skua::join([] { computes(10); },
             [=] {
               computes(40);
               chain(length - 1);
             });
}

TEST(work_span, a_chain_has_almost_no_parallelism) {
  for (const std::int64_t workers : {1, 4}) {
    const auto s = run_simulated(workers, [] { chain(100); });
    EXPECT_EQ(s.work_ns, 5000u) << workers;
    EXPECT_EQ(s.span_ns, 4000u) << workers;
    EXPECT_EQ(s.burdened_span_ns, 4000u + 100 * s.burden_ns) << workers;
  }
}

TEST(work_span, isolated_regions) {
  for (const std::int64_t workers : {1, 3, 8}) {
    const auto s = run_simulated(workers, [] {
      skua::join([] { skua::isolate([] { balanced(4, 200); }); }, [] { skua::isolate([] { unequal(2); }); });
    });
    EXPECT_EQ(s.work_ns, 16 * 200 + 1180u) << workers;
    EXPECT_EQ(s.span_ns, 730u) << workers;
  }
}

TEST(work_span, regions_of_two_tiers) {
  for (const std::int64_t workers : {1, 4, 16}) {
    skua::scheduler pool(simulated(workers, "bitier"));
    pool.run([] { skua::shaped({.boundary_level = 3}, [] { balanced(6, 1000); }); });
    const auto s = work_span_of(pool);
    EXPECT_EQ(s.work_ns, 64'000u) << workers;
    EXPECT_EQ(s.span_ns, 1000u) << workers;
  }
}

TEST(work_span, a_wait_for_a_mutex_is_not_work) {
  const auto s = run_simulated(4, [] {
    skua::mutex one;
    skua::parallel_for(0, 8, [&](int) {
      one.lock();
      computes(20'000);
      one.unlock();
    });
  });
  EXPECT_GE(s.work_ns, 160'000u);
  EXPECT_LT(s.work_ns, 200'000u);
}

// ---- the call sites

[[gnu::noinline]] void forks_here() {
  skua::join([] { computes(1000); }, [] { computes(10); });
  computes(2);
}
[[gnu::noinline]] void loops_here() {
  skua::parallel_for(0, 50, [](int) { computes(300); });
  computes(2);
}
[[gnu::noinline]] void spawns_here() {
  skua::task_group tasks;
  tasks.run([] { computes(4000); });
  tasks.run([] { computes(10); });
  tasks.wait();
}

TEST(work_span, the_call_sites_on_the_span_are_listed) {
  for (const std::int64_t workers : {1, 3}) {
    const auto s = run_simulated(workers, [] {
      forks_here();
      loops_here();
      spawns_here();
    });
    ASSERT_EQ(s.sites.size(), 3u);
    EXPECT_EQ(s.sites[0].name, "(anonymous namespace)::spawns_here()");
    EXPECT_EQ(s.sites[0].kind, "group");
    EXPECT_EQ(s.sites[0].span_ns, 4000u);
    EXPECT_EQ(s.sites[0].work_ns, 4010u);
    EXPECT_EQ(s.sites[0].times, 2u);
    EXPECT_EQ(s.sites[1].name, "(anonymous namespace)::forks_here()");
    EXPECT_EQ(s.sites[1].kind, "join");
    EXPECT_EQ(s.sites[1].span_ns, 1000u);
    EXPECT_EQ(s.sites[1].work_ns, 1010u);
    EXPECT_EQ(s.sites[1].times, 1u);
    EXPECT_EQ(s.sites[2].name, "(anonymous namespace)::loops_here()");
    EXPECT_EQ(s.sites[2].kind, "loop");
    EXPECT_EQ(s.sites[2].span_ns, 300u);
    EXPECT_EQ(s.sites[2].work_ns, 15'000u);
  }
}

[[gnu::noinline]] void loops_twice() {
  skua::parallel_for(0, 100, [](int) { computes(500); });
  skua::parallel_for(0, 100, [](int) { computes(100); });
}

TEST(work_span, work_of_thieves_belongs_to_the_loop_they_stole_from) {
  for (const std::int64_t workers : {1, 2, 7}) {
    skua::scheduler pool(simulated(workers));
    pool.run(loops_twice);
    const auto s = work_span_of(pool);
    ASSERT_EQ(s.sites.size(), 2u) << workers;
    const auto [less, more] = std::minmax(s.sites[0].work_ns, s.sites[1].work_ns);
    EXPECT_EQ(more, 50'000u) << workers;
    EXPECT_EQ(less, 10'000u) << workers;
    EXPECT_EQ(s.sites[0].times + s.sites[1].times, 2u) << workers;
    if (workers > 1) {
      EXPECT_GT(pool.report().total.steals, 0u);
    }
  }
}

TEST(work_span, serial_parts_of_the_span_are_reported_too) {
  skua::scheduler pool(simulated(2));
  pool.run([] {
    computes(5000);
    forks_here();
    computes(3000);
  });
  const auto record = skua::observe::read_run_record(pool.report_json());
  const auto& sites = record.work_span->sites;
  ASSERT_EQ(sites.size(), 2u);
  EXPECT_TRUE(sites[0].is_serial());
  EXPECT_GE(sites[0].span_ns, 8000u);
  EXPECT_LE(sites[0].span_ns, 8200u);
  EXPECT_EQ(sites[0].span_ns + sites[1].span_ns, record.work_span->span_ns);
}

[[gnu::noinline]] void forks_twice() {
  skua::join([] { computes(1000); }, [] { computes(10); });
  skua::join([] { computes(500); }, [] { computes(10); });
}

TEST(work_span, two_calls_in_one_function_are_two_call_sites) {
  const auto s = run_simulated(2, [] { forks_twice(); });
  ASSERT_EQ(s.sites.size(), 2u);
  EXPECT_EQ(s.sites[0].name, s.sites[1].name);
  EXPECT_NE(s.sites[0].address, s.sites[1].address);
  EXPECT_EQ(s.sites[0].address.find("unit_core+0x"), 0u) << s.sites[0].address;
  EXPECT_EQ(s.sites[0].span_ns, 1000u);
  EXPECT_EQ(s.sites[1].span_ns, 500u);
}

void first_of_two() { computes(1000); }
void second_of_two() { computes(10); }
struct counts_down {
  int from;
  void operator()() const;
};
[[gnu::noinline]] void forks_functors(int n) {
  computes(100);
  if (n > 0) skua::join(counts_down{n - 1}, counts_down{0});
  asm volatile("");  // prevents a tail call, which would return to that function's caller
}
void counts_down::operator()() const { forks_functors(from); }
struct one_iteration {
  void operator()(int) const { computes(300); }
};
[[gnu::noinline]] void forks_function_pointers() {
  skua::join(first_of_two, second_of_two);
  asm volatile("");
}
[[gnu::noinline]] void loops_over_functor() { skua::parallel_for(0, 50, one_iteration{}); }

TEST(work_span, functors_and_function_pointers_belong_to_the_function_that_forks_them) {
  const auto s = run_simulated(2, [] {
    forks_function_pointers();
    skua::join(first_of_two, second_of_two);
    loops_over_functor();
    forks_functors(3);
  });
  std::map<std::string, std::string> kinds;
  for (const auto& site : s.sites) kinds[site.name] = site.kind;
  EXPECT_EQ(kinds["(anonymous namespace)::forks_function_pointers()"], "join");
  EXPECT_EQ(kinds["skua::parallel_for of (anonymous namespace)::one_iteration"], "loop");
  EXPECT_EQ(kinds["(anonymous namespace)::forks_functors(int)"], "join");
  for (const auto& [name, kind] : kinds) EXPECT_EQ(name.find("skua::detail::"), std::string::npos) << name;
}

[[gnu::noinline]] void runs_tasks_from_outside() {
  skua::task_group tasks;
  for (int i = 0; i < 3; ++i) tasks.run([] { computes(700); });
  tasks.wait();
}

TEST(work_span, calls_from_external_threads_belong_to_their_caller) {
  skua::configure_default_scheduler(simulated(2));
  forks_function_pointers();
  loops_over_functor();
  runs_tasks_from_outside();
  const auto s = work_span_of(skua::default_scheduler());
  std::map<std::string, std::string> kinds;
  for (const auto& site : s.sites) kinds[site.name] = site.kind;
  const std::map<std::string, std::string> expected{
      {"(anonymous namespace)::forks_function_pointers()", "join"},
      {"skua::parallel_for of (anonymous namespace)::one_iteration", "loop"},
      {"(anonymous namespace)::runs_tasks_from_outside()", "group"}};
  EXPECT_EQ(kinds, expected);
}

}  // namespace
