// Records that move from one queue to another are in neither queue for a moment. A worker that falls asleep in that moment
// is woken when they are in the new queue, even if the owner of the new queue begins a task that never forks.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "tests/support/until.hpp"

namespace moved_records_test {
namespace {

using namespace std::chrono_literals;

struct moment {
  static inline std::atomic<bool> may_take{false}, has_two{false};
};

// Takes two tasks and returns one. Between the two steps the other workers find nothing and fall asleep. The deques of this
// policy hold no private records.
struct takes_two : skua::steal_policy {
  skua::queue_kind queue() const override { return skua::queue_kind::chase_lev; }
  skua::stolen acquire(skua::thief& t) override {
    skua::stolen first = take_any(t);
    if (!first || !moment::may_take || !take_any(t)) return first;
    moment::has_two = true;
    std::this_thread::sleep_for(50ms);
    return first;
  }
  static skua::stolen take_any(skua::thief& t) {
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim)) return task;
    return {};
  }
};
SKUA_POLICY(takes_two, "test_takes_two", "takes two tasks at a time, slowly");

// Worker A forks two tasks while workers B and C run a task each. When B's task ends, B takes both tasks, and A and C find
// nothing.
TEST(api_moved_records, wake_a_worker_that_has_fallen_asleep_meanwhile) {
  skua::scheduler pool({.workers = 3, .policy = "test_takes_two", .park_after_us = 0});
  std::atomic<int> busy{0}, begun{0};
  std::atomic<bool> end_one{false}, met{true};
  // Each of the two tasks ends when the other one has begun.
  const auto meet = [&] {
    ++begun;
    met = within(5s, [&] { return begun == 2; }) && met;
  };
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < 2; ++i)
      tasks.run([&, i] {
        ++busy;
        until([&] { return i == 0 ? end_one.load() : moment::has_two.load(); }, "a thief");
      });
    until([&] { return busy == 2; }, "two workers");
    const auto both_taken = [&] {
      moment::may_take = end_one = true;
      until([&] { return begun == 2 || !met; }, "both tasks");
    };
    skua::join([&] { skua::join(both_taken, meet); }, meet);
    tasks.wait();
  });
  EXPECT_TRUE(moment::has_two);
  EXPECT_TRUE(met)
      << "a task waits in the queue of a worker that runs another one, and a worker sleeps beside it";
}

}  // namespace
}  // namespace moved_records_test
