#include "topology/hwloc_tree.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>

namespace skua::detail::rehearsal_test {
namespace {

TEST(rehearsal, returns_what_its_function_returns) {
  EXPECT_TRUE(survives_rehearsal([] { return true; }, "trouble"));
  EXPECT_FALSE(survives_rehearsal([] { return false; }, "trouble"));
}

TEST(rehearsal, crashes_and_exceptions_stay_in_the_child) {
  EXPECT_FALSE(survives_rehearsal([]() -> bool { std::abort(); }, "trouble"));
  EXPECT_FALSE(survives_rehearsal(
      []() -> bool {
        std::raise(SIGKILL);
        return true;
      },
      "trouble"));
  EXPECT_FALSE(survives_rehearsal([]() -> bool { throw std::runtime_error("no"); }, "trouble"));
}

TEST(rehearsal, error_messages_are_checked_and_not_printed) {
  testing::internal::CaptureStderr();
  const auto say = [](const char* words) { return [words] { return std::fputs(words, stderr) >= 0; }; };
  EXPECT_FALSE(survives_rehearsal(say("some trouble\n"), "trouble"));
  EXPECT_TRUE(survives_rehearsal(say("all is well\n"), "trouble"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(rehearsal, a_program_that_ignores_its_children_gets_the_same_answers) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_TRUE(survives_rehearsal([] { return true; }, "trouble"));
  EXPECT_FALSE(survives_rehearsal([] { return false; }, "trouble"));
  std::signal(SIGCHLD, before);
}

TEST(rehearsal, does_not_change_this_process) {
  int value = 1;
  EXPECT_TRUE(survives_rehearsal(
      [&] {
        value = 2;
        return true;
      },
      "trouble"));
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace skua::detail::rehearsal_test
