// Tests internals of kept workers. tests/api/runtime/kept_worker_test.cpp tests them from outside.
#include <chrono>

#include <gtest/gtest.h>

#include "core/scheduler_core.hpp"
#include "core/start/settings.hpp"

namespace kept_worker_test {
namespace {

using namespace skua::core;

void call(scheduler_core& pool) {
  run_as_worker(pool, [](void*, skua::task_context&) {}, nullptr);
}

// A scheduler makes a stand-in beside blocked tasks, and a task that does not change for a long time may be blocked
// (stand_in.hpp). So each call must count as a new task.
TEST(kept_worker_inside, each_call_counts_as_a_task_that_begins) {
  scheduler_core pool(checked({.workers = 1}));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!pool.at(0).kept.any() && std::chrono::steady_clock::now() < end) call(pool);
  ASSERT_TRUE(pool.at(0).kept.any());
  const auto begun = [&] { return tasks_begun(pool.at(0)); };
  for (int i = 0; i < 100; ++i) {
    const auto before = begun();
    call(pool);
    EXPECT_GT(begun(), before);
  }
}

// Otherwise each call would take a worker and give it back, which takes ten to a hundred times as long.
TEST(kept_worker_inside, reports_and_traces_let_threads_keep_workers) {
  settings with_report = checked({.workers = 1, .keep_report = true}),
           with_trace = checked({.workers = 1, .keep_trace = true});
  for (settings* chosen : {&with_report, &with_trace}) {
    scheduler_core pool(*chosen);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!pool.at(0).kept.any() && std::chrono::steady_clock::now() < end) call(pool);
    EXPECT_TRUE(pool.at(0).kept.any());
  }
}

// Managers need a worker that answers their messages.
TEST(kept_worker_inside, no_worker_is_kept_with_managers) {
  scheduler_core pool(checked({.workers = 1, .policy = "managers"}));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) {
    call(pool);
    ASSERT_FALSE(pool.at(0).kept.any());
  }
}

}  // namespace
}  // namespace kept_worker_test
