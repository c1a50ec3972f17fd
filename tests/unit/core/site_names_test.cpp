// Names of call sites. They are derived from the names of functions.
#include <string>

#include <gtest/gtest.h>

#include "core/record/call_site_names.hpp"

namespace site_names_test {
namespace {

TEST(call_site_names, the_function_around_lambdas) {
  using skua::core::enclosing_function;
  EXPECT_EQ(enclosing_function("fib(long)"), "fib(long)");
  EXPECT_EQ(enclosing_function("fib(long)::{lambda()#2}::operator()() const"), "fib(long)");
  EXPECT_EQ(enclosing_function("fib(long) [clone .isra.0]"), "fib(long)");
  EXPECT_EQ(
      enclosing_function(
          "auto skua::detail::fork_two<fib(long)::{lambda()#1}, fib(long)::{lambda()#2}>(skua::worker&, "
          "fib(long)::{lambda()#1}, fib(long)::{lambda()#2})"),
      "fib(long)");
  EXPECT_EQ(
      enclosing_function(
          "void skua::detail::run_plainly<skua::detail::each_position<int, a::b<int, 3>::sweep(std::vector<"
          "int, std::allocator<int> >&) const::{lambda(auto:1)#1}> >(skua::worker&)"),
      "a::b<int, 3>::sweep(std::vector<int, std::allocator<int> >&)");
  EXPECT_EQ(
      enclosing_function("(anonymous namespace)::tree(int)::{lambda()#1}::operator()() const::{lambda()#1}"),
      "(anonymous namespace)::tree(int)");
  EXPECT_EQ(enclosing_function("main.cold"), "main");
  EXPECT_EQ(enclosing_function("main::$_0::operator()() const"), "main");
}

TEST(call_site_names, loops_whose_body_is_not_a_lambda) {
  using skua::core::enclosing_function;
  EXPECT_EQ(enclosing_function(
                "void skua::detail::run_plainly<skua::detail::each_position<int, a::b<int, 3> > >(int)"),
            "skua::parallel_for of a::b<int, 3>");
  EXPECT_EQ(enclosing_function(
                "void skua::detail::run_plainly<skua::detail::each_position<int, void (int)> >(int)"),
            "skua::parallel_for of void (int)");
}

// gcc 12 writes such names, but its own library cannot demangle them.
TEST(call_site_names, the_function_in_names_that_no_demangler_reads) {
  using skua::core::enclosing_function;
  const std::string join_of_three =
      "_ZN4skua6detail8fork_twoIRNS0_13front_of_joinIRZZNS_4joinIRZN9workloads12_GLOBAL__N_"
      "18cilksortESt4spanIjLm"
      "18446744073709551615EES7_EUlvE_RZNS5_8cilksortES7_S7_EUlvE0_JRZNS5_8cilksortES7_S7_EUlvE1_EEEDaRNS_"
      "6workerE"
      "OT_OT0_DpOT1_ENKUlSt16integer_sequenceImJXspT_EEEE_clIJLm0ELm1EEEEDaSO_EUlSF_E_EESD_EEDaSF_"
      "NSt11conditional"
      "IX12in_registersISG_EESG_RSG_E4typeENSV_IX12in_registersISI_EESI_RSI_E4typeE";
  EXPECT_EQ(enclosing_function(join_of_three), "workloads::(anonymous namespace)::cilksort");
  EXPECT_EQ(enclosing_function("_ZN4skua6detail8fork_twoIRZN3one3twoIiE5threeEvEUlvE_EEvX"), "one::two");
  EXPECT_EQ(enclosing_function("_ZN4skua6detail8fork_twoIZ3fib6matrixLj3EEUlvE_EEvX"), "fib");
  EXPECT_EQ(enclosing_function("_ZN4skua6detail8fork_twoIZNKSt6vector3allEvEUlvE_EEvX"),
            "_ZN4skua6detail8fork_twoIZNKSt6vector3allEvEUlvE_EEvX");
  EXPECT_EQ(enclosing_function("_Z99fib"), "_Z99fib");

  EXPECT_TRUE(skua::core::is_thief_of_loop(
      "_ZN4skua6detail13thief_of_loopINS0_13each_positionIiXEEE4helpEPvRNS_12task_contextE"));
  EXPECT_TRUE(skua::core::is_thief_of_loop(
      "skua::detail::thief_of_loop<skua::detail::each_position<int, f> >::help(void*, skua::task_context&)"));
  EXPECT_FALSE(skua::core::is_thief_of_loop(join_of_three));
}

}  // namespace
}  // namespace site_names_test
