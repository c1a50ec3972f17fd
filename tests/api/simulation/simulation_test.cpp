// The scheduler on a simulated machine: the code is the same, and the time is virtual.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <skua/skua.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <time.h>

#include "tests/support/machine_files.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/with_variable.hpp"

namespace simulation_test {
namespace {

skua::scheduler_options on(const std::string& machine,
                           skua::detail_level level = skua::detail_level::bandwidth) {
  return {.simulate = skua::simulation{.machine = machine, .level = level}};
}

long fib(int n) {
  if (n < 2) {
    skua::costs(20);
    return n;
  }
  const auto [a, b] = skua::join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

/// Memory that begins at a page, so that a run does not depend on its address.
class pages {
 public:
  explicit pages(std::size_t bytes)
      : data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{4096}))), bytes_(bytes) {}
  ~pages() { ::operator delete(data_, std::align_val_t{4096}); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;
  std::byte* at(std::size_t i) const { return data_ + i; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

/// Sweeps over memory in a loop, with a group and forks after each sweep.
void work_on(const pages& memory) {
  constexpr std::size_t piece = 16 * 1024;
  for (int round = 0; round < 3; ++round) {
    skua::parallel_for(std::size_t{0}, memory.bytes() / piece, [&](std::size_t i) {
      skua::reads(memory.at(i * piece), piece);
      skua::writes(memory.at(i * piece), piece / 2);
      skua::costs(3000);
    });
    skua::task_group tasks;
    for (int i = 0; i < 40; ++i) tasks.run([i] { skua::costs(500 + 10 * i); });
    tasks.wait();
    fib(12);
  }
}

skua::simulation_report report_of(const skua::scheduler_options& options) {
  const pages memory(std::size_t{2} << 20);
  skua::scheduler pool(options);
  pool.run([&] { work_on(memory); });
  return pool.simulated();
}

TEST(simulation, one_worker_takes_what_its_leaves_declare) {
  skua::scheduler_options alone = on("opteron-8380-4s");
  alone.workers = 1;
  skua::scheduler pool(alone);
  pool.run([] {
    for (int i = 0; i < 100; ++i) skua::costs(10'000);
  });
  EXPECT_EQ(pool.simulated().times.computing, 1'000'000u);
  EXPECT_GE(pool.simulated().cycles, 1'000'000u);
  EXPECT_LT(pool.simulated().cycles, 1'020'000u);
  EXPECT_NEAR(pool.simulated().seconds, 1e6 / 2.5e9, 1e-5);  // 2.5 GHz
}

TEST(simulation, workers_share_the_leaves) {
  const auto cycles_with = [](std::int64_t workers) {
    skua::scheduler_options some = on("opteron-8380-4s");
    some.workers = workers;
    skua::scheduler pool(some);
    pool.run([] { skua::parallel_for(0, 1600, [](int) { skua::costs(20'000); }); });
    return pool.simulated().cycles;
  };
  const auto one = static_cast<double>(cycles_with(1)), sixteen = static_cast<double>(cycles_with(16));
  EXPECT_GT(one, 32e6);
  EXPECT_GT(one / sixteen, 12);
  EXPECT_LE(one / sixteen, 16);
}

TEST(simulation, answers_are_right_on_every_machine_and_level) {
  for (const char* machine : {"opteron-8380-4s", "xeon-x7460-4s-dunnington", "package:3 core:2 pu:2"})
    for (const auto level : {skua::detail_level::steps, skua::detail_level::lines, skua::detail_level::caches,
                             skua::detail_level::bandwidth}) {
      skua::scheduler pool(on(machine, level));
      EXPECT_EQ(pool.run([] { return fib(16); }), 987) << machine;
      std::vector<int> numbers(5000);
      std::iota(numbers.rbegin(), numbers.rend(), 0);
      pool.run([&] { skua::parallel_sort(numbers.begin(), numbers.end()); });
      EXPECT_TRUE(std::ranges::is_sorted(numbers)) << machine;
    }
}

TEST(simulation, a_seed_gives_the_same_run_to_the_bit) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  skua::scheduler_options options = on("opteron-8380-4s");
  const auto one = report_of(options), again = report_of(options);
  EXPECT_EQ(one.stream, again.stream);
  EXPECT_EQ(one.cycles, again.cycles);
  options.seed = 2;
  options.policy = "random";
  const auto random = report_of(options);
  options.seed = 3;
  EXPECT_NE(random.stream, report_of(options).stream);
}

TEST(simulation, runs_on_every_saved_machine) {  // in one of them CPU 0 is offline
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto files = machine_files();
  if (files.empty()) GTEST_SKIP() << "no folder of machines";
  for (const auto& file : files) {
    SCOPED_TRACE(file);
    skua::scheduler_options wanted = on(file.string());
    wanted.workers = 4;
    skua::scheduler pool(wanted);
    EXPECT_EQ(pool.run([] { return fib(12); }), 144);
  }
}

// The result is the same with every compiler, with and without optimisation, and at any memory addresses. A change of the
// scheduler or of the model changes it.
TEST(simulation, golden_run) {
  const auto run = report_of(on("opteron-8380-4s"));
  EXPECT_EQ(run.stream, 6457447603329932412u);
  EXPECT_EQ(run.cycles, 395561u);
  EXPECT_EQ(run.events, 166471u);
}

TEST(simulation, golden_run_in_which_all_tasks_are_stolen) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  auto options = on("opteron-8380-4s");
  options.policy = "nearest(deal=never)";
  const auto run = report_of(options);
  EXPECT_EQ(run.stream, 12741729070611641285u);
  EXPECT_EQ(run.cycles, 1674557u);
  EXPECT_EQ(run.events, 757787u);
}

TEST(simulation, every_policy_and_manager_runs) {
  for (const skua::policy_info* p : skua::policies()) {
    skua::scheduler_options options = on("xeon-x5650-2s-westmere");
    options.policy = p->name;
    skua::scheduler pool(options);
    EXPECT_EQ(pool.run([] { return fib(15); }), 610) << p->name;
  }
}

TEST(simulation, exceptions_leave_a_simulated_run) {
  skua::scheduler pool(on("opteron-8380-4s"));
  EXPECT_THROW(pool.run([] {
    skua::parallel_for(0, 100, [](int i) {
      skua::costs(100);
      if (i == 50) throw std::runtime_error("fifty");
    });
  }),
               std::runtime_error);
  EXPECT_EQ(pool.run([] { return fib(10); }), 55);
}

TEST(simulation, example_of_its_header) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto work = [] { skua::parallel_for(0, 1000, [](int) { skua::costs(2000); }); };
  skua::scheduler pool({.simulate = {{.machine = "epyc-9654-2s"}}});
  pool.run(work);
  const double seconds = pool.simulated().seconds;
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 1000 * 2000 / 1e9) << "the workers share the work";
}

TEST(simulation, reports_a_deadlock_and_still_ends) {
  skua::scheduler pool(on("opteron-8380-4s"));
  skua::mutex m;
  EXPECT_THROW(pool.run([&] {
    m.lock();
    m.lock();
  }),
               std::runtime_error);
  EXPECT_THROW(pool.run([] { return fib(3); }), std::runtime_error)
      << "a machine that failed refuses further calls";
}

TEST(simulation, times_are_listed_once_each) {
  skua::simulated_times every{};
  std::uint64_t n = 0;
  for (const skua::named_time& one : skua::simulated_time_names) every.*one.cycles += ++n;
  EXPECT_EQ(sizeof every, n * sizeof(std::uint64_t)) << "the list of times has every member";
  n = 0;
  for (const skua::named_time& one : skua::simulated_time_names)
    EXPECT_EQ(every.*one.cycles, ++n) << one.name;
}

TEST(simulation, waiting_takes_virtual_time_only) {
  skua::scheduler pool(on("opteron-8380-4s"));
  skua::mutex m;
  int inside = 0;
  pool.run([&] {
    skua::parallel_for(0, 64, [&](int) {
      const std::lock_guard lock(m);
      skua::costs(1000);
      ++inside;
    });
  });
  EXPECT_EQ(inside, 64);
  EXPECT_GE(pool.simulated().cycles, 64'000u);
}

TEST(simulation, a_blocking_call_has_a_thread_of_its_own) {
  skua::scheduler pool(on("opteron-8380-4s"));
  const int result = pool.run([] {
    const auto [a, b] = skua::join([] { return skua::blocking([] { return 1; }); }, [] { return 2; });
    return a + b;
  });
  EXPECT_EQ(result, 3);
}

TEST(simulation, external_threads_enter_one_after_the_other) {
  skua::scheduler pool(on("opteron-8380-4s"));
  std::vector<std::thread> threads;
  std::atomic<long> sum{0};
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { sum += pool.run([] { return fib(12); }); });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(sum, 4 * 144);
}

TEST(simulation, external_threads_may_come_from_blocking_calls_of_tasks) {
  skua::scheduler pool(on("opteron-8380-4s"));
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::parallel_for(0, 64, [&](int) {
      skua::blocking([&] { pool.run([&] { skua::join([&] { ran += fib(5) == 5; }, [] { fib(6); }); }); });
    });
  });
  EXPECT_EQ(ran, 64);
}

TEST(simulation, calls_of_a_real_scheduler_in_blocking_calls_take_no_virtual_time) {
  constexpr double real_cycles = 1e6;
  skua::scheduler real({.workers = 2});
  skua::scheduler pool(on("opteron-8380-4s"));
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::blocking([&] {
      for (int i = 0; i < 12; ++i)
        real.run([&] {
          skua::costs(real_cycles);
          skua::join([&] { ran += fib(5) == 5; }, [] { fib(6); });
        });
    });
  });
  EXPECT_EQ(ran, 12);
  EXPECT_LT(static_cast<double>(pool.simulated().cycles), real_cycles);
}

/// Makes `fates` runs. Returns how often no worker began a task that was forked before a long computation, while all other
/// workers were idle.
int times_in_vain(skua::scheduler_options options, int fates) {
  int in_vain = 0;
  for (int fate = 1; fate <= fates; ++fate) {
    const with_variable seed("SKUA_SIMULATE_HOSTILE", std::to_string(fate));
    options.seed = static_cast<std::uint64_t>(fate);
    skua::scheduler pool(options);
    pool.run([&] {
      for (int round = 0; round < 3; ++round) {
        bool begun = false;
        skua::costs(1e4 * fate);  // the other workers park meanwhile
        const auto wait = [&] {
          skua::costs(2e9);
          in_vain += !begun;
        };
        skua::join(wait, [&] { begun = true; });
      }
    });
  }
  return in_vain;
}

TEST(simulation, a_worker_gets_a_task_whichever_policy_of_a_mixture_it_used_before_it_slept) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  skua::scheduler_options options = on("package:1 core:2 pu:1", skua::detail_level::steps);
  options.policy = "mix(0.9, random, managers)";
  options.workers = 2;
  options.park_after_us = 0;
  EXPECT_EQ(times_in_vain(options, 200), 0);
}

/// Runs groups of one short task. The task that makes a group waits for it. The other worker fetches the short task, or
/// returns what it was sent.
void share_short_tasks(double cycles) {
  for (int i = 0; i < 3; ++i) {
    skua::task_group group;
    group.run([=] { skua::costs(cycles); });
    skua::costs(cycles * (1 + i));
    group.wait();
  }
}

TEST(simulation, managers_know_of_tasks_pushed_after_thieves_took_all) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  skua::scheduler_options options = on("opteron-8380-4s", skua::detail_level::lines);
  options.policy = "managers";
  options.workers = 2;
  int in_vain = 0;
  for (int fate = 1; fate <= 20; ++fate)
    for (const double cycles : {0.0, 2000.0, 40000.0}) {
      const with_variable seed("SKUA_SIMULATE_HOSTILE", std::to_string(fate));
      skua::scheduler pool(options);
      pool.run([&] {
        for (int round = 0; round < 40; ++round) {
          share_short_tasks(cycles);
          bool begun = false;
          skua::task_group group;
          group.run([&] { begun = true; });
          skua::costs(6e8);
          in_vain += !begun;
          group.wait();
        }
      });
    }
  EXPECT_EQ(in_vain, 0);
}

// The heads of the other domains and all workers of this domain may take the task. The other workers only know that it
// exists.
TEST(simulation, work_that_few_may_take_wakes_one_of_them) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  skua::scheduler_options options = on("xeon-x5550-2s-nehalem", skua::detail_level::steps);
  options.policy = "nearest(heads=yes)";
  options.workers = 64;
  options.park_after_us = 5;
  EXPECT_EQ(times_in_vain(options, 25), 0);
}

TEST(simulation, a_hostile_schedule_differs_and_is_the_same_every_time) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto peaceful = report_of(on("opteron-8380-4s"));
  const auto hostile = [](const char* fate) {
    const with_variable seed("SKUA_SIMULATE_HOSTILE", fate);
    return report_of(on("opteron-8380-4s"));
  };
  EXPECT_EQ(hostile("7").stream, hostile("7").stream);
  EXPECT_NE(hostile("7").stream, hostile("8").stream);
  EXPECT_NE(hostile("7").stream, peaceful.stream);
  EXPECT_EQ(hostile("7").times.computing, peaceful.times.computing);
  EXPECT_THROW(hostile("seven"), skua::bad_input);
}

TEST(simulation, stops_after_so_many_steps) {
  // Enough for the program to begin: a step limit that ends a thread amid an allocation leaks that.
  const with_variable limit("SKUA_SIMULATE_STEPS", "10000");
  skua::scheduler pool(on("opteron-8380-4s"));
  EXPECT_THROW(pool.run([] { fib(20); }), std::runtime_error);
}

TEST(simulation, two_machines_live_side_by_side) {
  // On 192 workers it takes half a minute with ThreadSanitizer.
  const auto [machine, workers] =
      under_thread_sanitizer ? std::pair{"opteron-8354-8s", 32u} : std::pair{"epyc-9654-2s", 192u};
  skua::scheduler small(on("opteron-8380-4s")), large(on(machine, skua::detail_level::lines));
  EXPECT_EQ(large.workers(), workers);
  EXPECT_EQ(small.run([] { return fib(12); }), 144);
  EXPECT_EQ(large.run([&] { return fib(12) + small.run([] { return fib(10); }); }), 144 + 55);
  EXPECT_EQ(small.run([] { return fib(11); }), 89);
}

TEST(simulation, lines_come_from_the_caches_of_the_workers) {
  const auto transfers_on = [](std::vector<std::uint32_t> cpus) {
    skua::scheduler_options pair = on("opteron-8380-4s", skua::detail_level::lines);
    pair.cpus = std::move(cpus);
    skua::scheduler pool(pair);
    pool.run([] { skua::parallel_for(0, 2000, [](int) { skua::costs(300); }, {.grain = 1}); });
    std::map<std::string, std::uint64_t> words;
    for (const skua::simulated_transfers& t : pool.simulated().transfers) words[t.distance] = t.words;
    return words;
  };
  auto near = transfers_on({0, 1}), far = transfers_on({0, 15});
  EXPECT_GT(near["same L3"], 0u);
  EXPECT_EQ(near["2 hops"], 0u);
  EXPECT_EQ(far["same L3"], 0u);
  EXPECT_GT(far["2 hops"], 0u);
}

/// Runs a region on two domains. Its leaves compute.
skua::simulation_report shaped_run(const char* policy) {
  skua::scheduler_options options = on("package:2 l3:1 core:4 pu:1", skua::detail_level::lines);
  options.policy = policy;
  skua::scheduler pool(options);
  pool.run([] { skua::shaped({.input_bytes = 1 << 24, .branching = 2}, [] { fib(12); }); });
  return pool.simulated();
}

TEST(simulation, forks_above_the_boundary_are_counted_separately) {
  EXPECT_EQ(shaped_run("random").above_boundary_cycles, 0u) << "the policy random has no tiers";
  EXPECT_EQ(shaped_run("bitier(boundary=0)").above_boundary_cycles, 0u);
  const skua::simulation_report few = shaped_run("bitier(boundary=2)"),
                                many = shaped_run("bitier(boundary=5)");
  EXPECT_GT(few.above_boundary_cycles, 0u);
  EXPECT_GT(many.above_boundary_cycles, few.above_boundary_cycles);
  EXPECT_LT(many.above_boundary_cycles, many.times.sharing + many.times.kernel + many.times.computing);
}

TEST(simulation, looks_may_be_free) {
  const auto run = [](bool free_looks) {
    skua::scheduler_options options = on("opteron-8380-4s", skua::detail_level::lines);
    options.policy = "most_loaded(always)";
    options.simulate->free_looks = free_looks;
    skua::scheduler pool(options);
    EXPECT_EQ(pool.run([] { return fib(18); }), 2584);
    return pool.simulated();
  };
  const auto costly = run(false), free = run(true);
  EXPECT_NE(costly.stream, free.stream);
  EXPECT_LT(free.times.sharing, costly.times.sharing);
}

// The workers park after each look, and the policy looks at one random worker. Still, a worker finds the only task.
TEST(simulation, a_policy_with_few_short_looks_finds_work_soon) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    skua::scheduler_options options = on("xeon-8480plus-2s", skua::detail_level::steps);
    options.policy = "depth_aware(candidates=1)";
    options.seed = seed;
    options.park_after_us = 0;
    skua::scheduler pool(options);
    bool begun = false;
    pool.run([&] {
      skua::costs(1e9);  // until all other workers sleep
      skua::join(
          [&] {
            skua::costs(1e9);  // 0.5 s
            EXPECT_TRUE(begun) << "seed " << seed;
          },
          [&] { begun = true; });
    });
  }
}

TEST(simulation, measured_leaves_take_their_time) {
  skua::scheduler_options options = on("opteron-8380-4s", skua::detail_level::lines);
  options.workers = 1;
  options.simulate->measured = true;
  skua::scheduler pool(options);
  pool.run([] {
    const auto computed = [] {  // on a busy machine this is less than the time that passed
      timespec now;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    };
    for (const double until = computed() + 0.02; computed() < until;) {
    }
    skua::costs(1e12);  // the declared cost does not count
  });
  EXPECT_GE(pool.simulated().seconds, 0.0199);
  EXPECT_LT(pool.simulated().seconds, 10.0);
}

// 16 threads on 8 cores do 1.3 times as much work as 8 threads that have a core each.
TEST(simulation, threads_of_a_core_slow_each_other_down_at_level_bandwidth) {
  const auto cycles_of = [](int workers, skua::detail_level level) {
    skua::scheduler_options options = on("xeon-x5550-2s-nehalem", level);
    options.workers = workers;
    options.smt = workers > 8;
    skua::scheduler pool(options);
    pool.run([] { skua::parallel_for(0, 16, [](int) { skua::costs(10'000'000); }, {.grain = 1}); });
    return static_cast<double>(pool.simulated().cycles);
  };
  EXPECT_NEAR(cycles_of(8, skua::detail_level::bandwidth), 20e6, 1e6);
  EXPECT_NEAR(cycles_of(16, skua::detail_level::bandwidth), 20e6 / 1.3, 1e6);
  EXPECT_NEAR(cycles_of(16, skua::detail_level::caches), 10e6, 1e6);
}

// 64 workers on 16 hardware threads do no more work than 16 workers, at any level.
TEST(simulation, workers_on_one_hardware_thread_take_turns) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto cycles_of = [](int workers, skua::detail_level level) {
    skua::scheduler_options options = on("opteron-8380-4s", level);
    options.workers = workers;
    skua::scheduler pool(options);
    pool.run([] { skua::parallel_for(0, 64, [](int) { skua::costs(10'000'000); }, {.grain = 1}); });
    return static_cast<double>(pool.simulated().cycles);
  };
  for (const auto level :
       {skua::detail_level::steps, skua::detail_level::caches, skua::detail_level::bandwidth}) {
    EXPECT_NEAR(cycles_of(16, level), 40e6, 1e6);
    EXPECT_NEAR(cycles_of(64, level), 40e6, 1e6);
  }
}

// Sleeping counts as computing in a measured leaf, and no thread of another program can shorten it.
TEST(simulation, threads_of_a_core_slow_measured_leaves_down_too) {
  skua::scheduler_options options = on("xeon-x5550-2s-nehalem");
  options.simulate->measured = true;
  options.workers = 16;
  options.smt = true;
  skua::scheduler pool(options);
  pool.run([] {
    skua::parallel_for(0, 16, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); },
                       {.grain = 1});
  });
  EXPECT_GT(pool.simulated().seconds, 0.005 * 2 / 1.3 * 0.99);
}

/// Writes the machine file of one core. Its `threads` threads together do no more work than one, and a line arrives after
/// 100 cycles.
std::string file_of_one_core(int threads, int overlap_percent, int misses_at_once) {
  const std::string file = testing::TempDir() + "one_core_" + std::to_string(threads) + "_" +
                           std::to_string(overlap_percent) + ".json";
  std::ofstream(file) << R"({"name": "m", "title": "m", "freq_ghz": 1, "sockets": 1, "cores_per_socket": 1,
      "smt": )" << threads
                      << R"(, "smt_gain_percent": 0, "numa_nodes": 1,
      "synthetic": "package:1 [numa] l1d:1 core:1 pu:)"
                      << threads << R"(",
      "caches": [{"level": 1, "size_kb": 32, "line": 64, "ways": 8, "latency_cycles": 4, "shared_by_cores": 1,
                  "policy": "private"}], "line_transfer_cycles": {},
      "memory": {"latency_cycles_by_hop": [100], "sustained_bytes_per_cycle": 64, "misses_at_once": )"
                      << misses_at_once << R"(, "overlap_percent": )" << overlap_percent << "}}";
  return file;
}

// A core has two threads. One waits a thousand times for 100 cycles, and the other one computes.
TEST(simulation, a_wait_for_data_slows_no_other_thread_of_the_core) {
  const std::string file = file_of_one_core(2, 0, 10);
  const pages memory(1000 * 4096);
  skua::scheduler_options options = on(file, skua::detail_level::bandwidth);
  options.workers = 2;
  options.smt = true;
  skua::scheduler pool(options);
  pool.run([&memory] {
    const auto waits = [&memory] {
      for (std::size_t page = 0; page < 1000; ++page) {
        skua::reads(memory.at(page * 4096), 64);  // nothing is prefetched
        skua::costs(1);
      }
    };
    skua::join(waits, [] { skua::costs(100'000); });
  });
  EXPECT_LT(pool.simulated().cycles, 115'000u);
  std::filesystem::remove(file);
}

TEST(simulation, computing_overlaps_with_data_as_far_as_the_machine_says) {
  const auto times_with = [](int percent) {
    const std::string file = file_of_one_core(1, percent, 1);
    const pages memory(64 * 1024);
    skua::scheduler_options alone = on(file, skua::detail_level::caches);
    alone.workers = 1;
    skua::scheduler pool(alone);
    pool.run([&] {
      skua::reads(memory.at(0), 640);
      skua::costs(600);
      skua::costs(600);  // 400 of these cycles overlap with the data
      skua::join([] { skua::costs(50); }, [] {});
      skua::reads(memory.at(4096), 640);
      skua::join([] { skua::costs(1000); }, [] {});  // another task, which begins after the data
    });
    std::filesystem::remove(file);
    return pool.simulated().times;
  };
  EXPECT_EQ(times_with(0).data, 2u * 1000);
  EXPECT_EQ(times_with(0).computing, 2250u);
  EXPECT_EQ(times_with(50).data, 2u * 1000);
  EXPECT_EQ(times_with(50).computing, 2250u - 500);
  EXPECT_EQ(times_with(100).computing, 2250u - 1000);
}

TEST(simulation, refuses_unknown_machines) {
  try {
    skua::scheduler pool(on("opteron-8380"));
    FAIL() << "the name of an unknown machine was accepted";
  } catch (const skua::bad_input& refused) {
    EXPECT_NE(std::string(refused.what()).find("opteron-8380-4s"), std::string::npos) << refused.what();
  }
}

}  // namespace
}  // namespace simulation_test
