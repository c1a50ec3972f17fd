// The report of a scheduler with keep_report, as `skua report` reads it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <skua/skua.hpp>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace kept_report_test {
namespace {

using nlohmann::json;

void spin_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

long tree(int depth, std::chrono::microseconds leaf) {
  if (depth == 0) return spin_for(leaf), 1;
  auto [a, b] = skua::join([=] { return tree(depth - 1, leaf); }, [=] { return tree(depth - 1, leaf); });
  return a + b;
}

json report_of(const skua::scheduler& pool) { return json::parse(pool.report_json()); }

double sum(const json& times) {
  double ns = 0;
  for (const auto& [name, value] : times.items()) ns += value.get<double>();
  return ns;
}

skua::scheduler_options simulated(const char* machine, std::int64_t workers) {
  return {.workers = workers, .keep_report = true, .simulate = skua::simulation{.machine = machine}};
}

using numbers_of_loops = std::vector<std::array<std::uint64_t, 4>>;

/// Calls, positions, and the smallest and the largest number of positions, of the call sites that have any.
numbers_of_loops counted_loops(const skua::scheduler& pool) {
  numbers_of_loops found;
  const json report = report_of(pool);
  for (const json& site : report["work_span"]["sites"]) {
    if (site["calls"] == 0) continue;
    EXPECT_EQ(site["calls"], site["times"]) << site;
    found.push_back({site["calls"], site["positions"], site["min_positions"], site["max_positions"]});
  }
  std::ranges::sort(found);
  return found;
}

void loops_of_known_sizes() {
  for (int size : {2000, 1000, 3000})
    skua::parallel_for(0, size, [](int) {
      skua::costs(2000);
      skua::parallel_for(0, 3, [](int) {});
    });
  skua::parallel_for(0, 40, [](int) { skua::parallel_for(0, 100, [](int) {}); });
  skua::join([] { skua::parallel_for(0, 500, [](int) { skua::costs(1000); }); }, [] { skua::costs(1000); });
  skua::task_group tasks;
  tasks.run([] { skua::parallel_for(0, 700, [](int) { skua::costs(1000); }); });
  tasks.wait();
}

// They show whether two runs have the same input, so they must not depend on workers, thieves and clocks.
TEST(kept_report, counts_the_positions_of_loops_outside_of_tasks) {
  const numbers_of_loops expected = {{1, 40, 40, 40}, {3, 6000, 1000, 3000}};
  for (const std::int64_t workers : {1, 2, 4}) {
    skua::scheduler pool({.workers = workers, .keep_report = true});
    for (int run = 0; run < 3; ++run) {
      pool.reset_report();
      pool.run(loops_of_known_sizes);
      EXPECT_EQ(counted_loops(pool), expected) << workers << " workers";
    }
  }
  for (const std::int64_t workers : {1, 2, 16}) {  // 16: loops are dealt
    skua::scheduler pool(simulated("opteron-8380-4s", workers));
    pool.run(loops_of_known_sizes);
    EXPECT_EQ(counted_loops(pool), expected) << workers << " simulated workers";
  }
}

TEST(kept_report, is_kept_only_on_request) {
  skua::scheduler pool({.workers = 2});
  EXPECT_THROW(pool.report_json(), std::logic_error);
}

TEST(kept_report, attributes_all_time_of_all_workers) {
  skua::scheduler pool({.workers = 4, .keep_report = true});
  double attributed = 0, on_timeline = 0;
  // This repeats, because a thread may be interrupted while its state is read.
  for (patience left; left && (std::abs(attributed - 1) > 0.02 || std::abs(on_timeline - 1) > 0.05);) {
    pool.reset_report();
    pool.run([] { tree(10, std::chrono::microseconds(20)); });
    const json r = report_of(pool);
    ASSERT_EQ(r["workers"].size(), 4u);
    double times = 0, line = 0;
    for (const json& w : r["workers"]) times += sum(w["times"]);
    for (const json& w : r["timeline"]["workers"])
      for (const json& interval : w) line += sum(interval);
    const double all = 4e9 * r["seconds"].get<double>();
    attributed = times / all;
    on_timeline = line / all;
  }
  EXPECT_NEAR(attributed, 1, 0.02);
  EXPECT_NEAR(on_timeline, 1, 0.05);
}

// Programs seldom reset their report. Without a reset the timeline must not begin at the boot of the machine, where its
// clock begins.
TEST(kept_report, a_timeline_without_a_reset_begins_with_the_scheduler) {
  skua::scheduler pool({.workers = 2, .keep_report = true});
  pool.run([] { tree(8, std::chrono::microseconds(100)); });
  const json r = report_of(pool);
  const double interval_ns = r["timeline"]["interval_ns"], run_ns = 1e9 * r["seconds"].get<double>();
  ASSERT_EQ(r["timeline"]["workers"].size(), 2u);
  for (const json& w : r["timeline"]["workers"]) {
    EXPECT_GT(w.size(), 64u);
    EXPECT_LE((static_cast<double>(w.size()) - 1) * interval_ns, 1.1 * run_ns);
  }
}

void add_behind_a_mutex(skua::mutex& mutex, long& sum) {
  skua::parallel_for(0, 200,
                     [&](int i) {
                       const std::lock_guard lock(mutex);
                       skua::costs(10'000);
                       sum += i;
                     },
                     {.grain = 1});
}

TEST(kept_report, has_the_waits_for_mutexes_with_their_places) {
  skua::scheduler pool(simulated("opteron-8380-4s", 4));
  skua::mutex mutex;
  long sum = 0;
  pool.run([&] { add_behind_a_mutex(mutex, sum); });
  const json r = report_of(pool);
  ASSERT_FALSE(r["locks"].empty());
  const json& lock = r["locks"][0];
  EXPECT_NE(lock["name"].get<std::string>().find("add_behind_a_mutex"), std::string::npos) << lock;
  EXPECT_NE(lock["address"].get<std::string>().find("+0x"), std::string::npos) << lock;
  EXPECT_GE(lock["times"], lock["in_line"]);
  EXPECT_GT(lock["in_line"], 0);
  EXPECT_GT(lock["spun_ns"], 0);
  EXPECT_GT(lock["waited_ns"], 10'000);
  pool.reset_report();
  EXPECT_TRUE(report_of(pool)["locks"].empty());
}

TEST(kept_report, counts_all_bytes_that_tasks_declare) {
  skua::scheduler pool({.workers = 2, .keep_report = true});
  static char data[1000];
  pool.run([] { skua::parallel_for(0, 100, [](int) { skua::reads(data, sizeof data); }); });
  const json r = report_of(pool);
  EXPECT_EQ(r["bytes_declared"], 100'000);
  EXPECT_GE(r["machine"]["usable_cpus"], 1);
}

constexpr int parts = 820, forks_of_large = 400;

/// The forks that were too small to be recorded, in a run in which each 41st part is large and has small loops.
std::uint64_t forks_inside_of_parts() {
  skua::scheduler pool({.workers = 1, .keep_report = true});
  const auto spin = [] {
    for (int i = 0; i < 2000; ++i) asm volatile("");
  };
  pool.run([&] {
    for (int part = 1; part <= parts;
         ++part) {  // one call site, so that the others do not expect the large ones
      const bool large = part % 41 == 0;
      skua::join(
          [&] {
            for (int i = 0; i < (large ? forks_of_large : 2); ++i) skua::join(spin, spin);
            for (int i = 0; i < (large ? 2 * forks_of_large : 0); ++i)
              skua::parallel_for(0, 4, [](int) {}, {.grain = 8});
          },
          [] {});
    }
  });
  std::uint64_t inside = 0;
  const json r = report_of(pool);
  for (const json& site : r["work_span"]["sites"]) inside += site["inside"].get<std::uint64_t>();
  return inside;
}

// A fork with little work is not timed. When it turns out to have more, the loops inside it are timed. A loop of one grain is no
// fork, since it leaves no record for thieves. If another program takes the CPU amid the first parts, all parts are expected to
// be large, and no fork is too small to be recorded. Such a run says nothing.
TEST(kept_report, a_loop_of_one_grain_is_no_fork_of_the_code_around_it) {
  std::uint64_t inside = 0;
  for (int runs = 0; runs < 10 && inside == 0; ++runs) inside = forks_inside_of_parts();
  EXPECT_GT(inside, 0u) << "else no fork was taken as serial";
  EXPECT_LT(inside, parts * static_cast<std::uint64_t>(forks_of_large));
}

TEST(kept_report, counts_steals_by_thief_and_victim) {
  skua::scheduler pool(simulated("opteron-8380-4s", 16));
  pool.run([] { skua::parallel_for(0, 4096, [](int) { skua::costs(20'000); }, {.grain = 1}); });
  const skua::report counted = pool.report();
  const json r = report_of(pool);
  std::uint64_t steals = 0, misses = 0, remote = 0;
  for (const json& pair : r["pairs"]) {
    const std::size_t thief = pair["thief"], victim = pair["victim"];
    EXPECT_NE(thief, victim);
    steals += pair["steals"].get<std::uint64_t>();
    misses += pair["misses"].get<std::uint64_t>();
    if (r["workers"][thief]["seat"]["domain"] != r["workers"][victim]["seat"]["domain"])
      remote += pair["steals"].get<std::uint64_t>();
  }
  EXPECT_GT(steals, 15u);
  EXPECT_EQ(steals, counted.total.steals);
  EXPECT_EQ(misses, counted.total.steal_misses);
  EXPECT_EQ(remote, counted.total.remote_steals);
  EXPECT_EQ(r["steal_latency"]["number"], counted.total.steals);
  EXPECT_EQ(r["steal_duration"]["number"], counted.total.steals);
}

TEST(kept_report, counts_looks_of_policies_that_look) {
  skua::scheduler_options options = simulated("opteron-8380-4s", 8);
  options.policy = "most_loaded";
  skua::scheduler pool(options);
  pool.run([] { skua::parallel_for(0, 512, [](int) { skua::costs(20'000); }, {.grain = 1}); });
  std::uint64_t looks = 0;
  const json r = report_of(pool);
  for (const json& pair : r["pairs"]) looks += pair["looks"].get<std::uint64_t>();
  EXPECT_GT(looks, 8u);
}

TEST(kept_report, stolen_bytes_are_those_that_stolen_tasks_declare) {
  static double data[1 << 16];
  const auto touch = [](int i) {
    skua::reads(&data[i * 64], 64);
    skua::costs(10'000);
  };
  skua::scheduler alone(simulated("opteron-8380-4s", 1));
  alone.run([&] { skua::parallel_for(0, 1024, touch, {.grain = 1}); });
  EXPECT_EQ(report_of(alone)["bytes_stolen"], 0);
  skua::scheduler pool(simulated("opteron-8380-4s", 16));
  pool.run([&] { skua::parallel_for(0, 1024, touch, {.grain = 1}); });
  const json r = report_of(pool);
  std::uint64_t bytes = 0;
  for (const json& pair : r["pairs"]) {
    bytes += pair["bytes"].get<std::uint64_t>();
    if (pair["bytes"] != 0) {
      EXPECT_NE(pair["steals"], 0);
    }
  }
  EXPECT_EQ(r["bytes_stolen"], bytes);
  EXPECT_GT(bytes, 512u * 64 * 8);   // stolen tasks declare more than half of the bytes
  EXPECT_LE(bytes, 1024u * 64 * 8);  // no byte counts twice
}

TEST(kept_report, sizes_of_tasks_are_their_times) {
  skua::scheduler pool(simulated("opteron-8380-4s", 4));
  pool.run([] {
    skua::task_group group;
    for (int i = 0; i < 64; ++i) group.run([] { skua::costs(2'500'000); });  // a millisecond at 2.5 GHz
    group.wait();
  });
  const json r = report_of(pool), sizes = r["task_size"];
  ASSERT_GT(sizes["number"].get<int>(), 3);
  EXPECT_GE(sizes["min"].get<double>(), 1e6);
  EXPECT_LT(sizes["min"].get<double>(), 1.1e6);
}

TEST(kept_report, changes_nothing_in_a_simulated_run) {
  const auto stream = [](bool report) {
    skua::scheduler_options options = simulated("opteron-8380-4s", 16);
    options.keep_report = report;
    skua::scheduler pool(options);
    pool.run([] {
      skua::parallel_for(0, 300, [](int i) { skua::costs(1000.0 * (i % 7)); }, {.grain = 1});
      skua::task_group group;
      for (int i = 0; i < 100; ++i) group.run([] { skua::costs(5000); });
      group.wait();
    });
    return pool.simulated().stream;
  };
  EXPECT_EQ(stream(true), stream(false));
}

TEST(kept_report, can_be_restarted) {
  skua::scheduler pool(simulated("opteron-8380-4s", 8));
  const auto work = [] { skua::parallel_for(0, 256, [](int) { skua::costs(30'000); }, {.grain = 1}); };
  pool.run(work);
  const json first = report_of(pool);
  pool.reset_report();
  const json empty = report_of(pool);
  EXPECT_TRUE(empty["pairs"].empty());
  EXPECT_EQ(empty["task_size"]["number"], 0);
  EXPECT_EQ(empty["simulated"]["cycles"], 0);
  EXPECT_EQ(empty["inside_seconds"], 0);
  pool.run(work);
  const json second = report_of(pool);
  EXPECT_NEAR(second["seconds"].get<double>(), first["seconds"].get<double>(),
              0.5 * first["seconds"].get<double>());
  EXPECT_GT(second["simulated"]["times"]["computing"].get<double>(), 0);
  EXPECT_NEAR(second["simulated"]["times"]["computing"].get<double>(),
              first["simulated"]["times"]["computing"].get<double>(),
              0.01 * first["simulated"]["times"]["computing"].get<double>());
}

TEST(kept_report, time_inside_is_the_time_of_calls) {
  skua::scheduler pool({.workers = 2, .keep_report = true});
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  pool.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  const json r = report_of(pool);
  EXPECT_GE(r["inside_seconds"].get<double>(), 0.030);
  EXPECT_LE(r["inside_seconds"].get<double>(), r["seconds"].get<double>() - 0.030);
}

TEST(kept_report, concurrent_calls_count_once_as_time_inside) {
  skua::scheduler pool({.workers = 2, .keep_report = true});
  std::atomic<int> in{0};
  const auto both_in = [&] {
    pool.run([&] {
      ++in;
      until([&] { return in == 2; }, "the other call");
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
  };
  std::thread other(both_in);
  both_in();
  other.join();
  const json r = report_of(pool);
  EXPECT_GE(r["inside_seconds"].get<double>(), 0.010);
  EXPECT_LE(r["inside_seconds"].get<double>(), r["seconds"].get<double>());
}

bool kernel_counts() { return std::ifstream("/proc/thread-self/schedstat").good(); }

TEST(kept_report, a_blocked_task_is_reported) {
  if (!kernel_counts()) GTEST_SKIP() << "this kernel does not say how long threads waited for a CPU";
  skua::scheduler pool({.workers = 2, .keep_report = true});
  pool.run([] { tree(3, std::chrono::microseconds(1000)); });
  const auto blocked_ms = [&] {
    double ns = 0;
    const json r = report_of(pool);
    for (const json& w : r["workers"]) ns += w["kernel"]["blocked_ns"].get<double>();
    return ns * 1e-6;
  };
  const double before = blocked_ms();
  pool.run([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
  EXPECT_GT(blocked_ms() - before, 100);
}

TEST(kept_report, a_thread_that_computes_is_on_a_cpu) {
  if (!kernel_counts()) GTEST_SKIP() << "this kernel does not say how long threads waited for a CPU";
  skua::scheduler pool({.workers = 1, .keep_report = true});
  double ran = 0, blocked = 1;
  // This repeats if the hypervisor of a virtual machine took the time.
  for (patience left; left && (ran < 0.8 || blocked > 0.2);) {
    pool.reset_report();
    pool.run([] { spin_for(std::chrono::milliseconds(50)); });
    const json r = report_of(pool), kernel = r["workers"][0]["kernel"];
    ran = (kernel["on_cpu_ns"].get<double>() + kernel["waiting_ns"].get<double>()) / 50e6;
    blocked = kernel["blocked_ns"].get<double>() / 50e6;
  }
  EXPECT_GT(ran, 0.8);
  EXPECT_LT(blocked, 0.2);
}

TEST(kept_report, a_thread_that_has_not_returned_yet_is_counted) {
  if (!kernel_counts()) GTEST_SKIP() << "this kernel does not say how long threads waited for a CPU";
  skua::scheduler pool({.workers = 1, .keep_report = true});
  double ran = 0;
  for (patience left; left && ran < 0.8;) {
    pool.reset_report();
    pool.run([&] {
      spin_for(std::chrono::milliseconds(50));
      const json r = report_of(pool), kernel = r["workers"][0]["kernel"];
      ran = (kernel["on_cpu_ns"].get<double>() + kernel["waiting_ns"].get<double>()) / 50e6;
    });
  }
  EXPECT_GT(ran, 0.8);
}

// On a busy machine the own thread of a worker may begin long after the constructor has returned.
TEST(kept_report, a_worker_whose_own_thread_has_not_begun_is_counted) {
  if (!kernel_counts()) GTEST_SKIP() << "this kernel does not say how long threads waited for a CPU";
  for (int i = 0; i < 20; ++i) {
    skua::scheduler pool({.workers = 16, .keep_report = true});
    const json r = report_of(pool);
    for (const json& worker : r["workers"]) ASSERT_TRUE(worker["kernel"].is_object()) << worker;
  }
}

TEST(kept_report, several_schedulers_keep_their_own) {
  skua::scheduler one(simulated("opteron-8380-4s", 2));
  skua::scheduler other(simulated("opteron-8380-4s", 2));
  one.run([] { skua::parallel_for(0, 64, [](int) { skua::costs(30'000); }, {.grain = 1}); });
  EXPECT_GT(report_of(one)["simulated"]["cycles"], 0);
  EXPECT_EQ(report_of(other)["simulated"]["cycles"], 0);
}

double all_seconds(const skua::report& read) {
  std::uint64_t all = 0;
  for (const skua::worker_times& times : read.times) all += times.sum();
  return static_cast<double>(all) * 1e-9;
}
double drawn_seconds(const json& timeline) {
  double drawn = 0;
  for (const json& worker : timeline["workers"])
    for (const json& interval : worker)
      for (const json& ns : interval) drawn += ns.get<double>();
  return drawn * 1e-9;
}

// Workers look for work for a while after each call. The times before the restart, some milliseconds, must not be in the new
// report. The time that passes while a report is read may count. It is sometimes long if other programs use the CPUs.
TEST(kept_report, can_be_restarted_while_workers_search) {
  using namespace std::chrono_literals;
  int too_much = 0;
  // Fewer rounds are enough where the times are those of a sanitizer.
  constexpr int rounds = under_sanitizer ? 50 : 200;
  for (int i = 0; i < rounds; ++i) {
    skua::scheduler pool({.workers = 2, .keep_report = true});
    pool.run([&] { tree(5, 200us); });
    pool.reset_report();
    pool.run([&] { tree(1, 200us); });
    const skua::report read = pool.report();
    const json record = report_of(pool);
    const auto max = [](double seconds) { return 2 * seconds * 1.02 + 500e-6; };
    too_much += all_seconds(read) > max(read.seconds);
    too_much += drawn_seconds(record["timeline"]) > max(record["seconds"].get<double>());
  }
  EXPECT_LE(too_much, under_sanitizer ? 5 : 10);
}

TEST(kept_report, can_be_restarted_during_a_call) {
  using namespace std::chrono_literals;
  skua::scheduler pool({.workers = 2, .keep_report = true});
  std::chrono::steady_clock::time_point restarted;
  pool.run([&] {
    spin_for(200ms);
    restarted = std::chrono::steady_clock::now();
    pool.reset_report();
    tree(6, 500us);
  });
  const std::chrono::duration<double, std::nano> since = std::chrono::steady_clock::now() - restarted;
  const json r = report_of(pool);
  EXPECT_LE(r["work_span"]["span_ns"].get<double>() * 1e-9, r["seconds"].get<double>());
  EXPECT_LT(r["work_span"]["span_ns"].get<double>(), since.count()) << "the time before is counted";
}

}  // namespace
}  // namespace kept_report_test
