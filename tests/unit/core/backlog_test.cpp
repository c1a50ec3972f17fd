// The backlog holds the group tasks for which a worker's queue has no room. The tests take tasks by age, by priority, and
// after gaps.
#include "core/queue/backlog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace skua::core {
namespace {

/// A backlog, and tasks for it. Task i has the priority `priority_of(i)`.
class backlog_of {
 public:
  backlog_of(order by, std::size_t tasks, std::int64_t (*priority_of)(std::size_t)) : tasks_(tasks) {
    backlog.take_by(by);
    for (std::size_t i = 0; i < tasks; ++i) {
      detail::fill_hinted(tasks_[i], priority{priority_of(i)}, [] {});
      tasks_[i].marks = detail::task::hinted | detail::task::counted;
    }
  }
  void add(std::size_t from, std::size_t to) {
    std::vector<detail::task*> some;
    for (; from < to; ++from) some.push_back(&tasks_[from]);
    EXPECT_EQ(backlog.add(some.data(), some.size()), some.size());
  }
  int number(const detail::task* t) const { return t ? static_cast<int>(t - tasks_.data()) : -1; }
  int oldest() {
    detail::task* one = nullptr;
    return backlog.take_oldest(&one, 1, [](const detail::task&) { return true; }) != 0 ? number(one) : -1;
  }
  int greatest() { return number(backlog.take_greatest()); }

  task_backlog backlog;

 private:
  std::vector<detail::task> tasks_;
};

std::int64_t none(std::size_t) { return 0; }
std::int64_t digit(std::size_t i) { return static_cast<std::int64_t>(i * 37 % 10); }

TEST(task_backlog, gives_from_both_ends) {
  backlog_of b(order::lifo, 10, none);
  b.add(0, 4);
  b.add(4, 10);
  EXPECT_EQ(b.oldest(), 0);
  detail::task* newest[3];
  ASSERT_EQ(b.backlog.take_newest(newest, 3), 3u);
  EXPECT_EQ(b.number(newest[0]), 7);
  EXPECT_EQ(b.number(newest[2]), 9);
  detail::task* several[4];
  ASSERT_EQ(b.backlog.take_oldest(several, 4, [](const detail::task&) { return true; }), 4u);
  EXPECT_EQ(b.number(several[0]), 1);
  EXPECT_EQ(b.number(several[3]), 4);
  EXPECT_EQ(b.backlog.size(), 2u);
  EXPECT_EQ(b.backlog.take_newest(newest, 3), 2u);
  EXPECT_EQ(b.oldest(), -1);
}

TEST(task_backlog, gives_the_oldest_only_if_it_is_accepted) {
  backlog_of b(order::lifo, 2, none);
  b.add(0, 2);
  detail::task* one = nullptr;
  EXPECT_EQ(b.backlog.take_oldest(&one, 1, [&](const detail::task& t) { return b.number(&t) == 1; }), 0u);
  EXPECT_EQ(b.backlog.size(), 2u);
}

TEST(task_backlog, gives_several_as_long_as_each_is_accepted) {
  backlog_of b(order::lifo, 6, none);
  b.add(0, 6);
  detail::task* several[6];
  const auto any = [](const detail::task&) { return true; };
  const auto all_but_3 = [&](const detail::task& t, std::size_t n) {
    EXPECT_EQ(b.number(&t), static_cast<int>(n)) << "the number of a task is its distance from the oldest";
    return b.number(&t) != 3;
  };
  EXPECT_EQ(b.backlog.take_oldest(several, 6, any, all_but_3), 3u);
  EXPECT_EQ(b.backlog.size(), 3u);
  EXPECT_EQ(b.oldest(), 3);
}

TEST(task_backlog, searches_in_the_owners_order) {
  for (const auto& [by, found] : {std::pair{order::lifo, 6}, {order::fifo, 2}, {order::priority, 4}}) {
    backlog_of b(by, 8, [](std::size_t i) { return std::int64_t{i == 3 ? 9 : i == 4 ? 8 : 1}; });
    b.add(0, 8);
    const auto even_but_0 = [&](const detail::task& t) { return b.number(&t) != 0 && b.number(&t) % 2 == 0; };
    EXPECT_EQ(b.number(b.backlog.take_first(by, {}, even_but_0)), found);
    EXPECT_EQ(b.backlog.size(), 7u);
    EXPECT_EQ(b.oldest(), by == order::fifo ? 4 : 0) << "the owner takes the oldest first, too";
  }
}

// While a thread waits for a group, it takes only tasks of that group.
TEST(task_backlog, looks_at_tasks_of_others_once) {
  for (const order by : {order::lifo, order::fifo, order::priority}) {
    constexpr std::size_t count = 10'000;
    backlog_of b(by, count, digit);
    b.add(0, count);
    std::size_t looks = 0;
    std::vector<int> found, wanted;
    const auto every_third = [&](const detail::task& t) { return ++looks, b.number(&t) % 3 == 0; };
    if (by == order::lifo) {
      detail::task* some[100];
      for (std::size_t n; (n = b.backlog.take_newest(some, 100, {}, every_third)) != 0;)
        while (n-- > 0) found.push_back(b.number(some[n]));
    } else {
      while (const detail::task* t = b.backlog.take_first(by, {}, every_third)) found.push_back(b.number(t));
    }
    for (std::size_t i = 0; i < count; i += 3) wanted.push_back(static_cast<int>(i));
    if (by == order::lifo) std::ranges::reverse(wanted);
    if (by == order::priority)
      std::ranges::stable_sort(wanted, [](int a, int c) {
        return digit(static_cast<std::size_t>(a)) > digit(static_cast<std::size_t>(c));
      });
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(b.backlog.size(), count - wanted.size());
    EXPECT_LT(looks, 4 * count);
  }
}

// A thread waits for a group of which the backlog has no task. It asks again and again, and thieves need the lock.
TEST(task_backlog, looks_only_at_newer_tasks_after_a_search_in_vain) {
  for (const order by : {order::lifo, order::fifo, order::priority}) {
    constexpr std::size_t count = 10'000;
    backlog_of b(by, count + 10, digit);
    b.add(0, count);
    std::size_t looks = 0;
    const auto take = [&](const search_key& key, int wanted) {
      const auto accept = [&](const detail::task& t) { return ++looks, b.number(&t) == wanted; };
      detail::task* one = nullptr;
      if (by != order::lifo) return b.number(b.backlog.take_first(by, key, accept));
      return b.backlog.take_newest(&one, 1, key, accept) != 0 ? b.number(one) : -1;
    };
    const search_key its{&b, 1}, other{&b, 2};
    for (int i = 0; i < 100; ++i) EXPECT_EQ(take(its, -2), -1);
    EXPECT_LT(looks, 2 * count);
    b.add(count, count + 10);
    EXPECT_EQ(take(its, count + 4), count + 4);
    looks = 0;
    EXPECT_EQ(take(its, -2), -1);
    EXPECT_EQ(take(other, -2), -1) << "of another group, so it looks at all";
    EXPECT_GT(looks, 2 * count);
  }
}

// The numbers of tasks that the owner has taken from the end are used again.
TEST(task_backlog, finds_a_task_in_the_place_of_one_that_was_searched) {
  backlog_of b(order::lifo, 30, none);
  b.add(0, 20);
  const auto is_25 = [&](const detail::task& t) { return b.number(&t) == 25; };
  detail::task* some[10];
  EXPECT_EQ(b.backlog.take_newest(some, 1, {}, is_25), 0u);
  ASSERT_EQ(b.backlog.take_newest(some, 10), 10u);
  b.add(20, 30);
  ASSERT_EQ(b.backlog.take_newest(some, 1, {}, is_25), 1u);
  EXPECT_EQ(b.number(some[0]), 25);
}

TEST(task_backlog, ranks_accepted_tasks_that_come_after_a_search) {
  backlog_of b(order::priority, 5, [](std::size_t i) { return std::int64_t{i == 0 ? 5 : i == 4 ? 10 : 1}; });
  b.add(0, 4);
  const auto all_but_0 = [&](const detail::task& t) { return b.number(&t) != 0; };
  EXPECT_EQ(b.number(b.backlog.take_first(order::priority, {}, all_but_0)), 1);
  b.add(4, 5);
  for (const int next : {4, 2, 3, -1})
    EXPECT_EQ(b.number(b.backlog.take_first(order::priority, {}, all_but_0)), next);
  EXPECT_EQ(b.greatest(), 0);
}

TEST(task_backlog, ranks_by_priority_alone_after_a_search) {
  backlog_of b(order::priority, 20, digit);
  b.add(0, 20);
  const auto odd = [&](const detail::task& t) { return b.number(&t) % 2 == 1; };
  EXPECT_EQ(b.number(b.backlog.take_first(order::priority, {}, odd)), 7) << "37 * 7 ends with 9";
  std::int64_t before = 9;
  for (int n; (n = b.greatest()) != -1; before = digit(static_cast<std::size_t>(n)))
    EXPECT_LE(digit(static_cast<std::size_t>(n)), before);
}

TEST(task_backlog, gives_the_greatest_priority_and_equals_by_age) {
  backlog_of b(order::priority, 100, digit);
  b.add(0, 100);
  EXPECT_EQ(b.oldest(), 0) << "a thief takes the oldest";
  std::int64_t before = 9;
  int last = -1, left = 99;
  for (int n; (n = b.greatest()) != -1; --left) {
    const std::int64_t its = digit(static_cast<std::size_t>(n));
    EXPECT_LE(its, before);
    EXPECT_TRUE(its != before || n > last);
    before = its;
    last = n;
  }
  EXPECT_EQ(left, 0);
}

// The backlog removes entries of taken tasks from time to time. No task may be taken twice or lost by this.
TEST(task_backlog, gives_each_task_once_for_any_order_of_calls) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (const order by : {order::lifo, order::fifo, order::priority}) {
    // A search takes longer the more tasks there are.
    constexpr std::size_t count = under_sanitizer ? 10'000 : 20'000;
    backlog_of b(by, count, digit);
    std::vector<int> taken(count);
    std::array<int, 16> queued{};  // by their numbers modulo 16
    std::size_t added = 0, left = 0;
    const auto took = [&](int n) {
      if (n < 0) return;
      ++taken[static_cast<std::size_t>(n)];
      --queued[static_cast<std::size_t>(n) % 16];
      --left;
    };
    while (added < count || left != 0) {
      const std::size_t more = std::min<std::size_t>(random() % 3000, count - added);
      b.add(added, added + more);
      for (const std::size_t end = added + more; added < end; ++added) ++queued[added % 16];
      left += more;
      for (unsigned k = random() % 3000; k-- > 0;) {
        const unsigned which = random() % 3;
        detail::task* newest = nullptr;
        if (which == 0) {
          took(b.oldest());
        } else if (which == 1) {
          const unsigned digits = random() % 2;  // rare ones, so that some searches are in vain
          const auto fits = [&](const detail::task& t) {
            return static_cast<unsigned>(b.number(&t)) % 16 == digits;
          };
          const detail::task* const t = b.backlog.take_first(by, {nullptr, digits}, fits);
          ASSERT_EQ(t != nullptr, queued[digits] != 0);
          took(b.number(t));
        } else if (by == order::priority) {
          took(b.greatest());
        } else if (b.backlog.take_newest(&newest, 1) != 0) {
          took(b.number(newest));
        }
        ASSERT_EQ(b.backlog.size(), left);
      }
    }
    for (const int times : taken) ASSERT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace skua::core
