#include "base/nearest_name.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string_view>

#include "base/number_text.hpp"

namespace skua::base::nearest_name_test {
namespace {

constexpr std::array<std::string_view, 5> types = {"package", "numa", "core", "pu", "mergesort"};

TEST(nearest_name, finds_the_name_with_the_fewest_edits) {
  EXPECT_EQ(nearest_name("croe", types), "core");   // two adjacent letters swapped
  EXPECT_EQ(nearest_name("cores", types), "core");  // one letter too many
  EXPECT_EQ(nearest_name("packge", types), "package");
  EXPECT_EQ(nearest_name("nuna", types), "numa");
  EXPECT_EQ(nearest_name("core", types), "core");
}

TEST(nearest_name, ignores_case) { EXPECT_EQ(nearest_name("CORE", types), "core"); }

TEST(nearest_name, completes_an_unfinished_name) {
  EXPECT_EQ(nearest_name("merge", types), "mergesort");
  EXPECT_EQ(nearest_name("mrege", types), "mergesort");
  constexpr std::array<std::string_view, 2> switches = {"off", "on"};
  EXPECT_EQ(nearest_name("of", switches), "off");
}

TEST(nearest_name, prefers_the_first_of_equals) {
  constexpr std::array<std::string_view, 2> equals = {"abc", "abd"};
  EXPECT_EQ(nearest_name("abe", equals), "abc");
}

TEST(nearest_name, is_none_if_no_name_is_similar) {
  constexpr std::array<std::string_view, 4> policies = {"nearest", "random", "round_robin", "mix"};
  for (const char* input : {"foo", "banana", "x", ""}) EXPECT_EQ(nearest_name(input, policies), "") << input;
  EXPECT_EQ(nearest_name("", types), "");
  EXPECT_EQ(nearest_name("core", {}), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'x'), types), "");
  EXPECT_EQ(or_nearest("foo", policies), "");
  constexpr std::array<std::string_view, 2> options = {"--size", "--seed"};
  EXPECT_EQ(nearest_name("--simulate", options), "") << "the dashes are alike in all options";
  EXPECT_EQ(nearest_name("--sed", options), "--seed");
  constexpr std::array<std::string_view, 2> workloads = {"is", "ep"};
  EXPECT_EQ(nearest_name("ls", workloads), "");
  EXPECT_EQ(or_nearest("rondom", policies), "; nearest: random");
}

TEST(or_nearest_number, is_allowed_and_near_to_the_number_that_is_meant) {
  const auto nearest = [](std::string_view text) { return or_nearest(text, -2, 4096); };
  EXPECT_EQ(nearest("5000"), "; nearest: 4096");
  EXPECT_EQ(nearest("-5"), "; nearest: -2");
  EXPECT_EQ(nearest("3x"), "; nearest: 3");
  EXPECT_EQ(nearest(" 1.5"), "; nearest: 1");
  EXPECT_EQ(nearest("99999999999999999999"), "; nearest: 4096");
  EXPECT_EQ(nearest("  -99999999999999999999"), "; nearest: -2");
  EXPECT_EQ(nearest("1e3"), "; nearest: 1000");
  EXPECT_EQ(nearest("1e300"), "; nearest: 4096");
  EXPECT_EQ(nearest("-2.5e9"), "; nearest: -2");
  for (const char* text : {"", "  ", "many", "-", "x3"}) EXPECT_EQ(nearest(text), "") << text;
}

TEST(or_nearest_number, is_none_if_only_the_letters_are_near) {
  for (const char* text : {"1G", "4k", "2KiB", "1,000", "1 000", "0x10", "2-4", "3 workers", "1G0"})
    EXPECT_EQ(or_nearest(text, 1, 4096), "") << text;
}

TEST(list_of_names, reads_like_a_sentence) {
  EXPECT_EQ(list_of_names(types), "package, numa, core, pu or mergesort");
  EXPECT_EQ(list_of_names(std::span(types).first(1)), "package");
  EXPECT_EQ(list_of_names({}), "");
}

TEST(number_list, shortens_runs_of_equal_steps) {
  const auto list = [](std::vector<std::uint32_t> numbers) { return number_list(numbers); };
  EXPECT_EQ(list({}), "");
  EXPECT_EQ(list({7}), "7");
  EXPECT_EQ(list({0, 1}), "0,1");
  EXPECT_EQ(list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(list({0, 4, 8, 12}), "0,4..12");
  EXPECT_EQ(list({0, 4, 8}), "0,4,8");
  EXPECT_EQ(list({0, 1, 2, 192, 193, 194}), "0-2,192-194");
  EXPECT_EQ(list({3, 2, 1}), "3,2,1");
  EXPECT_EQ(list({0, 2, 4, 6, 7, 8}), "0,2..6,7,8");
  EXPECT_EQ(list({5, 5, 5}), "5,5,5");
}

}  // namespace
}  // namespace skua::base::nearest_name_test
