// Which calls of a row are measured in a report.
#include <gtest/gtest.h>

#include "core/record/call_row.hpp"

namespace skua::core {
namespace {
namespace measured_calls_test {

const void* place(std::uintptr_t n) { return reinterpret_cast<const void*>(n); }

/// Makes short calls of a place; how many of them were measured.
int short_calls(measured_calls& chosen, int calls, const void* from, std::uint64_t looks) {
  int measured = 0;
  for (int i = 0; i < calls; ++i)
    if (chosen.is_to_measure(from, looks)) {
      ++measured;
      chosen.take_unmeasured();
      chosen.was_short(from, 100, looks);
    }
  return measured;
}

TEST(measured_calls, are_one_of_sixteen_after_the_first_sixteen) {
  measured_calls chosen;
  EXPECT_EQ(short_calls(chosen, 16, place(1), 0), 16);
  EXPECT_EQ(short_calls(chosen, 800, place(1), 0), 50);
}

TEST(measured_calls, are_all_after_a_long_one) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  chosen.was_long();
  EXPECT_EQ(short_calls(chosen, 16, place(1), 0), 16);
}

TEST(measured_calls, are_one_of_sixteen_soon_after_one_that_was_stolen_from) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  chosen.was_stolen_from(1);
  EXPECT_EQ(short_calls(chosen, 16, place(1), 1), 1);
}

TEST(measured_calls, are_all_of_another_place) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  EXPECT_EQ(short_calls(chosen, 16, place(2), 0), 16);
}

TEST(measured_calls, include_the_first_after_a_look) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  EXPECT_FALSE(chosen.is_to_measure(place(1), 0));
  EXPECT_FALSE(chosen.looked_at_since(0));
  EXPECT_TRUE(chosen.looked_at_since(1));
  EXPECT_TRUE(chosen.is_to_measure(place(1), 1));
}

TEST(measured_calls, are_many_more_after_an_uncertain_time) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  chosen.was_uncertain();
  chosen.was_long();
  EXPECT_EQ(short_calls(chosen, 256, place(1), 0), 256);
  EXPECT_EQ(short_calls(chosen, 16, place(1), 0), 1);
}

TEST(measured_calls, are_as_few_as_before_after_many_certain_ones) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  chosen.was_uncertain();
  chosen.was_long();
  EXPECT_EQ(short_calls(chosen, 1024, place(1), 0), 256 + (1024 - 256) / 16);
  chosen.was_long();
  EXPECT_EQ(short_calls(chosen, 256, place(1), 0), 256);
  short_calls(chosen, 16 * 1024, place(1), 0);
  chosen.was_long();
  EXPECT_EQ(short_calls(chosen, 16 + 16, place(1), 0), 16 + 1);
}

TEST(measured_calls, are_all_of_unknown_places) {
  measured_calls chosen;
  EXPECT_EQ(short_calls(chosen, 100, nullptr, 0), 100);
}

TEST(measured_calls, stand_for_those_between_them) {
  measured_calls chosen;
  short_calls(chosen, 16, place(1), 0);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(chosen.is_to_measure(place(1), 0));
  EXPECT_EQ(chosen.unmeasured(), 5u);
  EXPECT_EQ(chosen.unmeasured_ticks(), 500u);
  EXPECT_EQ(chosen.take_unmeasured(), 5u);
  EXPECT_EQ(chosen.unmeasured(), 0u);
}

}  // namespace measured_calls_test
}  // namespace
}  // namespace skua::core
