// An external thread forks and then waits. Other workers steal the joins that it has left, wherever it waits. In each case
// the wait ends only when all of these joins have run, so the test hangs if no worker can steal a join. It then
// aborts with a message.
#include <skua/join.hpp>
#include <skua/scheduler.hpp>
#include <skua/steal_policy.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/until.hpp"

namespace waiting_external_thread_test {
namespace {

/// How the external thread waits. During the last three it holds its worker, so another worker must take the joins.
enum class way { mutex, group, blocking, group_elsewhere, call_elsewhere, isolated };
constexpr const char* ways[] = {"mutex",           "group",          "blocking",
                                "group_elsewhere", "call_elsewhere", "isolated"};
bool keeps_worker(way w) {
  return w == way::group_elsewhere || w == way::call_elsewhere || w == way::isolated;
}

constexpr int joins = 3;

class external_thread {
 public:
  external_thread(const std::string& policy, int workers, way w)
      : pool_({.workers = workers, .policy = policy, .park_after_us = 20}), way_(w) {}

  void run() {
    opened_.lock();
    std::atomic<bool> ended{false};
    std::thread external([&] {
      call();
      ended = true;
    });
    until([&] { return ended.load(); }, "the external thread");
    external.join();
    EXPECT_EQ(ran_, joins);
  }

 private:
  void call() {
    pool_.run([&] {
      me_ = std::this_thread::get_id();
      keep_others_busy();
      if (way_ == way::isolated)
        skua::isolate([&] { fork(joins); });
      else
        fork(joins);
      busy_.wait();
    });
  }
  /// Keeps the other workers busy, so that the thread's joins are private when it begins to wait.
  void keep_others_busy() {
    const int others = static_cast<int>(pool_.workers()) - 1;
    for (int i = 0; i < others; ++i)
      busy_.run([&] {
        ++began_;
        until([&] { return about_to_wait_.load(); }, "the external thread");
        sleep_ms(1);
      });
    until([&] { return began_.load() == others; }, "the other workers");
  }
  void fork(int left) {
    if (left == 0) return wait();
    skua::join([&] { fork(left - 1); }, [&] { other_half(); });
  }
  void other_half() {
    EXPECT_NE(std::this_thread::get_id(), me_);
    if (ran_.fetch_add(1) + 1 == joins) opened_.unlock();
  }
  void wait_for_mutex() { const std::lock_guard all_ran(opened_); }
  void wait() {
    about_to_wait_ = true;
    const auto all_ran = [&] {
      until([&] { return ran_.load() == joins; }, "the joins of the external thread");
    };
    switch (way_) {
      case way::mutex:
        return wait_for_mutex();
      case way::group: {
        skua::task_group tasks;
        elsewhere_.run([&] { tasks.run(all_ran); });
        return tasks.wait();
      }
      case way::group_elsewhere:
        return elsewhere_.run([&] {
          skua::task_group tasks;
          tasks.run([&] { wait_for_mutex(); });
          tasks.wait();
        });
      case way::blocking:
        return skua::blocking(all_ran);
      case way::call_elsewhere:
        return elsewhere_.run(all_ran);
      case way::isolated:
        return wait_for_mutex();
    }
  }

  skua::scheduler pool_;
  skua::scheduler elsewhere_{{.workers = 1, .park_after_us = 20}};
  const way way_;
  std::thread::id me_;
  skua::mutex opened_;
  std::atomic<int> began_{0}, ran_{0};
  std::atomic<bool> about_to_wait_{false};
  skua::task_group busy_;
};

std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const skua::policy_info* info : skua::policies()) names.emplace_back(info->name);
  return names;
}

class waiting_external_thread : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(policies, waiting_external_thread, testing::ValuesIn(all_policies()),
                         [](const auto& one) { return one.param; });

TEST_P(waiting_external_thread, leaves_joins_that_others_steal) {
  for (const way w :
       {way::mutex, way::group, way::blocking, way::group_elsewhere, way::call_elsewhere, way::isolated})
    for (const int workers : {1, 2, 3}) {
      if (workers == 1 && keeps_worker(w)) continue;
      SCOPED_TRACE(std::string(ways[static_cast<int>(w)]) + ", workers " + std::to_string(workers));
      external_thread(GetParam(), workers, w).run();
    }
}

}  // namespace
}  // namespace waiting_external_thread_test
