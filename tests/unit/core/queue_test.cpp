// The split queue. One thread is both owner and thief, and the test checks the state after each operation.
#include "core/queue/queue_operations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/platform/platform.hpp"

namespace queue_test {
namespace {

using namespace skua::core;
using platform = host_platform;
using queue = queue_of<platform>;
using slot = slot_of<platform>;

constexpr std::uint16_t capacity = 8;

struct records {
  std::vector<std::ptrdiff_t> published;
  slot* base;
  bool interrupt(slot*) { return false; }
  void resume(slot*) {}
  void publish(slot* s) { published.push_back(s - base); }
  bool before_force() { return true; }
};

class split_queue : public testing::Test {
 protected:
  split_queue() { initialise<platform>(q, slots, capacity); }

  /// Pushes record `n`, whose frame is n. Returns true if the slow path is needed.
  bool push(std::uintptr_t n) {
    return q.push(q.top.load(), reinterpret_cast<void*>(n), reinterpret_cast<void*>(n));
  }
  bool pop() { return q.pop(q.top.load() - 1); }
  std::vector<std::ptrdiff_t> publish() {
    records r{{}, slots};
    publish_all<platform>(q, r);
    return r.published;
  }
  std::vector<std::uintptr_t> steal(std::size_t max = 1) {
    claimed out[capacity];
    const std::size_t n = claim<platform>(q, out, max, [](void*, std::uint16_t) { return true; });
    std::vector<std::uintptr_t> frames;
    for (std::size_t i = 0; i < n; ++i) frames.push_back(reinterpret_cast<std::uintptr_t>(out[i].frame));
    return frames;
  }
  std::ptrdiff_t split() const { return q.split.load() - slots; }
  std::ptrdiff_t top() const { return q.top.load() - slots; }

  slot slots[capacity + 1] = {};
  queue q;
};

using frames = std::vector<std::uintptr_t>;
using places = std::vector<std::ptrdiff_t>;

TEST_F(split_queue, keeps_private_records_from_thieves) {
  EXPECT_FALSE(push(1));
  EXPECT_FALSE(push(2));
  EXPECT_EQ(load_of<platform>(q), 2u);
  EXPECT_FALSE(has_public<platform>(q));
  EXPECT_EQ(steal(), frames{});
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop());
  EXPECT_EQ(load_of<platform>(q), 0u);
  EXPECT_EQ(q.pushes, 2u);
}

TEST_F(split_queue, gives_the_oldest_public_record_first) {
  for (std::uintptr_t i = 1; i <= 4; ++i) push(i);
  EXPECT_EQ(publish(), (places{0, 1, 2, 3}));
  push(5);
  EXPECT_EQ(publish(), (places{4})) << "only new records are published";
  EXPECT_EQ(steal(), frames{1});
  EXPECT_EQ(steal(), frames{2});
  EXPECT_EQ(load_of<platform>(q), 3u);
}

TEST_F(split_queue, gives_half_of_the_public_part_rounded_up) {
  for (std::uintptr_t i = 1; i <= 5; ++i) push(i);
  publish();
  push(6);  // a private record does not count
  EXPECT_EQ(steal(100), (frames{1, 2, 3}));
  EXPECT_EQ(steal(100), frames{4});
  EXPECT_EQ(steal(100), frames{5});
  EXPECT_EQ(steal(100), frames{});
}

TEST_F(split_queue, does_not_move_records_that_the_thief_refuses) {
  push(1), push(2);
  publish();
  const auto before = q.range.load();
  claimed out;
  EXPECT_EQ(claim<platform>(q, &out, 1,
                            [](void* frame, std::uint16_t index) {
                              EXPECT_EQ(frame, reinterpret_cast<void*>(1));
                              EXPECT_EQ(index, 0);
                              return false;
                            }),
            0u);
  EXPECT_EQ(q.range.load(), before);
}

TEST_F(split_queue, gives_public_records_back_to_their_owner) {
  for (std::uintptr_t i = 1; i <= 3; ++i) push(i);
  publish();
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots + 2, stay_public::all));
  EXPECT_EQ(split(), 2) << "the older records stay public";
  EXPECT_EQ(steal(), frames{1});
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots + 1, stay_public::none));
  EXPECT_FALSE(has_public<platform>(q));
  EXPECT_EQ(top(), 1);
}

TEST_F(split_queue, takes_all_records_back_when_no_worker_is_idle) {
  for (std::uintptr_t i = 1; i <= 3; ++i) push(i);
  publish();
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots + 2, stay_public::none));
  EXPECT_EQ(split(), 0);
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop());
}

TEST_F(split_queue, leaves_the_older_half_to_thieves) {
  for (std::uintptr_t i = 1; i <= 5; ++i) push(i);
  publish();
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots + 4, stay_public::half));
  EXPECT_EQ(split(), 2);
  EXPECT_TRUE(pop());
  EXPECT_TRUE(pop());
  EXPECT_EQ(steal(), frames{1});
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots + 1, stay_public::half));
  EXPECT_FALSE(has_public<platform>(q));
  EXPECT_EQ(top(), 1);
}

TEST_F(split_queue, knows_whether_thieves_find_half_of_it) {
  EXPECT_TRUE(half_is_public<platform>(q)) << "of nothing";
  push(1);
  EXPECT_FALSE(half_is_public<platform>(q));
  publish();
  push(2);
  EXPECT_TRUE(half_is_public<platform>(q));
  push(3);
  EXPECT_FALSE(half_is_public<platform>(q));
  publish();
  EXPECT_EQ(steal(), frames{1});
  push(4), push(5);
  EXPECT_TRUE(half_is_public<platform>(q)) << "two of four";
}

TEST_F(split_queue, reports_a_stolen_record_to_the_owner_until_it_is_retired) {
  push(1);
  publish();
  EXPECT_EQ(steal(), frames{1});
  EXPECT_FALSE(pop());
  EXPECT_FALSE(reclaim<platform>(q, slots, stay_public::all));
  EXPECT_EQ(top(), 1) << "the slot stays taken while its thief runs";
  push(2);  // the owner forks while it waits
  EXPECT_TRUE(pop());
  retire<platform>(q, slots);
  EXPECT_EQ(top(), 0);
  EXPECT_EQ(split(), 0);
  EXPECT_FALSE(push(3));
  EXPECT_TRUE(pop());
}

TEST_F(split_queue, force_takes_private_records) {
  for (std::uintptr_t i = 1; i <= 3; ++i) push(i);
  records r{{}, slots};
  EXPECT_TRUE(force_publish<platform>(q, r));
  EXPECT_EQ(r.published, (places{0, 1, 2}));
  EXPECT_EQ(split(), 3);
  EXPECT_FALSE(pop()) << "the owner must take the guard now";
  EXPECT_TRUE(reclaim<platform>(q, slots + 2, stay_public::all));
  EXPECT_EQ(steal(), frames{1});
  initialise<platform>(q, slots, capacity);
  EXPECT_FALSE(force_publish<platform>(q, r)) << "the queue is empty";
}

TEST_F(split_queue, a_request_sends_the_next_push_into_the_slow_path_once) {
  request<platform>(q);
  EXPECT_TRUE(push(1));
  rearm<platform>(q);
  EXPECT_FALSE(push(2));
}

TEST_F(split_queue, reports_that_it_is_full) {
  for (std::uintptr_t i = 1; i <= capacity; ++i) EXPECT_FALSE(push(i));
  EXPECT_TRUE(push(99));
  EXPECT_EQ(publish(), (places{0, 1, 2, 3, 4, 5, 6, 7}))
      << "the record for which there is no slot is never published";
  EXPECT_TRUE(pop());
  EXPECT_EQ(top(), capacity);
}

TEST_F(split_queue, gathers_accepted_records_at_an_end) {
  const auto even = [](void* frame) { return reinterpret_cast<std::uintptr_t>(frame) % 2 == 0; };
  const auto all = [&] {
    publish();
    frames found;
    for (frames one; !(one = steal()).empty();) found.push_back(one[0]);
    return found;
  };
  const auto push_to = [&](std::uintptr_t n) {
    retire<platform>(q, q.first_slot);
    for (std::uintptr_t i = 1; i <= n; ++i) push(i);
    publish();
    EXPECT_EQ(steal(), frames{1});
  };
  push_to(6);
  EXPECT_EQ((gather<queue_end::newest, platform>(q, even)), 3u);
  EXPECT_FALSE(has_public<platform>(q)) << "all records are private again";
  EXPECT_EQ(load_of<platform>(q), 5u);
  EXPECT_EQ(all(), (frames{3, 5, 2, 4, 6}));
  push_to(6);
  EXPECT_EQ((gather<queue_end::oldest, platform>(q, even)), 3u);
  EXPECT_EQ(all(), (frames{2, 4, 6, 3, 5}));
  push_to(4);
  EXPECT_EQ((gather<queue_end::newest, platform>(q, [](void*) { return false; })), 0u);
  EXPECT_EQ(all(), (frames{2, 3, 4}));
}

// The cost of a task does not depend on how many other tasks lie in the queue.
TEST(gathering, looks_at_a_record_few_times) {
  constexpr std::uint16_t length = 16'000;
  std::vector<slot> slots(length + 1);
  queue q;
  initialise<platform>(q, slots.data(), length);
  for (std::uintptr_t i = 1; i <= length; ++i)
    q.push(q.top.load(), reinterpret_cast<void*>(i), reinterpret_cast<void*>(i));
  std::size_t looks = 0, found = 0;
  for (std::size_t n; (n = gather<queue_end::newest, platform>(q, [&](void* frame) {
                         return ++looks, reinterpret_cast<std::uintptr_t>(frame) <= length / 2;
                       })) != 0;) {
    for (; n-- > 0; ++found) q.pop(q.top.load() - 1);
  }
  EXPECT_EQ(found, length / 2u);
  EXPECT_LT(looks / length, 20u);
}

TEST_F(split_queue, makes_room_at_the_oldest_end) {
  const auto none = [](const slot*, const slot*) { return 0; };
  for (std::uintptr_t i = 1; i <= capacity; ++i) push(i);
  EXPECT_FALSE(make_room<platform>(q, 1, none)) << "no record was moved out";
  EXPECT_EQ(load_of<platform>(q), capacity);
  publish();
  EXPECT_EQ(steal(), frames{1});
  EXPECT_EQ(steal(), frames{2});
  EXPECT_TRUE(make_room<platform>(q, capacity, none)) << "thieves have made room";
  EXPECT_EQ(load_of<platform>(q), capacity - 2u);
  EXPECT_FALSE(has_public<platform>(q));
  EXPECT_FALSE(push(9));
  publish();
  EXPECT_EQ(steal(), frames{3});
}

TEST_F(split_queue, moves_out_all_but_the_newest_records) {
  for (std::uintptr_t i = 1; i <= capacity; ++i) push(i);
  publish();
  EXPECT_EQ(steal(), frames{1});
  frames moved_out;
  EXPECT_TRUE(make_room<platform>(q, 3, [&](const slot* from, const slot* to) {
    for (; from != to; ++from)
      moved_out.push_back(reinterpret_cast<std::uintptr_t>(from->frame.load(std::memory_order_relaxed)));
    return static_cast<std::ptrdiff_t>(moved_out.size());
  }));
  ASSERT_EQ(moved_out.size(), capacity - 4u);
  EXPECT_EQ(moved_out.front(), 2u);
  EXPECT_EQ(load_of<platform>(q), 3u);
  publish();
  EXPECT_EQ(steal(), frames{capacity - 2u});
}

TEST_F(split_queue, every_change_by_the_owner_bumps_the_version) {
  push(1);
  const auto version = [&] { return skua::detail::public_range::unpack(q.range.load()).version; };
  const auto before = version();
  publish();
  const auto published = version();
  EXPECT_GT(published, before);
  EXPECT_FALSE(pop());
  EXPECT_TRUE(reclaim<platform>(q, slots, stay_public::all));
  EXPECT_GT(version(), published);
}

// If a worker is idle from time to time, the owner must not publish a whole long queue again each time.
class long_split_queue : public testing::TestWithParam<stay_public> {};
INSTANTIATE_TEST_SUITE_P(split_queue, long_split_queue,
                         testing::Values(stay_public::none, stay_public::half));

TEST_P(long_split_queue, is_taken_back_in_pieces) {
  constexpr std::uint16_t length = 1000;
  std::vector<slot> slots(length + 1);
  queue q;
  initialise<platform>(q, slots.data(), length);
  for (std::uintptr_t i = 0; i < length; ++i) q.push(q.top.load(), nullptr, reinterpret_cast<void*>(i + 1));
  records all{{}, slots.data()};
  publish_all<platform>(q, all);
  EXPECT_EQ(all.published.size(), length);
  slot* const newest = q.top.load() - 1;
  EXPECT_FALSE(q.pop(newest));
  EXPECT_TRUE(reclaim<platform>(q, newest, GetParam()));
  EXPECT_EQ(q.split.load() - slots.data(), length - 1 - max_taken_back);
  for (int i = 0; i < max_taken_back; ++i)
    EXPECT_TRUE(q.pop(q.top.load() - 1)) << "the record is private again";
  EXPECT_FALSE(q.pop(q.top.load() - 1));
  EXPECT_TRUE(reclaim<platform>(q, q.top.load(), GetParam()));
  records again{{}, slots.data()};
  publish_all<platform>(q, again);
  EXPECT_EQ(again.published.size(), max_taken_back);
}

}  // namespace
}  // namespace queue_test
