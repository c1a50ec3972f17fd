// Which events and names are kept if there is not enough room for all. tests/model/event_log_test.cpp reads a log while
// another thread writes it.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "core/record/tracer.hpp"
#include "observe/event_log.hpp"

constexpr std::size_t large = 1'000'000;
static std::atomic<int> large_ones{0};

void* operator new(std::size_t size) {
  if (size >= large) ++large_ones;
  if (void* const p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// All forms use malloc, because AddressSanitizer compares them. They are not inline, or gcc would report a mismatch of new
// and free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace skua::observe::lost_events_test {
namespace {

/// There is no room until a test sets `left`.
class scarce_room final : public event_room {
 public:
  std::size_t take(std::size_t events) noexcept override {
    const std::size_t taken = std::min(events, left);
    left -= taken;
    return taken;
  }
  void give_back(std::size_t events) noexcept override { left += events; }
  std::size_t left = 0;
};

using log_of_four = event_log<detail::host_atomics, int, 4>;

std::vector<int> read(const log_of_four& log) {
  std::vector<int> all;
  log.read([&](int event) { all.push_back(event); });
  return all;
}

TEST(EventLog, AllEventsAfterTheFirstLostOneAreLost) {
  scarce_room room;
  room.left = 4;
  log_of_four log(100, &room);
  for (int i = 0; i < 5; ++i) log.add(i);
  EXPECT_TRUE(log.full());
  room.left = 1000;
  for (int i = 5; i < 8; ++i) log.add(i);
  EXPECT_EQ(read(log), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(log.lost(), 4u);
}

TEST(EventLog, TakesRoomAsItGrowsAndGivesAllBack) {
  scarce_room room;
  room.left = 10;
  {
    log_of_four log(6, &room);
    EXPECT_EQ(room.left, 10u);
    log.add(0);
    EXPECT_EQ(room.left, 6u);
    for (int i = 1; i < 10; ++i) log.add(i);
    EXPECT_EQ(room.left, 4u) << "the log takes no more room than its limit";
    EXPECT_EQ(log.size(), 6u);
  }
  EXPECT_EQ(room.left, 10u);
}

TEST(EventLog, TakesTheRoomThatIsLeft) {
  scarce_room room;
  room.left = 7;
  log_of_four one(100, &room), other(100, &room);
  for (int i = 0; i < 5; ++i) one.add(i);
  other.add(0);
  EXPECT_EQ(one.size(), 5u);
  EXPECT_EQ(other.lost(), 1u);
  for (int i = 5; i < 10; ++i) one.add(i);
  EXPECT_EQ(read(one), (std::vector{0, 1, 2, 3, 4, 5, 6}));
}

// The event must be lost once, whether the room ends before its name or after it.
TEST(TraceLog, AnEventThatFindsNoRoomIsLostOnce) {
  for (const std::size_t words : {0, 1, 2, 3, 4, 5, 6, 7}) {
    scarce_room room;
    room.left = words;
    core::trace_log log(100, 0, &room);
    for (std::uint64_t i = 1; i <= 4; ++i) log.add({i, i, trace_kind::task});
    EXPECT_EQ(log.lost(), 4 - words / 3) << words;
  }
}

/// An event that takes one word: it has no name and follows closely.
observe::trace_event event_now() { return {.ticks = core::host_platform::ticks()}; }

void fill(core::trace_log& log) {
  while (log.lost() == 0) log.add(event_now());
}

TEST(Tracer, AllTracersOfAProcessShareTheRoom) {
  auto first = std::make_unique<core::tracer>(1, 5000);
  fill(first->log(0));
  EXPECT_EQ(first->kept(), 5000u);
  EXPECT_EQ(first->lost(), 1u);
  core::tracer second(1, 7000);
  fill(second.log(0));
  EXPECT_EQ(second.kept(), 2000u);
  first.reset();
  core::tracer third(1, 5000);
  third.log(0).add(event_now());
  EXPECT_EQ(third.kept(), 1u);
}

TEST(Tracer, EventsOfEndedSchedulersTakeRoom) {
  core::trace_room::keep(5000);
  core::tracer later(1, 5000);
  fill(later.log(0));
  EXPECT_EQ(later.kept(), 0u);
  core::trace_room(0).give_back(5000);
}

TEST(Tracer, EachOfManyWorkersHasSomeRoom) {
  core::tracer many(50, 1000);
  for (std::size_t w = 0; w < 50; ++w) many.log(w).add(event_now());
  EXPECT_EQ(many.kept(), 50u);
}

TEST(Tracer, AfterManyNamesAllFurtherOnesShareOne) {
  core::tracer some(1, 1000);
  for (int i = 0; i < 70'000; ++i) some.name_of_trace_span("step " + std::to_string(i));
  EXPECT_EQ(some.name_of_trace_span("step 69000"), some.name_of_trace_span("step 70001"));
  const std::vector<std::string> names = some.spans();
  EXPECT_LT(names.size(), 66'000u);
  EXPECT_EQ(names[some.name_of_trace_span("step 5")], "step 5");
  EXPECT_EQ(names[some.name_of_trace_span("step 69000")], "(further names)");
}

TEST(Tracer, NamesThatAreNeverDrawnAreNotKept) {
  setenv("SKUA_TRACE_EVENTS", "1000", 1);
  skua::scheduler pool({.workers = 1, .keep_trace = true});
  unsetenv("SKUA_TRACE_EVENTS");
  const std::string first(large, '1'), second(large, '2');
  const int before = large_ones;
  pool.run([&] {
    const skua::trace_span drawn(first);
    EXPECT_GT(large_ones, before);
    for (int i = 0; i < 1000; ++i) const skua::trace_span filling("");
    const int kept = large_ones;
    const skua::trace_span lost(second);
    EXPECT_EQ(large_ones, kept);
  });
}

}  // namespace
}  // namespace skua::observe::lost_events_test
