// Schedulers: options, external threads, several at once, counters, parking, and destruction.
#include <skua/declare.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"
#include "tests/support/with_variable.hpp"

namespace scheduler_test {
namespace {

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

long group_fib(long n) {
  if (n < 2) return n;
  long a = 0;
  skua::task_group tasks;
  tasks.run([&] { a = group_fib(n - 1); });
  const long b = group_fib(n - 2);
  tasks.wait();
  return a + b;
}

/// Makes a scheduler and runs a task. Returns the message of the refusal, or an empty text if the scheduler works.
std::string refusal(const skua::scheduler_options& options = {}) {
  try {
    skua::scheduler pool(options);
    return pool.run([] { return fib(5); }) == 5 ? "" : "wrong";
  } catch (const skua::bad_input& e) {
    return e.what();
  }
}

void expect_says(const std::string& text, std::initializer_list<const char*> parts) {
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << '"' << text << "\" lacks " << part;
}

// ---- options

TEST(scheduler, refuses_bad_options_and_says_what_is_allowed) {
  expect_says(refusal({.workers = 0}), {"workers", "0", "1 to", "nearest: 1"});
  expect_says(refusal({.workers = -1}), {"workers", "-1", "nearest: 1"});
  expect_says(refusal({.workers = 1'000'000'000}), {"workers", "1000000000", "nearest: 4096"});
  expect_says(refusal({.policy = "neerest"}), {"neerest", "random", "nearest: nearest"});
  expect_says(refusal({.policy = "rondom"}), {"rondom", "nearest: random"});
  expect_says(refusal({.suspended_stacks = 0}), {"suspended_stacks", "0", "nearest: 1"});
  expect_says(refusal({.stack_bytes = 100}), {"stack_bytes", "100", "nearest: 16384"});
  expect_says(refusal({.policy = "mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0.5))))))"}),
              {"'mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0.5, mix(0....'",
               "7 deep; allowed: 6; nearest: 6"});
  expect_says(refusal({.stack_bytes = -5}), {"stack_bytes", "-5", "nearest: 16384"});
  EXPECT_EQ(refusal({.workers = 2, .policy = "random"}), "");
}

TEST(scheduler, refuses_a_bad_environment) {
  for (const char* text : {"0", "-1", "many", "2x", "", " ", "99999999999999999999"}) {
    with_variable v("SKUA_WORKERS", text);
    if (*text == '\0')
      EXPECT_EQ(refusal(), "") << "an empty variable counts as not set";
    else
      expect_says(refusal(), {"SKUA_WORKERS", text, "allowed: "});
    const bool is_number = std::string_view(text).find_first_of("0123456789") != std::string_view::npos;
    EXPECT_EQ(refusal().find("; nearest: ") != std::string::npos, is_number) << text;
  }
  {
    with_variable v("SKUA_POLICY", "neares");
    expect_says(refusal(), {"SKUA_POLICY: ", "neares", "nearest: nearest"});
    EXPECT_EQ(refusal({.policy = "random"}), "") << "an option takes precedence over the environment";
  }
  {
    with_variable v("SKUA_STACK_BYTES", "huge");
    expect_says(refusal(), {"SKUA_STACK_BYTES", "huge", "allowed: "});
    EXPECT_EQ(refusal().find("nearest"), std::string::npos) << refusal();
  }
  {
    with_variable v("SKUA_BIND", "perhaps");
    expect_says(refusal(), {"SKUA_BIND", "perhaps", "allowed: 0, 1, none, domain or cpu"});
  }
  {
    with_variable v("SKUA_TOPOLOGY", "/does/not/exist.xml");
    expect_says(refusal(), {"/does/not/exist.xml"});
  }
  {
    with_variable v("SKUA_WORKERS", "3");
    skua::scheduler pool;
    EXPECT_EQ(pool.workers(), 3u);
    EXPECT_EQ(skua::scheduler({.workers = 1}).workers(), 1u);
  }
}

// Returns for each worker thread the number of CPUs on which it may run. The tasks wait for each other, so each runs on
// another thread.
std::vector<int> cpus_of_workers(skua::scheduler& pool) {
  std::vector<int> cpus(pool.workers());
  std::atomic<std::size_t> arrived{0};
  pool.run([&] {
    skua::task_group tasks;
    for (int& one : cpus)
      tasks.run([&] {
        cpu_set_t mask;
        sched_getaffinity(0, sizeof mask, &mask);
        one = CPU_COUNT(&mask);
        ++arrived;
        until([&] { return arrived == cpus.size(); });
      });
    tasks.wait();
  });
  return cpus;
}

TEST(scheduler, binds_no_thread_if_the_environment_says_so) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two CPUs";
  for (const char* no : {"no", "0", "off", "FALSE"}) {
    with_variable v("SKUA_BIND", no);
    skua::scheduler pool({.workers = 2, .bind = true});
    EXPECT_EQ(cpus_of_workers(pool), std::vector<int>(2, CPU_COUNT(&all))) << no;
  }
}

TEST(scheduler, takes_empty_options) {
  with_variable v("SKUA_WORKERS", "2");
  skua::scheduler none;
  skua::scheduler in_parentheses({});
  skua::scheduler in_braces{{}};
  skua::scheduler named(skua::scheduler_options{});
  for (const skua::scheduler* one : {&none, &in_parentheses, &in_braces, &named})
    EXPECT_EQ(one->workers(), 2u);
  static_assert(!std::is_constructible_v<skua::scheduler, int>);
  static_assert(!std::is_convertible_v<skua::scheduler_options, skua::scheduler>);
  static_assert(!std::is_copy_constructible_v<skua::scheduler> &&
                !std::is_move_constructible_v<skua::scheduler>);
}

TEST(scheduler, reads_a_stack_size_with_a_unit) {
  for (const char* text : {"8M", "8Mi", "64k", "65536", "1GiB"}) {
    with_variable v("SKUA_STACK_BYTES", text);
    EXPECT_EQ(refusal(), "") << text;
  }
  {
    with_variable v("SKUA_STACK_BYTES", "-1");
    expect_says(refusal(), {"SKUA_STACK_BYTES", "-1", "nearest: 16384"});
  }
  with_variable v("SKUA_STACK_BYTES", "8X");
  const std::string says = refusal();
  expect_says(says, {"SKUA_STACK_BYTES", "8X", "16384", "8M"});
  EXPECT_EQ(says.find("nearest"), std::string::npos) << says;
}

// The test needs a process in which the default scheduler has not been used.
TEST(scheduler_death, configuring_the_default_scheduler_refuses_bad_options_at_once) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto configure = [] {
    try {
      skua::configure_default_scheduler({.workers = 3, .policy = "rondom"});
      std::exit(1);
    } catch (const skua::bad_input& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    skua::configure_default_scheduler({.workers = 3, .policy = "random"});
    const bool right = fib(10) == 55 && skua::default_scheduler().workers() == 3 &&
                       skua::default_scheduler().policy() == "random";
    try {
      skua::configure_default_scheduler({});
      std::exit(2);
    } catch (const std::logic_error&) {  // the default scheduler is in use
    }
    std::exit(right ? 0 : 3);
  };
  EXPECT_EXIT(configure(), testing::ExitedWithCode(0), "rondom.*allowed: .*nearest: random");
}

TEST(scheduler, refuses_damaged_and_empty_topology_files) {
  const std::string path = testing::TempDir() + "damaged-topology.xml";
  for (const char* text :
       {"", "<?xml version=\"1.0\"?><topology version=\"2.0\"><object type=\"Mach", "no xml\n"}) {
    std::ofstream(path) << text;
    with_variable v("SKUA_TOPOLOGY", path);
    expect_says(refusal(), {path.c_str()});
  }
  std::remove(path.c_str());
  with_variable v("SKUA_TOPOLOGY", "package:0");
  expect_says(refusal(), {"package:0"});
}

TEST(scheduler, runs_any_number_of_workers_on_any_topology) {
  for (const char* text : {"pu:1", "core:2 pu:1", "package:4 core:4 pu:1", "numa:2 l3:2 core:4 pu:2"}) {
    with_variable v("SKUA_TOPOLOGY", text);
    for (int workers : {1, 2, 7, 16, 64}) {
      skua::scheduler pool({.workers = workers});
      EXPECT_EQ(pool.workers(), static_cast<std::size_t>(workers));
      EXPECT_EQ(pool.run([] { return fib(16); }), 987) << text << ", " << workers << " workers";
      EXPECT_EQ(pool.run([] { return group_fib(10); }), 55);
    }
  }
}

TEST(scheduler, worker_index_is_below_the_number_of_workers) {
  skua::scheduler pool({.workers = 3});
  EXPECT_EQ(skua::worker_index(), -1);
  pool.run([] {
    skua::parallel_for(0, 10'000, [](int) {
      const int i = skua::worker_index();
      EXPECT_TRUE(i >= 0 && i < 3) << i;
    });
  });
  EXPECT_EQ(skua::worker_index(), -1);
}

// ---- run()

TEST(scheduler, run_returns_what_the_callable_returns_and_throws_what_it_throws) {
  skua::scheduler pool({.workers = 2});
  int x = 1;
  static_assert(std::is_same_v<decltype(pool.run([&]() -> int& { return x; })), int&>);
  pool.run([&]() -> int& { return x; }) = 2;
  EXPECT_EQ(x, 2);
  EXPECT_EQ(*pool.run([] { return std::make_unique<int>(3); }), 3);
  static_assert(std::is_void_v<decltype(pool.run([] {}))>);
  EXPECT_THROW(pool.run([]() -> int { throw std::runtime_error("x"); }), std::runtime_error);
  EXPECT_EQ(pool.run([&] { return pool.run([] { return fib(10); }); }), 55)
      << "run() inside a task calls directly";
  EXPECT_EQ(pool.run([](skua::task_context& w) {
    auto [a, b] = skua::join(w, [] { return 1; }, [](skua::task_context&) { return 2; });
    return a + b;
  }),
            3);
}

TEST(scheduler, several_schedulers_live_at_once_and_nest) {
  skua::scheduler a({.workers = 2}), b({.workers = 3, .policy = "random"}), c({.workers = 1});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (auto* pool : {&a, &b, &c, &a, &b, &c})
    threads.emplace_back([&right, pool] {
      for (int i = 0; i < 20; ++i) right += pool->run([] { return fib(14); }) == 377;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(right, 120);
  a.run([&] {
    skua::parallel_for(0, 20,
                       [&](int) { right += b.run([&] { return c.run([] { return fib(10); }); }) == 55; });
  });
  EXPECT_EQ(right, 140);
  EXPECT_EQ(a.run([&] { return b.run([&] { return a.run([] { return fib(12); }); }); }), 144)
      << "the call enters the first scheduler again";
  EXPECT_EQ(c.run([&] { return b.run([&] { return c.run([] { return fib(12); }); }); }), 144)
      << "this thread already uses all workers of the scheduler";
}

TEST(scheduler, eight_threads_share_a_pool_of_two) {
  skua::scheduler pool({.workers = 2});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        right += pool.run([] { return fib(10); }) == 55;
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(right, 800);
}

/// Runs two tasks. Each ends when both have begun.
void run_two_at_once(skua::scheduler& pool) {
  std::atomic<int> here{0};
  const auto meet = [&] {
    ++here;
    until([&] { return here == 2; }, "the other one of two tasks");
  };
  pool.run([&] { skua::join(meet, meet); });
}

TEST(scheduler, runs_no_more_tasks_at_once_than_it_has_workers) {
  for (int workers : {1, 2, 4}) {
    skua::scheduler pool({.workers = workers});
    std::atomic<int> running{0}, max{0};
    auto leaf = [&] {
      const int now = ++running;
      int seen = max;
      while (now > seen && !max.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      --running;
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 10; ++i)
          pool.run([&] {
            leaf();
            skua::parallel_for(0, 8, [&](int) { leaf(); });
            skua::task_group tasks;
            for (int k = 0; k < 8; ++k) tasks.run(leaf);
            skua::join(leaf, leaf, leaf);
            tasks.wait();
            if (t == 0) skua::blocking([] { sleep_ms(1); });
            leaf();
          });
      });
    for (auto& t : threads) t.join();
    EXPECT_LE(max, workers);
    if (workers > 1) run_two_at_once(pool);  // two tasks do run at once
  }
}

// ---- beginning and ending

// If the external thread gave up its worker, the worker's own thread would only search for work that does not exist, and
// both threads would pay for a park and a wake.
TEST(scheduler, a_waiting_external_thread_keeps_its_worker_while_no_task_needs_it) {
  skua::scheduler pool({.workers = 2, .park_after_us = -1, .keep_times = true});
  skua::worker_times before, after;
  const auto grew_ms = [&](skua::activity what) {
    return static_cast<double>(after.of(what)) / 1e6 - static_cast<double>(before.of(what)) / 1e6;
  };
  const auto keeps_it = [&] {
    return grew_ms(skua::activity::waiting) > 40 && grew_ms(skua::activity::looking) < 1;
  };
  pool.run([&] {
    std::atomic<bool> stolen = false;
    skua::join(
        [&] { until([&] { return stolen.load(); }, "a thief"); },
        [&] {
          stolen = true;
          // The external thread must first reach its wait, which may take long if other threads have its CPU. From then on
          // its worker counts as waiting, whichever thread has the CPU. If the thread gave the worker up, the worker would
          // sleep or search.
          for (patience left; left && !keeps_it();) {
            before = pool.report().total_times;
            sleep_ms(50);
            after = pool.report().total_times;
          }
        });
  });
  EXPECT_GT(grew_ms(skua::activity::waiting), 40);
  EXPECT_LT(grew_ms(skua::activity::looking), 1);
}

TEST(scheduler, can_be_destroyed_at_once) {
  for (int i = 0; i < (under_sanitizer ? 200 : 1000); ++i) skua::scheduler pool({.workers = 1 + i % 4});
}

TEST(scheduler, can_be_destroyed_while_idle_and_while_going_to_sleep) {
  for (int i = 0; i < 300; ++i) {
    skua::scheduler pool({.workers = 3, .park_after_us = i % 3 * 50});
    pool.run([] { fib(8); });
    std::this_thread::sleep_for(std::chrono::microseconds(i % 20 * 20));
  }
}

TEST(scheduler, its_destructor_waits_for_running_tasks) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ended{0};
    skua::task_group tasks;
    {
      skua::scheduler pool({.workers = 2});
      pool.run([&] {
        for (int k = 0; k < 4; ++k)
          tasks.run([&] {
            skua::join([&] { skua::blocking([] { sleep_ms(1); }); }, [] { sleep_ms(1); },
                       [&] { skua::blocking([] { sleep_ms(2); }); });
            ++ended;
          });
      });
    }
    EXPECT_EQ(ended, 4);
    tasks.wait();
  }
}

TEST(scheduler, the_thread_that_wakes_a_task_may_return_after_the_scheduler_is_destroyed) {
  // The thread that ends a blocking call, or hands over a mutex, must not access a scheduler that is destroyed.
  for (int i = 0; i < 300; ++i) {
    skua::mutex m;
    m.lock();
    auto pool = std::make_unique<skua::scheduler>(skua::scheduler_options{.workers = 1, .park_after_us = 0});
    std::atomic<int> ended{0};
    skua::task_group tasks;
    pool->run([&] {
      tasks.run([&] {
        skua::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
        std::lock_guard lock(m);
        ++ended;
      });
    });
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(200 + i));
      m.unlock();
    });
    pool.reset();
    EXPECT_EQ(ended, 1);
    tasks.wait();
    other.join();
  }
}

TEST(scheduler, threads_that_used_it_may_end) {
  skua::scheduler pool({.workers = 2});
  struct works_at_exit {
    std::atomic<int>* right = nullptr;
    ~works_at_exit() {
      if (right) *right += fib(10) == 55;
    }
  };
  std::atomic<int> right{0};
  for (int i = 0; i < 50; ++i)
    std::thread([&] {
      static thread_local works_at_exit at_exit;
      at_exit.right = &right;
      right += pool.run([] { return fib(10); }) == 55;
      right += fib(10) == 55;
    }).join();
  EXPECT_EQ(right, 150);
}

struct works_in_static_destruction {
  std::unique_ptr<skua::scheduler> own =
      std::make_unique<skua::scheduler>(skua::scheduler_options{.workers = 2});
  ~works_in_static_destruction() {
    long sum = own->run([] { return fib(12); }) + fib(12);
    std::atomic<long> more{0};
    skua::parallel_for(0, 100, [&](int i) { more += i; });
    skua::task_group tasks;
    tasks.run([&] { more += 1; });
    tasks.wait();
    own.reset();
    std::fprintf(stderr, "sum %ld\n", sum + more);
  }
};

TEST(scheduler_death, parallel_code_works_in_static_destruction) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static works_in_static_destruction last;
        fib(10);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "sum 5239");
}

// ---- counters

TEST(scheduler, counts_forks_exactly) {
  for (int workers : {1, 2, 4, 16}) {
    skua::scheduler pool({.workers = workers});
    for (int round = 1; round <= 5; ++round) {
      pool.run([] { return fib(20); });
      EXPECT_EQ(pool.report().total.forks, 10945u * static_cast<unsigned>(round)) << workers << " workers";
    }
    pool.reset_report();
    EXPECT_EQ(pool.report().total.forks, 0u);
    pool.run([] { return group_fib(15); });
    EXPECT_EQ(pool.report().total.group_tasks, 986u) << workers << " workers";
    EXPECT_EQ(pool.report().total.forks, 0u);
    // Forks inside group tasks count too, wherever these run.
    pool.reset_report();
    skua::task_group tasks;
    std::atomic<int> ended{0};
    pool.run([&] {
      for (int i = 0; i < 20; ++i) tasks.run([&] { fib(12), ++ended; });
    });
    until([&] { return ended == 20; });
    tasks.wait();
    until([&] { return pool.report().total.forks >= 20 * 232u; }, "the counters of workers that are done");
    EXPECT_EQ(pool.report().total.forks, 20 * 232u) << workers << " workers";
    EXPECT_EQ(pool.report().total.group_tasks, 20u);
  }
}

testing::AssertionResult adds_up(const skua::counters& c) {
  std::uint64_t by_distance = 0;
  for (auto n : c.steals_by_distance) by_distance += n;
  if (c.attempts == c.steals + c.steal_misses && by_distance == c.steals && c.remote_steals <= c.steals &&
      c.remote_attempts <= c.attempts)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << c.attempts << " attempts, " << c.remote_attempts
                                     << " of them remote; " << c.steals << " steals, " << c.remote_steals
                                     << " of them remote, " << by_distance << " by distance; "
                                     << c.steal_misses << " misses";
}

skua::report report_at_rest(skua::scheduler& pool) {
  skua::report r;
  until(
      [&] {
        const std::uint64_t before = pool.report().total.attempts;
        sleep_ms(20);
        r = pool.report();
        return r.total.attempts == before;
      },
      "workers that rest");
  return r;
}

TEST(scheduler, its_report_adds_up) {
  with_variable v("SKUA_TOPOLOGY", "package:2 core:4 pu:1");
  for (const char* policy : {"nearest", "random"}) {
    skua::scheduler pool({.workers = 8, .policy = policy});
    // This runs once, and again if a thief came too late because other programs used the CPUs.
    const auto shared_out = [](const skua::counters& c) { return c.steals >= 7 && c.remote_attempts > 0; };
    bool ran = false;
    for (patience left; left && !(ran && shared_out(pool.report().total)); ran = true)
      pool.run([] {
        fib(18);
        skua::parallel_for(0, 64, [](int) { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
      });
    skua::report r = report_at_rest(pool);
    // A worker that loses its CPU in the middle of an attempt has counted only a part of it.
    for (patience left; left && !std::ranges::all_of(r.workers, adds_up);) r = report_at_rest(pool);
    EXPECT_EQ(r.workers.size(), 8u);
    skua::counters sum;
    for (const auto& w : r.workers) {
      EXPECT_TRUE(adds_up(w));
      sum += w;
    }
    EXPECT_EQ(sum.steals, r.total.steals);
    EXPECT_EQ(sum.forks, r.total.forks);
    EXPECT_TRUE(adds_up(r.total));
    EXPECT_GE(r.total.steals, 7u) << "64 naps on 8 workers";
    EXPECT_GT(r.total.remote_attempts, 0u);
  }
  skua::scheduler alone({.workers = 1});
  alone.run([] { fib(15); });
  EXPECT_EQ(alone.report().total.steals, 0u);
  EXPECT_EQ(alone.report().total.remote_attempts, 0u);
}

// ---- idle workers

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Expects that in the end the process uses no CPU time. A thread may go to sleep late if other programs use the CPUs, but a
/// thread that never sleeps takes its share of every 200 ms.
void expect_no_cpu_while(const char* when) {
  double used = 1;
  for (patience left; left && used >= (under_sanitizer ? 0.020 : 0.005);) {
    const double before = cpu_seconds();
    sleep_ms(200);
    used = cpu_seconds() - before;
  }
  EXPECT_LT(used, under_sanitizer ? 0.020 : 0.005) << when;
}

TEST(scheduler, without_work_the_process_uses_no_cpu) {
  skua::scheduler pool({.workers = 4}), other({.workers = 16});
  expect_no_cpu_while("before any work");
  pool.run([] { fib(20); });
  expect_no_cpu_while("after forks");
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      pool.run([] {
        skua::task_group tasks;
        for (int i = 0; i < 100; ++i) tasks.run([] { fib(8); });
        skua::blocking([] { sleep_ms(1); });
        tasks.wait();
      });
    });
  for (auto& t : threads) t.join();
  expect_no_cpu_while("after external threads");
  skua::scheduler unused({.workers = 2});
  unused.run([] { expect_no_cpu_while("an external thread in a new pool that only sleeps"); });
  // One worker runs a long leaf, and there is no work for the others.
  pool.run([] { skua::join([] { expect_no_cpu_while("one task that only sleeps"); }, [] {}); });
  // All tasks are suspended.
  skua::task_group tasks;
  std::atomic<bool> go{false};
  pool.run([&] {
    for (int i = 0; i < 10; ++i)
      tasks.run([&] { skua::blocking([&] { until([&] { return go.load(); }); }); });
  });
  sleep_ms(20);
  go = true;
  tasks.wait();
  skua::mutex m;
  m.lock();
  pool.run([&] {
    for (int i = 0; i < 10; ++i) tasks.run([&] { std::lock_guard lock(m); });
  });
  expect_no_cpu_while("ten tasks wait for a mutex");
  m.unlock();
  tasks.wait();
}

// The machine is simulated, because on a busy real machine some workers do not sleep yet, and others wake by themselves and
// arrive earlier.
TEST(scheduler, wakes_the_nearest_sleeper_first) {
  skua::scheduler pool(
      {.workers = 8, .simulate = skua::simulation{.machine = "package:2 [numa] core:4 pu:1"}});
  constexpr int rounds = 40;
  int near = 0;
  pool.run([&] {
    for (int round = 0; round < rounds; ++round) {
      skua::costs(1e7);  // until all workers sleep
      const int here = skua::worker_index();
      int there = -1;
      skua::join(
          [&] {
            while (there < 0) skua::costs(1000);
          },
          [&] { there = skua::worker_index(); });
      near += pool.seats().distance(static_cast<skua::worker_id>(here), static_cast<skua::worker_id>(there)) <
              pool.seats().levels() - 1;
    }
  });
  std::printf("  %d of %d by a near one\n", near, rounds);
  // A random choice would give three of seven.
  EXPECT_GE(near, rounds * 3 / 4);
}

TEST(scheduler, sleeps_at_once_or_never_as_its_options_say) {
  for (std::int64_t park_after_us :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1}, std::int64_t{1'000'000}}) {
    skua::scheduler pool({.workers = 2, .park_after_us = park_after_us});
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(pool.run([] { return fib(14); }), 377);
      std::this_thread::sleep_for(std::chrono::microseconds(i * 30));
    }
    if (park_after_us == 0) {
      // A sleep is counted at its end, so this repeats until the other worker was woken to take a task.
      for (patience left; left && pool.report().total.sleeps == 0;) run_two_at_once(pool);
      EXPECT_GT(pool.report().total.sleeps, 0u);
    }
    if (park_after_us == -1) {
      EXPECT_EQ(pool.report().total.sleeps, 0u);
    }
  }
}

// ---- stacks

std::uint64_t max_stacks(const skua::report& r) {
  std::uint64_t max = 0;
  for (const auto& w : r.workers) max = std::max(max, w.stacks);
  return max;
}

constexpr double leaf_s = 300e-6;
void sleeps() { std::this_thread::sleep_for(std::chrono::duration<double>(leaf_s)); }
void takes_virtual_time() { skua::costs(leaf_s * 2.5e9); }

/// Suspends wherever possible: every leaf waits, and every task above waits for its leaves.
void waits_everywhere(int depth, void (*leaf)() = sleeps) {
  if (depth == 0) return skua::blocking(leaf);
  skua::task_group tasks;
  for (int i = 0; i < 3; ++i) tasks.run([=] { waits_everywhere(depth - 1, leaf); });
  skua::join([=] { waits_everywhere(depth - 1, leaf); }, [=] { waits_everywhere(depth - 1, leaf); });
  tasks.wait();
}

// The machine is simulated, so that no wait is long because other programs use the CPUs.
TEST(scheduler, with_continuation_home_the_number_of_stacks_is_bounded) {
  for (int workers : {1, 2, 4})
    for (int suspended : {1, 4}) {
      skua::scheduler pool({.workers = workers,
                            .suspended_stacks = suspended,
                            .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
      pool.run([] { waits_everywhere(3, takes_virtual_time); });
      const auto stacks = max_stacks(pool.report());
      EXPECT_LE(stacks, static_cast<unsigned>(workers * (suspended + 2))) << workers << ", " << suspended;
      EXPECT_GT(stacks, 1u);
    }
}

/// If a worker with work to do has K suspended stacks, it takes one more stack after 10 ms, the next one after 20 ms more,
/// and so on.
TEST(scheduler, with_continuation_home_long_waits_add_stacks_by_the_logarithm_of_their_time) {
  constexpr int suspended = 2;
  for (int workers : {1, 2}) {
    skua::scheduler pool({.workers = workers, .suspended_stacks = suspended});
    const auto start = std::chrono::steady_clock::now();
    pool.run([] {
      skua::task_group tasks;
      for (int i = 0; i < 40; ++i) tasks.run([] { skua::blocking([] { sleep_ms(100); }); });
      tasks.wait();
    });
    const double longest = seconds_since(start);  // more than any single wait
    const double bound = workers * (suspended + 2 + std::log2(longest / 0.01));
    EXPECT_LE(static_cast<double>(max_stacks(pool.report())), bound) << workers;
  }
}

/// A recursion of joins: at most `depth` of them are suspended, one inside the other.
long spine(int depth) {
  if (depth == 0) return 1;
  auto [below, here] = skua::join([=] { return spine(depth - 1); }, [=] { return spine(depth - 1); });
  std::this_thread::sleep_for(std::chrono::microseconds(20));
  return below + here;
}

TEST(scheduler, with_continuation_free_the_number_of_stacks_is_bounded_by_the_depth) {
  for (int workers : {1, 2, 4, 8})
    for (int depth : {3, 6}) {
      skua::scheduler pool({.workers = workers, .continuation = skua::continuation::free});
      for (int i = 0; i < 10; ++i) EXPECT_EQ(pool.run([=] { return spine(depth); }), 1 << depth);
      EXPECT_LE(max_stacks(pool.report()), static_cast<unsigned>(workers * (depth + 2)))
          << workers << ", " << depth;
    }
}

TEST(scheduler, with_continuation_free_everything_works) {
  for (int workers : {1, 2, 8}) {
    skua::scheduler pool({.workers = workers, .continuation = skua::continuation::free});
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(pool.run([] { return fib(18); }), 2584);
      EXPECT_EQ(pool.run([] { return group_fib(14); }), 377);
      pool.run([] { waits_everywhere(2); });
    }
  }
}

/// Returns the address of this thread's variable, which it looks up anew each time.
[[gnu::noinline]] int* own_variable() {
  static thread_local int variable = 0;
  int* volatile address = &variable;
  return address;
}

void stays_on_its_thread(int depth, std::atomic<int>& moved) {
  int* const before = own_variable();
  if (depth == 0) {
    skua::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(50)); });
  } else {
    skua::task_group tasks;
    tasks.run([&, depth] { stays_on_its_thread(depth - 1, moved); });
    skua::join([&] { stays_on_its_thread(depth - 1, moved); },
               [&] { stays_on_its_thread(depth - 1, moved); });
    moved += own_variable() != before;
    tasks.wait();
  }
  moved += own_variable() != before;
}

TEST(scheduler, with_continuation_home_addresses_of_thread_locals_hold_over_every_wait) {
  for (int workers : {1, 2, 8})
    for (int suspended : {1, 64}) {
      skua::scheduler pool({.workers = workers, .suspended_stacks = suspended});
      std::atomic<int> moved{0};
      // This repeats until another thread attaches while this thread has lent its worker.
      for (patience left; left && pool.report().total.suspensions == 0;)
        pool.run([&] { stays_on_its_thread(4, moved); });
      EXPECT_EQ(moved, 0) << workers << " workers, " << suspended << " stacks";
      EXPECT_GT(pool.report().total.suspensions, 0u);
    }
}

// The destructor would wait for the task that destroys the scheduler. A task that calls exit() destroys a static scheduler
// too.
TEST(scheduler_death, a_scheduler_that_its_own_task_destroys_prints_a_message_and_goes_on) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const char* const says = "a scheduler cannot be destroyed by one of its own tasks";
  const auto exits_in_a_call = [] {
    static skua::scheduler pool({.workers = 2});
    pool.run([] { std::exit(3); });
  };
  EXPECT_EXIT(exits_in_a_call(), testing::ExitedWithCode(3), says);
  const auto exits_in_a_task_of_a_worker = [] {
    static skua::scheduler pool({.workers = 2});
    pool.run([] { skua::join([] { sleep_ms(60'000); }, [] { std::exit(4); }); });
  };
  EXPECT_EXIT(exits_in_a_task_of_a_worker(), testing::ExitedWithCode(4), says);
  const auto exits_below_another = [] {
    static skua::scheduler pool({.workers = 2});
    pool.run([] { skua::scheduler({.workers = 1}).run([] { std::exit(5); }); });
  };
  EXPECT_EXIT(exits_below_another(), testing::ExitedWithCode(5), says);
  const auto deletes_it = [] {
    auto* const pool = new skua::scheduler({.workers = 2});
    const long after = pool->run([pool] {
      delete pool;
      return fib(10);
    });
    std::exit(after == 55 ? 6 : 1);
  };
  EXPECT_EXIT(deletes_it(), testing::ExitedWithCode(6), says);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(scheduler, forks_need_next_to_no_memory) {
  skua::scheduler pool({.workers = 2});
  pool.run([] { fib(20); });
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  EXPECT_EQ(pool.run([] { return fib(33); }), 3524578);
  getrusage(RUSAGE_SELF, &after);
  // The limit is less than a byte for each fork. It is not zero, because the number of stacks depends on which threads are
  // interrupted.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 4 * 1024) << "kilobytes, for 5.7 million forks";
}

[[gnu::noinline]] long uses_stack(long depth) {
  volatile char bytes[512];
  bytes[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : uses_stack(depth - 1) + bytes[0];
}

/// Calls uses_stack(depth) in a stolen task, so on a task's stack.
void uses_stack_of_a_task(skua::scheduler& pool, long depth) {
  std::atomic<bool> stolen{false};
  pool.run([&] {
    skua::join([&] { until([&] { return stolen.load(); }); },
               [&] {
                 stolen = true;
                 uses_stack(depth);
               });
  });
}

TEST(scheduler_death, a_stack_overflow_is_named) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        setenv("SKUA_STACK_BYTES", "65536", 1);
        skua::scheduler pool({.workers = 2});
        uses_stack_of_a_task(pool, 1'000'000);
      },
      "skua: stack overflow.*SKUA_STACK_BYTES");
}

[[gnu::noinline]] char uses_a_large_frame() {
  volatile char bytes[400'000];  // far larger than the stack, and only its far end is touched
  bytes[0] = 1;
  return bytes[0];
}

TEST(scheduler_death, a_large_frame_does_not_jump_over_the_guard) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        skua::scheduler pool({.workers = 2, .stack_bytes = 65536});
        std::atomic<bool> stolen{false};
        pool.run([&] {
          skua::join([&] { until([&] { return stolen.load(); }); },
                     [&] { stolen = true, uses_a_large_frame(); });
        });
      },
      "skua: stack overflow.*SKUA_STACK_BYTES");
}

TEST(scheduler, a_task_may_use_most_of_its_stack) {
  with_variable v("SKUA_STACK_BYTES", "1048576");
  skua::scheduler pool({.workers = 2});
  uses_stack_of_a_task(pool, 1500);
}
#endif

}  // namespace
}  // namespace scheduler_test
