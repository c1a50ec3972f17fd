// Each event that is written to a trace's log must be read unchanged, whatever its size in the log.
#include "observe/trace_log.hpp"

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <skua/detail/atomics.hpp>

namespace skua::observe::trace_log_test {
namespace {

using log = trace_log<detail::host_atomics>;
using row = std::vector<std::tuple<std::uint64_t, std::uint64_t, trace_kind>>;

row read(const log& from) {
  row all;
  from.read([&](const trace_event& e) { all.emplace_back(e.ticks, e.name, e.kind); });
  return all;
}

TEST(TraceLog, EventsAreReadUnchanged) {
  constexpr std::uint64_t since = 0xfff0'1234'5678'9abc;  // near the clock's maximum
  const std::uint64_t names[] = {0, 1, 2, 0x7fff'ffff'f000, (std::uint64_t{1} << 56) - 1};
  std::mt19937_64 random(7);
  log some(100'000, since);
  row added;
  for (int i = 0; i < 20'000; ++i) {
    const auto kind = static_cast<trace_kind>(random() % 8);
    const std::uint64_t ticks = since + random() % (std::uint64_t{1} << 54) - 5000;
    const std::uint64_t name = kind == trace_kind::end ? 0 : names[random() % 5];
    some.add({ticks, name, kind});
    added.emplace_back(ticks, name, kind);
  }
  EXPECT_EQ(read(some), added);
  EXPECT_EQ(some.lost(), 0u);
}

TEST(TraceLog, AnEventTakesOneWordAndTwoMoreForANewNameOrALongPause) {
  log some(1000, 0);
  some.add({1, 77, trace_kind::task});
  EXPECT_EQ(some.words(), 3u);
  some.add({2, 77, trace_kind::next});
  some.add({3, 0, trace_kind::end});
  some.add({3 + (1 << 28) - 1, 77, trace_kind::task});
  EXPECT_EQ(some.words(), 6u);
  some.add({3 + (2 << 28) - 1, 0, trace_kind::end});
  EXPECT_EQ(some.words(), 9u);
  some.add({2, 77, trace_kind::task});  // on a CPU whose clock is behind
  EXPECT_EQ(some.words(), 12u);
  const row all = read(some);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[3], (std::tuple{std::uint64_t{3 + (1 << 28) - 1}, 77, trace_kind::task}));
  EXPECT_EQ(all[4], (std::tuple{std::uint64_t{3 + (2 << 28) - 1}, 0, trace_kind::end}));
  EXPECT_EQ(all[5], (std::tuple{std::uint64_t{2}, 77, trace_kind::task}));
}

TEST(TraceLog, EventsOfConsecutiveTimesAreReadUnchanged) {
  std::mt19937_64 random(8);
  log some(100'000, 1'000'000);
  row added;
  std::uint64_t now = 1'000'000 - 5000;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t steps[] = {
        0, 1, 700, (1 << 28) - 1, 1 << 28, std::uint64_t{1} << 40, ~std::uint64_t{99}};
    now += steps[random() % 7];
    const std::uint64_t name = 7 + random() % 2;
    some.add({now, name, trace_kind::next});
    added.emplace_back(now, name, trace_kind::next);
  }
  EXPECT_EQ(read(some), added);
  EXPECT_EQ(some.lost(), 0u);
}

// The event counts as lost once, even if its name or its time still had room.
TEST(TraceLog, AnEventIsLostOnce) {
  for (std::size_t words = 0; words < 12; ++words) {
    log some(words, 0);
    for (std::uint64_t i = 1; i <= 4; ++i) some.add({i, i, trace_kind::span});
    const row kept = read(some);
    ASSERT_EQ(kept.size(), words / 3);
    for (std::size_t i = 0; i < kept.size(); ++i)
      EXPECT_EQ(kept[i], (std::tuple{i + 1, i + 1, trace_kind::span}));
    EXPECT_EQ(some.lost(), 4 - words / 3) << words;
  }
  for (std::size_t words = 0; words < 20; ++words) {
    log some(words, 0);
    for (std::uint64_t i = 1; i <= 4; ++i) some.add({i << 32, i, trace_kind::span});
    EXPECT_EQ(read(some).size(), words / 5);
    EXPECT_EQ(some.lost(), 4 - std::min<std::size_t>(words / 5, 4)) << words;
  }
}

}  // namespace
}  // namespace skua::observe::trace_log_test
