// Recordings of measured times: they repeat the same run, and give other policies, machines and numbers of workers the same
// times.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <optional>
#include <skua/skua.hpp>
#include <sstream>
#include <string>
#include <unistd.h>

#include "tests/support/sanitizers.hpp"

namespace recording_test {
namespace {

class temporary_file {
 public:
  explicit temporary_file(const std::string& name)
      : path_(std::filesystem::temp_directory_path() / (name + std::to_string(getpid()))) {}
  ~temporary_file() { std::filesystem::remove(path_); }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  std::string path() const { return path_.string(); }
  std::string text() const {
    std::ostringstream all;
    all << std::ifstream(path_).rdbuf();
    return all.str();
  }
  void write(const std::string& text) const { std::ofstream(path_) << text; }

 private:
  std::filesystem::path path_;
};

/// Takes long compared with the steps that begin a stolen task. A run on fewer workers has fewer of these steps, and they
/// take longer on a busy machine.
void compute(int microseconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(4 * microseconds);
  while (std::chrono::steady_clock::now() < until) {
  }
}

long forks(int n) {
  if (n < 2) return compute(5), n;
  const auto [a, b] = skua::join([n] { return forks(n - 1); }, [n] { return forks(n - 2); });
  compute(1);
  return a + b;
}

/// Forks, also of three callables, loops with and without forks inside, groups, locks and a blocking call.
void work() {
  compute(10);
  forks(8);
  skua::join([] { compute(7); }, [] { forks(4); }, [] { compute(3); });
  skua::parallel_for(0, 200, [](int i) { compute(i % 7); });
  skua::parallel_for(0, 20, [](int i) { i % 3 == 0 ? static_cast<void>(forks(3)) : compute(2); });
  skua::task_group tasks;
  for (int i = 0; i < 40; ++i) tasks.run([i] { i % 4 == 0 ? static_cast<void>(forks(4)) : compute(4); });
  tasks.wait();
  skua::mutex m;
  skua::parallel_for(0, 30, [&](int) {
    const std::lock_guard lock(m);
    compute(2);
  });
  skua::blocking([] { compute(20); });
  EXPECT_THROW(skua::join([] { compute(3); }, [] { throw 1; }), int);
}

struct setting {
  std::string policy = "nearest", machine = "opteron-8380-4s", record = {}, replay = {};
  std::optional<std::int64_t> workers = {};
};

skua::simulation_report run(const setting& chosen) {
  skua::scheduler_options options{.policy = chosen.policy,
                                  .simulate = skua::simulation{.machine = chosen.machine,
                                                               .level = skua::detail_level::lines,
                                                               .record = chosen.record,
                                                               .replay = chosen.replay}};
  if (chosen.workers) options.workers = *chosen.workers;
  skua::scheduler pool(options);
  for (int i = 0; i < 2; ++i) pool.run(work);
  return pool.simulated();
}

TEST(recording, gives_the_same_run_to_the_bit) {
  const temporary_file kept("same.recording");
  const auto measured = run({.record = kept.path()});
  for (int i = 0; i < 2; ++i) {
    const auto again = run({.replay = kept.path()});
    EXPECT_EQ(again.stream, measured.stream);
    EXPECT_EQ(again.cycles, measured.cycles);
    EXPECT_EQ(again.measured, measured.measured);
    EXPECT_EQ(again.not_recorded, 0u);
  }
  EXPECT_GT(measured.measured, 1000u);
}

// Under a sanitizer, the scheduler's own code between the leaves takes several times as long.
constexpr double tolerance = under_sanitizer ? 0.25 : 0.1;

// Forks and groups take the same time in all runs. The division of loops and the waits for a lock depend on which worker
// runs which task.
TEST(recording, serves_other_policies_machines_and_workers) {
  const auto seconds_computing = [](const skua::simulation_report& r) {
    return static_cast<double>(r.times.computing) / (static_cast<double>(r.cycles) / r.seconds);
  };
  // Other programs only make measured leaves longer, so the shortest of three recordings is the best one.
  const std::array<temporary_file, 3> files{temporary_file("a.recording"), temporary_file("b.recording"),
                                            temporary_file("c.recording")};
  double measured = std::numeric_limits<double>::infinity();
  std::string shortest;
  for (const temporary_file& file : files)
    if (const double seconds = seconds_computing(run({.record = file.path()})); seconds < measured) {
      measured = seconds;
      shortest = file.path();
    }
  std::vector<setting> others{{.policy = "bitier"}, {.machine = "xeon-x5650-2s-westmere"}, {.workers = 3}};
  if (!under_sanitizer)
    for (const setting& more : {setting{.policy = "random"}, setting{.policy = "most_loaded"},
                                setting{.policy = "chase_lev"}, setting{.workers = 1}})
      others.push_back(more);
  for (const setting& other : others) {
    setting replayed = other;
    replayed.replay = shortest;
    const auto r = run(replayed);
    EXPECT_NEAR(seconds_computing(r) / measured, 1, tolerance) << other.policy << " " << other.machine;
    EXPECT_LT(r.not_recorded, r.measured / 10) << other.policy << " " << other.machine;
    EXPECT_EQ(r.stream, run(replayed).stream) << other.policy;
  }
}

/// A scheduler that writes a recording, or reads one.
skua::scheduler simulated(std::int64_t workers, const std::string& record, const std::string& replay) {
  return skua::scheduler({.workers = workers,
                          .simulate = skua::simulation{.machine = "opteron-8380-4s",
                                                       .level = skua::detail_level::steps,
                                                       .record = record,
                                                       .replay = replay}});
}

TEST(recording, of_a_loop_is_divided_where_another_run_divides_it) {
  const temporary_file kept("sum.recording");
  const auto run_with = [&](std::int64_t workers, bool records) {
    skua::scheduler pool = simulated(workers, records ? kept.path() : "", records ? "" : kept.path());
    pool.run([] { skua::parallel_for(0, 3000, [](int) { compute(3); }); });
    return pool.simulated();
  };
  const auto one = run_with(1, true), again = run_with(1, false), eight = run_with(8, false);
  EXPECT_EQ(one.stream, again.stream);
  const auto computing = static_cast<double>(one.times.computing);
  EXPECT_NEAR(static_cast<double>(eight.times.computing) / computing, 1, 0.01);
  EXPECT_LT(static_cast<double>(eight.cycles), 0.9 * computing);
}

/// Virtual seconds of a fork, a task and a loop. In each recording, half of the leaves are slow: those of the same number as `slow`.
double seconds_with_slow(int slow, const std::string& record, const std::string& replay,
                         std::uint64_t* not_recorded = nullptr) {
  const auto leaf = [=](int number) { compute(number == slow ? 100 : 5); };
  skua::scheduler pool = simulated(1, record, replay);
  pool.run([&] {
    for (int i = 0; i < 10; ++i) skua::join([&] { leaf(0); }, [&] { leaf(1); });
    skua::task_group tasks;
    for (int i = 0; i < 20; ++i) tasks.run([&, i] { leaf(i % 2); });
    tasks.wait();
    skua::parallel_for(0, 64, [&](int i) { leaf(i / 32); });
  });
  if (not_recorded) *not_recorded = pool.simulated().not_recorded;
  return pool.simulated().seconds;
}

// 52 of the 104 leaves take 400 us in each recording, and 20 us in the other one.
TEST(recording, of_several_the_shortest_time_of_each_part_counts) {
  const temporary_file a("slow0.recording"), b("slow1.recording");
  const std::string both = a.path() + "," + b.path();
  const double slower = std::min(seconds_with_slow(0, a.path(), ""), seconds_with_slow(1, b.path(), ""));
  std::uint64_t missing = 1;
  const double least = seconds_with_slow(-1, "", both, &missing);
  std::printf("  %.1f ms in one recording, %.1f ms in two\n", 1e3 * slower, 1e3 * least);
  EXPECT_EQ(missing, 0u);
  EXPECT_GT(slower, 52 * 400e-6);
  EXPECT_LT(least, 0.5 * slower);
  EXPECT_EQ(seconds_with_slow(-1, "", b.path() + " , " + a.path()), least) << "in any order";
  EXPECT_THROW(seconds_with_slow(-1, "", both + ","), skua::bad_input);
  EXPECT_THROW(seconds_with_slow(-1, "", both + "," + a.path() + ".none"), skua::bad_input);
}

// What only one of the recordings has is taken from that one.
TEST(recording, of_several_need_not_have_the_same_parts) {
  const temporary_file loop("loop.recording"), forks_only("forks.recording");
  const auto run_parts = [](bool forks_too, bool loop_too, const std::string& record,
                            const std::string& replay) {
    skua::scheduler pool = simulated(1, record, replay);
    pool.run([&] {
      if (forks_too) forks(5);
      if (loop_too) skua::parallel_for(0, 50, [](int) { compute(3); });
    });
    return pool.simulated();
  };
  run_parts(true, true, loop.path(), "");
  run_parts(true, false, forks_only.path(), "");
  const auto one = run_parts(true, true, "", loop.path());
  const auto two = run_parts(true, true, "", forks_only.path() + "," + loop.path());
  EXPECT_EQ(two.not_recorded, 0u);
  EXPECT_EQ(two.measured, one.measured);
  EXPECT_GT(two.seconds, 50 * 12e-6);
  EXPECT_LE(two.seconds, one.seconds);
}

TEST(recording, refuses_files_that_are_not_recordings) {
  const temporary_file good("good.recording"), bad("bad.recording");
  run({.record = good.path()});
  const std::string text = good.text();
  const auto refused = [&](const std::string& contents) -> std::string {
    bad.write(contents);
    try {
      run({.replay = bad.path()});
    } catch (const skua::bad_input& said) {
      return said.what();
    }
    return "nothing";
  };
  EXPECT_EQ(refused(text), "nothing");
  EXPECT_NE(refused("{}\n").find("is not a recording"), std::string::npos);
  EXPECT_NE(refused("").find("is not a recording"), std::string::npos);
  EXPECT_NE(refused(text.substr(0, text.size() / 2)).find("is damaged"), std::string::npos);
  EXPECT_NE(refused(text.substr(0, text.rfind("end"))).find("last line is missing"), std::string::npos);
  std::string changed = text;
  const std::size_t digit = changed.find('\n', changed.find("step ")) - 1;
  changed[digit] = changed[digit] == '1' ? '2' : '1';
  EXPECT_NE(refused(changed).find("checksum is wrong"), std::string::npos);
  changed[digit] = 'x';
  EXPECT_NE(refused(changed).find("is damaged in line"), std::string::npos);
  EXPECT_THROW(run({.replay = "/nowhere/at/all"}), skua::bad_input);
  EXPECT_THROW(run({.record = "/nowhere/at/all"}), skua::bad_input);
  EXPECT_THROW(run({.record = bad.path(), .replay = good.path()}), skua::bad_input);
}

}  // namespace
}  // namespace recording_test
