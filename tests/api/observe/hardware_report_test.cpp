// The hardware counters in a report: the events that this machine counts, by worker and activity, and the reason why others
// are missing.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <nlohmann/json.hpp>
#include <skua/skua.hpp>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hardware_report_test {
namespace {

using nlohmann::json;

constexpr std::size_t pages = 512, page = 4096, bytes = pages * page;

/// Causes `pages` page faults. Each takes about as many cycles as a page has bytes, and somewhat more instructions.
void touch_new_pages() {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += 8) static_cast<volatile char*>(memory)[i] = 1;
  munmap(memory, bytes);
}

double of(const json& event, const char* what) {
  double all = 0;
  for (const json& worker : event["workers"])
    for (const auto& [name, value] : worker.items())
      if (name == what) all += value.get<double>();
  return all;
}

bool says(const json& report, const std::string& words) {
  for (const json& note : report["notes"])
    if (note.get<std::string>().find(words) != std::string::npos) return true;
  return false;
}

TEST(hardware_report, adds_what_tasks_do_to_user_time) {
  skua::scheduler pool({.workers = 2, .keep_report = true});
  pool.run([] { touch_new_pages(); });
  const json r = json::parse(pool.report_json());
  if (r["hardware"].empty()) {
    EXPECT_TRUE(says(r, "hardware counters: ")) << "the report says why it has no hardware counters";
    GTEST_SKIP() << "this kernel counts nothing, and the report says so";
  }
  EXPECT_TRUE(says(r, "hardware counters: a reading costs time"));
  for (const json& event : r["hardware"]) {
    const std::string name = event["event"];
    EXPECT_EQ(event["workers"].size(), 2u) << name;
    const double user = of(event, "user");
    const double min = name == "page faults"                        ? pages / 16.0  // pages may be larger
                       : name == "cycles" || name == "instructions" ? bytes / 8.0
                                                                    : 0.0;
    EXPECT_GE(user, min) << name;
    EXPECT_EQ(of(event, "asleep"), 0) << name;
  }
  if (r["hardware"][0]["event"] == "page faults") {
    EXPECT_TRUE(says(r, "page faults are counted instead"));
  }
}

TEST(hardware_report, counts_an_external_thread_that_attaches_to_a_searching_worker) {
  for (int i = 0; i < 20; ++i) {
    skua::scheduler pool({.workers = 1, .park_after_us = -1, .keep_report = true});
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    pool.run([] { touch_new_pages(); });
    const json r = json::parse(pool.report_json());
    if (r["hardware"].empty()) GTEST_SKIP() << "this kernel counts nothing";
    if (r["hardware"][0]["event"] != "page faults") GTEST_SKIP() << "a machine with counters of its own";
    ASSERT_GE(of(r["hardware"][0], "user"), pages / 16.0);
  }
}

TEST(hardware_report, restarts_with_the_report) {
  skua::scheduler pool({.workers = 1, .keep_report = true});
  pool.run([] { touch_new_pages(); });
  pool.reset_report();
  pool.run([] {});
  const json r = json::parse(pool.report_json());
  if (r["hardware"].empty()) GTEST_SKIP() << "this kernel counts nothing";
  if (r["hardware"][0]["event"] != "page faults") GTEST_SKIP() << "a machine with counters of its own";
  EXPECT_LT(of(r["hardware"][0], "user"), pages / 4.0);
}

void allow_open_files(rlim_t files) {
  const rlimit limit{files, files};
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// The report that `make` returns in a child process.
json report_of_child(const std::function<std::string()>& make) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = make();
    _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return json::parse(text);
}

/// The report of a process that may open `files` files. `threads` of its threads call a scheduler and exist at the same
/// time.
json report_after_calls_of(std::ptrdiff_t threads, rlim_t files) {
  return report_of_child([=] {
    allow_open_files(files);
    skua::scheduler pool({.workers = 1, .keep_report = true});
    std::barrier all(threads);
    std::vector<std::jthread> crew;
    for (std::ptrdiff_t i = 0; i < threads; ++i)
      crew.emplace_back([&] {
        pool.run([] {});
        all.arrive_and_wait();
      });
    crew.clear();
    return pool.report_json();
  });
}

TEST(hardware_report, says_that_external_threads_are_not_counted_when_they_need_too_many_files) {
  const json few = report_after_calls_of(4, 160), many = report_after_calls_of(100, 160);
  EXPECT_FALSE(says(few, " readings failed, "));
  EXPECT_TRUE(says(few, " us were treated as serial, "));
  if (many["hardware"].empty()) GTEST_SKIP() << "this kernel counts nothing";
  if (many["hardware"][0]["event"] != "page faults") GTEST_SKIP() << "the counters may need no files";
  EXPECT_TRUE(says(many, " readings failed, "));
}

/// Calls of threads that exist at the same time, until one of them fails to be read. The thread is not read when its call
/// begins, and the report is of that moment.
std::string report_of_first_failed_reading() {
  allow_open_files(160);
  skua::scheduler pool({.workers = 1, .keep_report = true});
  std::string text;
  std::vector<std::jthread> crew;
  std::latch enough(1);
  for (int i = 0; i < 100 && text.find(" failed, ") == std::string::npos; ++i) {
    std::latch has_called(1);
    crew.emplace_back([&] {
      pool.run([&] { text = pool.report_json(); });
      has_called.count_down();
      enough.wait();
    });
    has_called.wait();
  }
  enough.count_down();
  crew.clear();
  return text;
}

TEST(hardware_report, says_that_one_reading_failed) {
  const json one = report_of_child(report_of_first_failed_reading);
  if (one["hardware"].empty()) GTEST_SKIP() << "this kernel counts nothing";
  if (one["hardware"][0]["event"] != "page faults") GTEST_SKIP() << "the counters may need no files";
  EXPECT_TRUE(says(one, "hardware counters: 1 reading failed, ")) << one["notes"];
}

TEST(hardware_report, of_a_simulated_machine_has_its_caches_instead) {
  skua::scheduler pool(
      {.workers = 2, .keep_report = true, .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  pool.run([] { skua::costs(1000); });
  const json r = json::parse(pool.report_json());
  EXPECT_TRUE(r["hardware"].empty());
  EXPECT_FALSE(says(r, "hardware counters"));
  EXPECT_FALSE(r["simulated"].is_null());
}

}  // namespace
}  // namespace hardware_report_test
