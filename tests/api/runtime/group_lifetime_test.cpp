// A group that lives longer than the scheduler in which it was made.
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <skua/join.hpp>
#include <skua/scheduler.hpp>
#include <skua/steal_policy.hpp>
#include <skua/task_group.hpp>

namespace group_lifetime_test {
namespace {

/// Overwrites freed memory at once, so that a use of it is noticed.
class overwrites_freed_memory {
 public:
  overwrites_freed_memory() { mallopt(M_PERTURB, 0xA5); }
  ~overwrites_freed_memory() { mallopt(M_PERTURB, 0); }
  overwrites_freed_memory(const overwrites_freed_memory&) = delete;
  overwrites_freed_memory& operator=(const overwrites_freed_memory&) = delete;
};

// The scheduler runs all tasks before it ends. From then on the group belongs to no scheduler.
void outlives(const std::string& policy, int workers, bool made_by_a_join) {
  SCOPED_TRACE(policy + ", " + std::to_string(workers) + " workers");
  std::atomic<int> ran{0};
  std::unique_ptr<skua::task_group> group;
  const auto one_more = [&] { group->run([&] { ++ran; }); };
  {
    skua::scheduler pool({.workers = workers, .policy = policy, .bind = false});
    const auto make = [&] {
      group = std::make_unique<skua::task_group>();
      for (int i = 0; i < 10; ++i) one_more();
    };
    pool.run([&] {
      if (!made_by_a_join) return make();
      skua::join([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
                 make);  // runs on the other worker
    });
  }
  EXPECT_EQ(ran, 10);
  one_more();
  group->wait();
  EXPECT_EQ(ran, 11);
  skua::scheduler other({.workers = 2, .bind = false});
  other.run([&] {
    one_more();
    group->wait();
  });
  EXPECT_EQ(ran, 12);
  other.run(one_more);
  group.reset();
  EXPECT_EQ(ran, 13);
}

TEST(group_lifetime, a_group_may_outlive_its_scheduler) {
  const overwrites_freed_memory strict;
  for (const skua::policy_info* policy : skua::policies())
    for (const int workers : {1, 2, 4})
      for (const bool made_by_a_join : {false, true})
        outlives(std::string(policy->name), workers, made_by_a_join);
}

// Workers send tasks to each other, also to a worker that ends.
TEST(group_lifetime, managers_lose_no_task_when_their_scheduler_ends) {
  for (const char* policy : {"managers", "managers(rescue=no)", "managers(dedicated=1)"})
    for (int round = 0; round < 100; ++round) {
      std::atomic<int> ran{0};
      skua::task_group tasks;
      {
        skua::scheduler pool({.workers = 2 + round % 2, .policy = policy, .bind = false});
        pool.run([&] {
          for (int i = 0; i < 20; ++i) tasks.run([&] { ++ran; });
        });
      }
      ASSERT_EQ(ran, 20) << policy << ", round " << round;
    }
}

TEST(group_lifetime, an_untouched_group_may_end_after_its_scheduler) {
  const overwrites_freed_memory strict;
  std::unique_ptr<skua::task_group> used, unused;
  {
    skua::scheduler pool({.workers = 2, .bind = false});
    pool.run([&] {
      unused = std::make_unique<skua::task_group>();
      used = std::make_unique<skua::task_group>();
      used->run([] {});
      used->wait();
    });
  }
  used->wait();
}

TEST(group_lifetime, a_group_keeps_an_exception_for_after_its_scheduler) {
  const overwrites_freed_memory strict;
  std::unique_ptr<skua::task_group> group;
  {
    skua::scheduler pool({.workers = 2, .bind = false});
    pool.run([&] {
      group = std::make_unique<skua::task_group>();
      group->run([] { throw 7; });
    });
  }
  EXPECT_THROW(group->wait(), int);
  group->wait();
}

}  // namespace
}  // namespace group_lifetime_test
