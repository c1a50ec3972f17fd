// What is kept of events and names where there is no room for all. tests/model/event_log_test.cpp reads a log while it is
// written.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <skua/detail/atomics.hpp>

#include "observe/event_log.hpp"

namespace skua::observe {
namespace {

/// There is none until somebody makes some.
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

TEST(EventLog, AfterTheFirstLostOneAllAreLost) {
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
    EXPECT_EQ(room.left, 4u) << "not more than it may keep";
    EXPECT_EQ(log.size(), 6u);
  }
  EXPECT_EQ(room.left, 10u);
}

TEST(EventLog, TakesWhatIsLeft) {
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

}  // namespace
}  // namespace skua::observe
