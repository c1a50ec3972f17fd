// Wrong environment variables, and the messages that a user sees.
#include "core/start/wrong_variables.hpp"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skua/scheduler.hpp>

namespace wrong_variables_test {
namespace {

std::string misspelt(std::vector<const char*> environment) {
  return skua::core::misspelt_variable(environment);
}

TEST(wrong_variables, a_misspelt_name_has_its_nearest) {
  EXPECT_EQ(misspelt({"PATH=/bin", "SKUA_WORKERS=2", "SKUA_WORKRES=2"}),
            "SKUA_WORKRES is not a variable of skua; nearest: SKUA_WORKERS");
  EXPECT_EQ(misspelt({"SKUA_WORKER=2"}), "SKUA_WORKER is not a variable of skua; nearest: SKUA_WORKERS");
  EXPECT_EQ(misspelt({"SKUA_POLICIY=random"}),
            "SKUA_POLICIY is not a variable of skua; nearest: SKUA_POLICY");
  EXPECT_EQ(misspelt({"SKUA_SIMULATE_COST=declared"}),
            "SKUA_SIMULATE_COST is not a variable of skua; nearest: SKUA_SIMULATE_COSTS");
}

TEST(wrong_variables, names_of_other_runtimes_have_skua_s) {
  for (const auto& [foreign, own] :
       std::initializer_list<std::pair<std::string, std::string>>{{"NUM_THREADS", "WORKERS"},
                                                                  {"CORES", "WORKERS"},
                                                                  {"SIMULATION", "SIMULATE"},
                                                                  {"THREADS", "WORKERS"},
                                                                  {"STACKSIZE", "STACK_BYTES"},
                                                                  {"PROC_BIND", "BIND"}})
    EXPECT_EQ(misspelt({("SKUA_" + foreign + "=1").c_str()}),
              "SKUA_" + foreign + " is not a variable of skua; nearest: SKUA_" + own);
}

TEST(wrong_variables, other_names_may_belong_to_the_program) {
  EXPECT_EQ(misspelt({"PATH=/bin", "SKUA_=1", "SKUA_TESTS=1", "SKUA_SHARED=x", "SKUA_MY_PROGRAM=1", "SKUA"}),
            "");
  EXPECT_EQ(misspelt({"SKUA_REPORT=a", "SKUA_TRACE_EVENTS=1000", "SKUA_SIMULATE_WATCHDOG_S=1"}), "");
}

// If the sources read a variable that is not in the list, it would get no nearest name or a wrong one.
TEST(wrong_variables, every_variable_of_the_sources_is_known) {
  const std::regex variable("\"(SKUA_[A-Z_]+)\"");
  std::set<std::string> found;
  const std::filesystem::path sources = std::filesystem::path(SKUA_TESTS).parent_path() / "src";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (std::sregex_iterator at(text.begin(), text.end(), variable), end; at != end; ++at)
      found.insert((*at)[1]);
  }
  EXPECT_GE(found.size(), 22u);
  for (const std::string& name : found)
    EXPECT_EQ(misspelt({(name + "X=1").c_str()}), name + "X is not a variable of skua; nearest: " + name);
}

std::string without_effect(std::vector<const char*> environment) {
  return skua::core::variable_without_effect(environment);
}

TEST(wrong_variables, variables_of_a_simulation_need_its_machine) {
  EXPECT_EQ(without_effect({"PATH=/bin", "SKUA_SIMULATE_COSTS=foo"}),
            "SKUA_SIMULATE_COSTS has no effect without SKUA_SIMULATE");
  EXPECT_EQ(without_effect({"SKUA_SIMULATE=", "SKUA_SIMULATE_PAGES=nonsense", "SKUA_SIMULATE_COSTS=foo"}),
            "SKUA_SIMULATE_PAGES has no effect without SKUA_SIMULATE");
  EXPECT_EQ(without_effect({"SKUA_SIMULATE_COSTS=declared", "SKUA_SIMULATE=epyc-9654-2s"}), "");
  EXPECT_EQ(without_effect({"SKUA_SIMULATE_COSTS=", "SKUA_WORKERS=2", "SKUA_SIMULATE_MINE=1"}), "");
  EXPECT_EQ(without_effect({"SKUA_SIMULATE_HOSTILE=7", "SKUA_SIMULATE_STEPS=9"}), "")
      << "they apply to machines that the program chooses";
}

TEST(wrong_variables, a_variable_without_effect_is_one_line_and_the_program_goes_on) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        unsetenv("SKUA_SIMULATE");
        setenv("SKUA_SIMULATE_COSTS", "foo", 1);
        const skua::scheduler first({.workers = 1});
        const skua::scheduler second({.workers = 1});
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^skua: SKUA_SIMULATE_COSTS has no effect without SKUA_SIMULATE\n$");
}

/// Makes a scheduler with such a variable. It runs in a process of its own.
void make_scheduler_with(const char* variable, const char* value) noexcept {
  setenv(variable, value, 1);
  skua::scheduler pool;
}

template <class F>
void let_escape(F f) noexcept {
  f();
}

TEST(wrong_variables, an_uncaught_refusal_is_one_sentence_and_exit_code_2) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto ends = testing::ExitedWithCode(2);
  EXPECT_EXIT(make_scheduler_with("SKUA_WORKERS", "many"), ends,
              "^skua: SKUA_WORKERS is 'many'; allowed: a whole number from 1 to 4096[^\n]*\n$");
  EXPECT_EXIT(make_scheduler_with("SKUA_POLICY", "nope"), ends,
              "^skua: SKUA_POLICY: policy 'nope' does not exist");
}

TEST(wrong_variables, a_refusal_can_be_caught_and_other_exceptions_end_as_before) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto refused = [] {
    setenv("SKUA_WORKERS", "many", 1);
    EXPECT_THROW(skua::scheduler(), skua::bad_input);
    unsetenv("SKUA_WORKERS");
  };
  EXPECT_EXIT(
      {
        refused();
        skua::scheduler pool({.workers = 1});
        std::_Exit(pool.workers() == 1 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        refused();
        let_escape([] { throw std::runtime_error("another"); });
      },
      testing::KilledBySignal(SIGABRT), "another");
}

}  // namespace
}  // namespace wrong_variables_test
