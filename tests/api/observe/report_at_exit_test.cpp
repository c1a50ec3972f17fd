// Reports at the end of a process, also for programs that fork or end in unusual ways.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <skua/skua.hpp>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace report_at_exit_test {
namespace {

std::unique_ptr<skua::scheduler> outlives_static_objects;

void work() {
  skua::join([] { skua::costs(1000); }, [] { skua::costs(1000); });
}

class report_at_exit : public testing::Test {
 protected:
  void SetUp() override {
    const std::string folder = testing::TempDir() + "skua_exit_" + std::to_string(getpid());
    file_ = folder + ".json";
    setenv("SKUA_REPORT", file_.c_str(), 1);
  }
  void TearDown() override {
    for (const char* variable : {"SKUA_REPORT", "SKUA_TRACE", "SKUA_TRACE_EVENTS", "SKUA_STACK_BYTES"})
      unsetenv(variable);
    std::remove(file_.c_str());
  }
  /// Runs `program` in a child process and returns its exit status.
  template <class F>
  int end_of(F program) {
    const pid_t child = fork();
    if (child == 0) {
      program();
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
  std::string text() const {
    std::ifstream from(file_);
    return {std::istreambuf_iterator<char>(from), {}};
  }
  std::string file_;
};

TEST_F(report_at_exit, of_a_scheduler_that_lives_longer_than_static_objects) {
  EXPECT_EQ(end_of([] {
              outlives_static_objects =
                  std::make_unique<skua::scheduler>(skua::scheduler_options{.workers = 2});
              outlives_static_objects->run(work);
            }),
            0);
  EXPECT_EQ(nlohmann::json::parse(text())["workers"].size(), 2u);
}

TEST_F(report_at_exit, of_the_default_scheduler_which_is_never_destroyed) {
  EXPECT_EQ(end_of([] { work(); }), 0);
  EXPECT_FALSE(nlohmann::json::parse(text())["workers"].empty());
}

// When static destructors run, the descriptors of the thread's counters are closed, and the program may have reused their
// numbers.
TEST_F(report_at_exit, of_work_in_static_destructors_reads_no_file_of_the_program) {
  EXPECT_EQ(end_of([] {
              work();
              static const struct last {
                ~last() {
                  int files[8];
                  for (int& file : files) file = open("/proc/self/exe", O_RDONLY);
                  for (int i = 0; i < 10; ++i) work();
                  for (const int file : files)
                    if (file < 0 || lseek(file, 0, SEEK_CUR) != 0) _exit(3);
                }
              } at_end;
            }),
            0);
}

TEST_F(report_at_exit, is_not_written_by_a_child_process) {
  EXPECT_EQ(end_of([] {
              skua::scheduler pool({.workers = 1});
              pool.run(work);
              int status = -1;
              const pid_t grandchild = fork();
              if (grandchild == 0) std::exit(0);  // the scheduler belongs to the parent
              waitpid(grandchild, &status, 0);
              _exit(status);
            }),
            0);
  EXPECT_EQ(text(), "");  // _exit() writes no report
}

// The child uses schedulers too.
TEST_F(report_at_exit, of_a_parent_is_not_overwritten_by_its_child) {
  if constexpr (under_sanitizer)
    GTEST_SKIP()
        << "a sanitizer's runtime cannot start threads in a child of fork() beside threads of the parent";
  for (const char* variable : {"SKUA_REPORT", "SKUA_TRACE"}) {
    unsetenv("SKUA_REPORT");
    setenv(variable, file_.c_str(), 1);
    EXPECT_EQ(end_of([this] {
                skua::scheduler pool({.workers = 2, .bind = false});
                pool.run(work);
                const pid_t grandchild = fork();
                if (grandchild == 0) {
                  pool.run(work);
                  skua::scheduler another({.workers = 3, .bind = false});
                  another.run(work);
                  std::exit(0);
                }
                int status = -1;
                waitpid(grandchild, &status, 0);
                if (status != 0 || std::filesystem::exists(file_)) _exit(2);
              }),
              0)
        << variable;
    // The file belongs to the parent, which has two workers.
    EXPECT_TRUE(nlohmann::json::accept(text())) << variable;
    EXPECT_EQ(text().find("worker 2"), std::string::npos) << variable;
    if (std::string(variable) == "SKUA_REPORT") {
      EXPECT_EQ(nlohmann::json::parse(text())["workers"].size(), 2u);
    }
    std::remove(file_.c_str());
  }
}

TEST_F(report_at_exit, of_a_child_is_written_if_the_file_name_has_the_process_id) {
  if constexpr (under_sanitizer)
    GTEST_SKIP()
        << "a sanitizer's runtime cannot start threads in a child of fork() beside threads of the parent";
  const std::string name = file_ + ".%p";
  setenv("SKUA_REPORT", name.c_str(), 1);
  const auto file_of = [&](pid_t process) { return file_ + "." + std::to_string(process); };
  EXPECT_EQ(end_of([&] {
              skua::scheduler pool({.workers = 2, .bind = false});
              pool.run(work);
              const pid_t grandchild = fork();
              if (grandchild == 0) {
                pool.run(work);
                std::exit(0);
              }
              int status = -1;
              waitpid(grandchild, &status, 0);
              if (status != 0 || !std::filesystem::exists(file_of(grandchild))) _exit(2);
              std::ifstream of_child(file_of(grandchild));
              if (nlohmann::json::parse(of_child)["workers"].size() != 2) _exit(3);
              std::filesystem::remove(file_of(grandchild));
            }),
            0);
  int reports = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    if (entry.path().string().starts_with(file_ + ".")) {
      ++reports;
      std::filesystem::remove(entry.path());
    }
  EXPECT_EQ(reports, 1) << "only the parent writes a report";
}

// The process must not leave an empty or partial report either.
TEST_F(report_at_exit, is_not_written_when_the_process_aborts) {
  const auto abort_late = [] {
    skua::scheduler pool({.workers = 2});
    pool.run(work);
    std::abort();
  };
  EXPECT_NE(end_of(abort_late), 0);
  EXPECT_FALSE(std::filesystem::exists(file_));
  std::ofstream(file_) << "an earlier one";
  EXPECT_NE(end_of(abort_late), 0);
  EXPECT_EQ(text(), "an earlier one");
}

TEST_F(report_at_exit, is_of_the_scheduler_that_computed_most) {
  EXPECT_EQ(end_of([] {
              skua::scheduler idle({.workers = 3});
              skua::scheduler busy({.workers = 2});
              busy.run([] {
                const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
                while (std::chrono::steady_clock::now() < until) {
                }
              });
            }),
            0);
  EXPECT_EQ(nlohmann::json::parse(text())["workers"].size(), 2u);
}

TEST_F(report_at_exit, is_written_to_the_first_working_directory) {
  const std::filesystem::path file(file_);
  EXPECT_EQ(end_of([&] {
              std::filesystem::current_path(file.parent_path());
              setenv("SKUA_REPORT", file.filename().c_str(), 1);
              {
                const skua::scheduler first({.workers = 1});
              }
              std::filesystem::current_path("/proc");  // this folder is not writable
              skua::scheduler second({.workers = 1});
              second.run(work);
            }),
            0);
  EXPECT_EQ(nlohmann::json::parse(text())["workers"].size(), 1u);
}

TEST_F(report_at_exit, of_a_task_that_exits_on_a_small_stack) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "what a sanitizer does in exit() needs more stack";
  for (const char* variable : {"SKUA_REPORT", "SKUA_TRACE"}) {
    unsetenv("SKUA_REPORT");
    setenv(variable, file_.c_str(), 1);
    setenv("SKUA_STACK_BYTES", "16384", 1);
    const int status = end_of([] {
      std::atomic<bool> taken{false};
      skua::scheduler pool({.workers = 2});
      pool.run([&] {
        skua::join(
            [&] {
              until([&] { return taken.load(); }, "a thief");
              std::this_thread::sleep_for(std::chrono::minutes(1));
            },
            [&] {  // runs on the other worker, whose stack is small
              taken = true;
              std::exit(3);
            });
      });
    });
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << variable << ": " << status;
    EXPECT_TRUE(nlohmann::json::accept(text())) << variable;
  }
}

// The trace of a scheduler that has ended stays in memory until the process ends.
TEST_F(report_at_exit, traces_of_any_number_of_schedulers_are_bounded) {
  unsetenv("SKUA_REPORT");
  setenv("SKUA_TRACE", file_.c_str(), 1);
  setenv("SKUA_TRACE_EVENTS", "1000", 1);
  EXPECT_EQ(end_of([] {
              for (int i = 0; i < 50; ++i) {
                skua::scheduler pool({.workers = 1});
                pool.run([] {
                  for (int k = 0; k < 100; ++k) const skua::trace_span step("step");
                });
              }
            }),
            0);
  std::size_t steps = 0;
  bool told = false;
  const auto all = nlohmann::json::parse(text());
  for (const auto& e : all["traceEvents"]) {
    steps += e["name"] == "step";
    told |= e["name"] == "process_name" &&
            e["args"]["name"].get<std::string>().find("more schedulers had no room: SKUA_TRACE_EVENTS") !=
                std::string::npos;
  }
  EXPECT_GT(steps, 100u);
  EXPECT_LT(steps, 500u);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace report_at_exit_test
