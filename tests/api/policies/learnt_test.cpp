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

const std::string first_line = "skua learnt 2\n";

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
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "region test\\.two 4096 2 2 0 0 4096");
  const auto read = [&] {
    write(first_line + "region test.known 1000 8 5 0 0 500 1500\n");
    with_file(path_);
    const auto seen = skua::learnt("test.known");
    std::exit(seen && seen->input_bytes == 1000 && seen->branching == 8 && seen->bytes_by_level.size() == 4
                  ? 0
                  : 1);
  };
  EXPECT_EXIT(read(), testing::ExitedWithCode(0), "");
}

/// Learns a region, and prints the file afterwards.
void learn_and_show(const std::string& path) {
  skua::scheduler pool({.workers = 1});
  if (skua::learnt("a")) std::fputs("a is known\n", stderr);
  pool.run([] { skua::shaped(skua::learn("test.new"), [] { skua::join([] {}, [] {}); }); });
  std::fputs(("the file: " + contents(path)).c_str(), stderr);
  std::exit(0);
}

TEST_F(api_learnt, a_damaged_or_old_file_costs_one_line_and_is_replaced) {
  const std::string good = "region a 1 2 3\n";
  for (const auto& [text, complaint] :
       {std::pair{first_line + good + "region b 1 two 3\n", "is damaged in line 3 and is ignored"},
        std::pair{first_line + good + "region b 1 1 3\n", "is damaged in line 3 and is ignored"},
        std::pair{first_line + good + "policy place nearest 3 -1 0\n", "is damaged in line 3 and is ignored"},
        std::pair{first_line + good + "policy place nearest 3 10 0 more\n",
                  "is damaged in line 3 and is ignored"},
        std::pair{first_line + good + "something b 1 2 3\n", "is damaged in line 3 and is ignored"},
        std::pair{std::string("skua learnt regions 1: name input_bytes\na 1 2 3\n"),
                  "is of another version of skua and is ignored"}}) {
    const auto run = [&] {
      write(text);
      with_file(path_);
      learn_and_show(path_);
    };
    EXPECT_EXIT(run(), testing::ExitedWithCode(0),
                "^skua: file '[^\n]*' \\(SKUA_LEARNT\\) " + std::string(complaint) +
                    "\n[^\n]*declares no bytes[^\n]*\nthe file: skua learnt 2\nregion test\\.new 0 2 2\n$");
  }
  const auto whole = [&] {
    write(first_line + good);
    with_file(path_);
    learn_and_show(path_);
  };
  EXPECT_EXIT(whole(), testing::ExitedWithCode(0), "a is known");
}

TEST_F(api_learnt, a_file_of_somebody_else_stays_as_it_is) {
  const auto run = [&] {
    write("my notes\n");
    with_file(path_);
    learn_and_show(path_);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0),
              "was not written by skua and is left alone.*\n.*\nthe file: my notes\n$");
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
