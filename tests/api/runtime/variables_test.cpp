// Wrong values of environment variables: each refusal names its variable, the value and what is allowed. A variable of which only
// later runs have a use costs one line, and the program goes on.
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/refusal.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/with_variable.hpp"

namespace variables_test {
namespace {

struct wrong_value {
  const char *variable, *value;
  std::vector<std::string> also;  // that the sentence contains
  std::string named = value;      // the part of the value that is wrong
};

std::string refused(const wrong_value& wrong) {
  const with_variable v(wrong.variable, wrong.value);
  return refusal([] { skua::scheduler pool; });
}

void expect_named(const wrong_value& wrong) {
  const std::string said = refused(wrong);
  EXPECT_TRUE(said.starts_with(wrong.variable)) << wrong.variable << ": " << said;
  EXPECT_NE(said.find(wrong.named), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  for (const std::string& part : wrong.also)
    EXPECT_NE(said.find(part), std::string::npos) << "'" << part << "' is not in: " << said;
}

TEST(variables, refusals_name_the_variable_and_what_is_allowed) {
  for (const wrong_value& wrong : std::vector<wrong_value>{
           {"SKUA_WORKERS", "many", {"allowed: a whole number from 1 to 4096"}},
           {"SKUA_PIN", "99999", {"allowed: "}},
           {"SKUA_PIN", "999", {"CPU 999 is not available; allowed: ", "; nearest: "}},
           {"SKUA_PIN", "0,0", {"CPU 0 is given twice; allowed: each CPU once"}},
           {"SKUA_PIN", "delt", {"allowed: grouped or dealt, or CPUs as in 0,3,6-8; nearest: dealt"}},
           {"SKUA_BIND", "perhaps", {"allowed: 0, 1, none, domain or cpu"}},
           {"SKUA_POLICY",
            "nearest(foo)",
            {"allowed: persistence, heads, half or deal=never|large|always"},
            "'foo'"},
           {"SKUA_POLICY",
            "most_loaded(refresh=0)",
            {"allowed: whole numbers from 1 to 1000; nearest: 1"},
            "'0'"},
           {"SKUA_SEED", "-1", {"allowed: 0 to ", "nearest: 0"}},
           {"SKUA_STACK_BYTES", "huge", {"allowed: 16384 to "}},
           {"SKUA_TOPOLOGY", "foo", {"'host', an hwloc XML file or a synthetic machine"}},
           {"SKUA_TOPOLOGY", "/nowhere/machine.xml", {"does not exist"}},
           {"SKUA_DISTANCES", "/nowhere/distances", {"allowed: a file that skua topo --measure"}},
           {"SKUA_REPORT", "/nowhere/run.json", {"allowed: a file in a folder that exists"}},
           {"SKUA_TRACE", "/nowhere/run.trace", {"allowed: a file in a folder that exists"}},
           {"SKUA_TRACE_EVENTS", "few", {"allowed: a whole number from 1000 to "}},
           {"SKUA_SIMULATE", "opteron", {"allowed: a .json", "nearest: opteron-"}}})
    expect_named(wrong);
}

TEST(variables, refusals_of_a_simulation_name_the_variable) {
  const with_variable machine("SKUA_SIMULATE", "package:1 core:2 pu:1");
  for (const wrong_value& wrong : std::vector<wrong_value>{
           {"SKUA_PIN", "7", {"CPU 7 is not available; allowed: 0,1; nearest: 1"}},
           {"SKUA_SIMULATE_LEVEL", "line", {"allowed: steps, lines, ", "nearest: lines"}},
           {"SKUA_SIMULATE_COSTS", "free", {"allowed: measured or declared"}},
           {"SKUA_SIMULATE_PAGES", "first", {"allowed: first_touch or interleave; nearest: first_touch"}},
           {"SKUA_SIMULATE_RECORD", "/nowhere/times", {"allowed: a file in a folder that exists"}},
           {"SKUA_SIMULATE_REPLAY", "/nowhere/times", {"allowed: a file written by --record"}},
           {"SKUA_SIMULATE_REPLAY", "/dev/null", {"is not a recording", "allowed: "}},
           {"SKUA_SIMULATE_FREE_LOOKS", "maybe", {"allowed: 0, 1, off, on"}},
           {"SKUA_SIMULATE_THREADS", "two", {"allowed: 0, 1, off, on"}},
           {"SKUA_SIMULATE_HOSTILE", "very", {"allowed: a whole number"}},
           {"SKUA_SIMULATE_STEPS", "all", {"allowed: a whole number"}},
           {"SKUA_SIMULATE_WATCHDOG_S", "soon", {"allowed: a whole number from 0 to 1000000"}}})
    expect_named(wrong);
  const with_variable replay("SKUA_SIMULATE_REPLAY", "/nowhere/before");
  expect_named({"SKUA_SIMULATE_RECORD",
                "/nowhere/times",
                {"SKUA_SIMULATE_REPLAY is '/nowhere/before'; allowed: one of the two"}});
}

// The program chose these, so no variable is to blame.
TEST(variables, refusals_of_options_name_no_variable) {
  const std::string of_cpu = refusal([] { skua::scheduler pool({.cpus = {9999}}); });
  EXPECT_TRUE(of_cpu.starts_with("CPU 9999 is not available; allowed: ")) << of_cpu;
  const std::string of_pages = refusal([] {
    skua::scheduler pool(
        {.simulate = skua::simulation{.machine = "package:1 core:2 pu:1", .pages = "first"}});
  });
  EXPECT_TRUE(of_pages.starts_with("pages of a simulation are 'first'; allowed: ")) << of_pages;
}

/// In a process of its own.
[[noreturn]] void make_two_schedulers_with(const char* variable, const char* value) {
  setenv(variable, value, 1);
  int sum = 0;
  {
    skua::scheduler one({.workers = 1}), other({.workers = 1});
    one.run([&] { sum += 1; });
    other.run([&] { sum += 2; });
  }
  std::_Exit(sum);
}

TEST(variables, a_file_of_no_use_for_what_is_learnt_costs_one_line) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      make_two_schedulers_with("SKUA_LEARNT", "/nowhere/learnt"), testing::ExitedWithCode(3),
      "^skua: file '/nowhere/learnt' \\(SKUA_LEARNT\\) cannot be written[^\n]*; allowed: a file in a folder "
      "that exists\n$");
  EXPECT_EXIT(make_two_schedulers_with("SKUA_LEARNT", "/tmp"), testing::ExitedWithCode(3),
              "^skua: file '/tmp' \\(SKUA_LEARNT\\) cannot be written[^\n]*\n$");
  EXPECT_EXIT(make_two_schedulers_with("SKUA_LEARNT", "/dev/null"), testing::ExitedWithCode(3), "^$");
}

TEST(variables, the_name_of_another_runtime_s_variable_costs_one_line) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(make_two_schedulers_with("SKUA_NUM_THREADS", "2"), testing::ExitedWithCode(3),
              "^skua: SKUA_NUM_THREADS is not a variable of skua; nearest: SKUA_WORKERS\n$");
}

}  // namespace
}  // namespace variables_test
