// Each event that is written to a trace's log must be read unchanged, whatever its size in the log.
#include "observe/trace_log.hpp"

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

TEST(TraceLog, AnEventWithTheSameNameAsTheLastOneIsOneWord) {
  log some(1000, 0);
  some.add({1, 77, trace_kind::task});
  EXPECT_EQ(some.words(), 2u);
  some.add({2, 77, trace_kind::next});
  some.add({3, 0, trace_kind::end});
  some.add({4, 77, trace_kind::task});
  EXPECT_EQ(some.words(), 5u);
}

// The event counts as lost once, even if its name still had room.
TEST(TraceLog, AnEventIsLostOnce) {
  for (std::size_t words = 0; words < 8; ++words) {
    log some(words, 0);
    for (std::uint64_t i = 1; i <= 4; ++i) some.add({i, i, trace_kind::span});
    const row kept = read(some);
    ASSERT_EQ(kept.size(), words / 2);
    for (std::size_t i = 0; i < kept.size(); ++i)
      EXPECT_EQ(kept[i], (std::tuple{i + 1, i + 1, trace_kind::span}));
    EXPECT_EQ(some.lost(), 4 - words / 2) << words;
  }
}

}  // namespace
}  // namespace skua::observe::trace_log_test
