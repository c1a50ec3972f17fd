// SKUA_LEARNT: the shape that the first run of a region has learnt is kept after the process.
#include <skua/skua.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace learnt_test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class api_learnt : public testing::Test {
 protected:
  api_learnt() {
    // Each test needs a process of its own, since the file is read once.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    path_ = testing::TempDir() + "skua_learnt_" + std::to_string(getpid());
  }
  ~api_learnt() override { std::remove(path_.c_str()); }
  void write(const std::string& text) { std::ofstream(path_) << text; }
  // For the process of a death test. It runs the test from the beginning, so its own path_ is different.
  static void with_file(const std::string& path) { setenv("SKUA_LEARNT", path.c_str(), 1); }
  std::string path_;
};

const std::string first_line = "skua learnt regions 1: name input_bytes branching depth bytes_by_level...\n";

TEST_F(api_learnt, is_written_and_read_again) {
  const auto run = [&] {
    with_file(path_);
    skua::scheduler pool({.workers = 1});  // a fork whose second part is stolen would not be counted
    static double data[512];
    pool.run([] {
      skua::shaped(skua::learn("test.two"),
                   [] { skua::join([] { skua::reads(data, 256); }, [] { skua::writes(data + 256, 256); }); });
    });
    std::fputs(contents(path_).c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "test\\.two 4096 2 2 0 0 4096");
  const auto read = [&] {
    write(first_line + "test.known 1000 8 5 0 0 500 1500\n");
    with_file(path_);
    const auto seen = skua::learnt("test.known");
    std::exit(seen && seen->input_bytes == 1000 && seen->branching == 8 && seen->bytes_by_level.size() == 4
                  ? 0
                  : 1);
  };
  EXPECT_EXIT(read(), testing::ExitedWithCode(0), "");
}

TEST_F(api_learnt, a_damaged_file_is_refused_with_its_line) {
  for (const auto& [text, complaint] :
       {std::pair{std::string("something else\n"), "line 1: expected"},
        std::pair{first_line + "a 1 2 3\nb 1 two 3\n", "line 3: expected a name and whole numbers"},
        std::pair{first_line + "a 1 1 3\n", "branching"}}) {
    const auto read = [&] {
      write(text);
      with_file(path_);
      try {
        skua::learn("a");
      } catch (const skua::bad_input& refused) {
        std::fputs(refused.what(), stderr);
        std::exit(2);
      }
      std::exit(0);
    };
    EXPECT_EXIT(read(), testing::ExitedWithCode(2), complaint);
  }
}

TEST_F(api_learnt, a_file_that_cannot_be_written_costs_one_warning) {
  const auto run = [&] {
    with_file("/nowhere/skua_learnt");
    skua::scheduler pool({.workers = 1});
    pool.run([] { skua::shaped(skua::learn("test.lost"), [] { skua::join([] {}, [] {}); }); });
    std::exit(skua::learnt("test.lost") ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "cannot be written");
}

}  // namespace
}  // namespace learnt_test
