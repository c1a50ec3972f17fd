// The CPUs on which workers run, and those of the threads and processes that workers start. This suite has a process of its
// own, because its cases fork.
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/in_child.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/until.hpp"

namespace binding_test {
namespace {

using cpu_list = std::vector<std::uint32_t>;

cpu_list cpus_of_this_thread() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  sched_getaffinity(0, sizeof mask, &mask);
  cpu_list cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) cpus.push_back(static_cast<std::uint32_t>(cpu));
  return cpus;
}

/// Returns the result of f() in a task on the own thread of one of the pool's workers. That thread may be bound.
template <class F>
auto on_own_thread(skua::scheduler& pool, F f) {
  const pid_t outside = gettid();
  decltype(f()) found{};
  std::atomic<bool> done{false};
  skua::task_group tasks;
  pool.run([&] {
    tasks.run([&] {
      EXPECT_NE(gettid(), outside);
      found = f();
      done = true;
    });
  });
  until([&] { return done.load(); }, "a worker's own thread");
  tasks.wait();
  return found;
}

cpu_list cpus_of_own_thread(skua::scheduler& pool) { return on_own_thread(pool, cpus_of_this_thread); }

/// The CPUs of the only worker of a scheduler with these options.
cpu_list cpus_with(const skua::scheduler_options& options) {
  skua::scheduler pool(options);
  return cpus_of_own_thread(pool);
}

class binding : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : {"SKUA_BIND", "SKUA_PIN", "SKUA_WORKERS", "SKUA_DISTANCES", "SKUA_TOPOLOGY"})
      unsetenv(variable);
    if (all.size() < 2) GTEST_SKIP() << "this process may use one CPU only";
  }
  void TearDown() override { unsetenv("SKUA_BIND"); }

  const cpu_list all = cpus_of_this_thread();
};

TEST_F(binding, fewer_workers_than_cpus_may_use_all_cpus) {
  skua::scheduler one({.workers = 1}), another({.workers = 1});
  EXPECT_EQ(cpus_of_own_thread(one), all);
  EXPECT_EQ(cpus_of_own_thread(another), all);
}

TEST_F(binding, schedulers_that_ask_for_cpus_get_different_ones_while_some_are_free) {
  skua::scheduler one({.workers = 1, .bind = true});
  const cpu_list first = cpus_of_own_thread(one);
  EXPECT_EQ(first, cpu_list{one.seats()[0].cpu});
  cpu_list second;
  {
    skua::scheduler another({.workers = 1, .bind = true});
    second = cpus_of_own_thread(another);
    EXPECT_EQ(second, cpu_list{another.seats()[0].cpu});
    EXPECT_NE(first, second);
  }
  skua::scheduler later({.workers = 1, .bind = true});
  EXPECT_EQ(cpus_of_own_thread(later), second) << "the CPU of the scheduler that has ended is free";
}

TEST_F(binding, a_chosen_cpu_is_used_even_if_another_scheduler_has_it) {
  skua::scheduler one({.workers = 1, .bind = true});
  const std::uint32_t taken = one.seats()[0].cpu;
  EXPECT_EQ(cpus_with({.cpus = {taken}}), cpu_list{taken});
  EXPECT_EQ(cpus_with({.cpus = {all.back()}}), cpu_list{all.back()});
  EXPECT_EQ(cpus_with({.workers = 1, .pin_order = skua::pin_order::dealt}).size(), 1u);
  EXPECT_EQ(cpus_with({.cpus = {taken}, .bind = false}), all);
}

TEST_F(binding, the_environment_variable_applies_if_the_program_does_not_choose) {
  for (const char* text : {"0", "no", "none", "domain"}) {
    setenv("SKUA_BIND", text, 1);
    if (text[0] != 'd' || skua::topology::host().domains() == 1) {
      EXPECT_EQ(cpus_with({.workers = 1}), all) << text;
    }
  }
  for (const char* text : {"1", "yes", "cpu"}) {
    setenv("SKUA_BIND", text, 1);
    EXPECT_EQ(cpus_with({.workers = 1}).size(), 1u) << text;
    EXPECT_EQ(cpus_with({.workers = 1, .bind = false}), all) << text;
  }
  setenv("SKUA_BIND", "0", 1);
  EXPECT_EQ(cpus_with({.workers = 1, .bind = true}), all);
  setenv("SKUA_BIND", "domian", 1);
  EXPECT_EQ(refusal([] { skua::scheduler pool({.workers = 1}); }),
            "SKUA_BIND is 'domian'; allowed: 0, 1, none, domain or cpu; nearest: domain");
}

TEST_F(binding, the_child_of_a_bound_worker_gets_the_cpus_of_the_process) {
  skua::scheduler pool({.workers = 1, .bind = true});
  const auto fork_here = [&] {
    EXPECT_EQ(cpus_of_this_thread().size(), 1u);
    const int code = in_child([&] { return cpus_of_this_thread() == all ? 0 : 1; }).exit_code;
    EXPECT_EQ(cpus_of_this_thread().size(), 1u) << "the worker itself stays on its CPU";
    return code;
  };
  EXPECT_EQ(on_own_thread(pool, fork_here), 0);
}

TEST_F(binding, a_blocking_call_of_a_bound_worker_runs_on_the_cpus_of_the_process) {
  skua::scheduler pool({.workers = 1, .bind = true});
  const auto block_here = [] {
    cpu_list inside, in_thread;
    skua::blocking([&] {
      inside = cpus_of_this_thread();
      std::thread([&] { in_thread = cpus_of_this_thread(); }).join();
    });
    EXPECT_EQ(inside, in_thread);
    return inside;
  };
  EXPECT_EQ(on_own_thread(pool, block_here), all);
}

TEST_F(binding, a_scheduler_that_a_bound_worker_makes_is_not_confined_to_its_cpu) {
  skua::scheduler pool({.workers = 1, .bind = true});
  for (const std::optional<bool> bind : {std::optional<bool>(false), std::optional<bool>()}) {
    const auto make_here = [&] {
      skua::scheduler inner({.workers = 1, .bind = bind});
      cpu_list found;
      std::atomic<bool> done{false};
      skua::task_group tasks;
      std::thread([&] {  // an external thread: the worker's own thread runs its task
        inner.run([&] {
          tasks.run([&] {
            found = cpus_of_this_thread();
            done = true;
          });
        });
      })
          .join();
      until([&] { return done.load(); });
      return found;
    };
    EXPECT_EQ(on_own_thread(pool, make_here), all);
  }
}

}  // namespace
}  // namespace binding_test
