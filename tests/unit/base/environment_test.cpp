// The allowed values of environment variables.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/number_text.hpp"

namespace skua::base::environment_test {
namespace {

TEST(byte_number, reads_units_of_1024) {
  EXPECT_EQ(byte_number("0"), 0);
  EXPECT_EQ(byte_number("65536"), 65536);
  EXPECT_EQ(byte_number("512B"), 512);
  for (const char* text : {"64k", "64K", "64KB", "64kb", "64KiB", "64 KiB", "64Ki", "64ki"})
    EXPECT_EQ(byte_number(text), 65536) << text;
  EXPECT_EQ(byte_number("8M"), 8 << 20);
  EXPECT_EQ(byte_number("8Mi"), 8 << 20);
  EXPECT_EQ(byte_number("1Gi"), 1 << 30);
  EXPECT_EQ(byte_number("1GiB"), 1 << 30);
  EXPECT_EQ(byte_number("2T"), std::int64_t{2} << 40);
}

TEST(byte_number, refuses_other_texts) {
  for (const char* text : {"", " ", "k", "-1", "8X", "8Mx", "8Mii", "8MX", "8  M", "1.5M", "1BB", "1iB", "1i",
                           "99999999999999999999", "9999999999G"})
    EXPECT_EQ(byte_number(text), std::nullopt) << text;
}

/// Reads a variable with this value. Returns "yes", "no", or the message with which the value is refused.
std::string answer(const char* text) {
  setenv("SKUA_TEST_VARIABLE", text, 1);
  try {
    return is_on("SKUA_TEST_VARIABLE", true) ? "yes" : "no";
  } catch (const bad_input& e) {
    return e.what();
  }
}

TEST(environment, knows_on_and_off) {
  for (const char* text : {"1", "on", "yes", "true", "ON", "True", ""})
    EXPECT_EQ(answer(text), "yes") << text;
  for (const char* text : {"0", "off", "no", "false", "No", "FALSE"}) EXPECT_EQ(answer(text), "no") << text;
  EXPECT_EQ(answer("2"), "SKUA_TEST_VARIABLE is '2'; allowed: 0, 1, off, on, no, yes, false or true");
  EXPECT_EQ(answer("never"), "SKUA_TEST_VARIABLE is 'never'; allowed: 0, 1, off, on, no, yes, false or true");
}

TEST(environment, numbers_of_bytes_have_units) {
  const auto bytes = [](const char* text) -> std::string {
    setenv("SKUA_TEST_VARIABLE", text, 1);
    try {
      return std::to_string(bytes_from("SKUA_TEST_VARIABLE", 16384, 1 << 30, 1 << 20));
    } catch (const bad_input& e) {
      return e.what();
    }
  };
  const std::string allowed = "allowed: 16384 to 1073741824 bytes, also in units as in 64k, 8M or 1G";
  EXPECT_EQ(bytes("8M"), "8388608");
  EXPECT_EQ(bytes(""), "1048576");
  EXPECT_EQ(bytes("2G"), "SKUA_TEST_VARIABLE is '2G'; " + allowed + "; nearest: 1073741824");
  EXPECT_EQ(bytes("1"), "SKUA_TEST_VARIABLE is '1'; " + allowed + "; nearest: 16384");
  for (const char* text : {"-1", "-8M", "-99999999999999999999"})
    EXPECT_EQ(bytes(text),
              "SKUA_TEST_VARIABLE is '" + std::string(text) + "'; " + allowed + "; nearest: 16384");
  for (const char* text : {"99999999999999999999", "9999999999G"})
    EXPECT_EQ(bytes(text),
              "SKUA_TEST_VARIABLE is '" + std::string(text) + "'; " + allowed + "; nearest: 1073741824");
  EXPECT_EQ(bytes("1Q"), "SKUA_TEST_VARIABLE is '1Q'; " + allowed);
  EXPECT_EQ(bytes("-"), "SKUA_TEST_VARIABLE is '-'; " + allowed);
  EXPECT_EQ(bytes("huge"), "SKUA_TEST_VARIABLE is 'huge'; " + allowed);
}

TEST(environment, a_refused_whole_number_has_a_nearest_one_only_if_the_text_begins_with_a_number) {
  const auto number = [](const char* text) -> std::string {
    setenv("SKUA_TEST_VARIABLE", text, 1);
    try {
      return std::to_string(number_from("SKUA_TEST_VARIABLE", 1, 4096, 2));
    } catch (const bad_input& e) {
      return e.what();
    }
  };
  const std::string allowed = "; allowed: a whole number from 1 to 4096";
  EXPECT_EQ(number("64"), "64");
  EXPECT_EQ(number(""), "2");
  EXPECT_EQ(number("abc"), "SKUA_TEST_VARIABLE is 'abc'" + allowed);
  EXPECT_EQ(number("64x"), "SKUA_TEST_VARIABLE is '64x'" + allowed + "; nearest: 64");
  EXPECT_EQ(number("5000"), "SKUA_TEST_VARIABLE is 5000; allowed: 1 to 4096; nearest: 4096");
}

}  // namespace
}  // namespace skua::base::environment_test
