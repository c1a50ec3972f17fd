// If a mutex is free, some waiter that can run takes it, wherever the waiters wait and whatever their workers do. In each
// case here the first waiter in line cannot run until a later waiter has had the mutex. So a mutex that relies on the first
// waiter hangs. A case that hangs aborts with a message.
#include <skua/join.hpp>
#include <skua/policies.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "tests/support/until.hpp"

namespace lock_liveness_test {
namespace {

/// Where a waiter for the mutex waits. Each waiter has a thread and, except for `plain`, a scheduler of its own.
enum class place { suspended, isolated, external, plain };
const char* name_of(place p) {
  constexpr const char* names[] = {"suspended", "isolated", "external", "plain"};
  return names[static_cast<int>(p)];
}

struct shared_state {
  skua::mutex m;
  std::atomic<int> about_to_wait{0};
  std::atomic<bool> second_had_it{false};
};

/// Waits until that many threads are about to wait, and then until they are probably in the line and asleep.
void let_it_wait(const shared_state& s, int waiters) {
  until([&] { return s.about_to_wait.load() == waiters; }, "a waiter");
  sleep_ms(20);
}

void lock_once(shared_state& s, bool second) {
  ++s.about_to_wait;
  s.m.lock();
  if (second) s.second_had_it = true;
  s.m.unlock();
}

/// Blocks its worker until the second waiter has had the mutex.
void long_leaf(shared_state& s) {
  until([&] { return s.second_had_it.load(); }, "the second waiter, which waits for a free mutex");
}

/// Waits at the given place, while nothing else happens there.
void wait_undisturbed(shared_state& s, place at, const std::string& policy) {
  if (at == place::plain) return lock_once(s, true);
  skua::scheduler pool({.workers = 1, .policy = policy});
  if (at == place::external) return pool.run([&] { lock_once(s, true); });
  // This is a task on the worker's own thread, because an external thread would keep its own stack.
  skua::task_group tasks;
  std::atomic<bool> ended{false};
  pool.run([&] {
    tasks.run([&] {
      if (at == place::isolated)
        skua::isolate([&] { lock_once(s, true); });
      else
        lock_once(s, true);
      ended = true;
    });
  });
  until([&] { return ended.load(); }, "the second waiter");
  tasks.wait();
}

/// Waits at the given place. Then the worker of this waiter runs a long leaf.
void wait_on_a_busy_worker(shared_state& s, place at, const std::string& policy) {
  skua::scheduler pool({.workers = 1, .policy = policy});
  std::atomic<int> ended{0};
  skua::task_group tasks;
  if (at == place::external) {
    // The external thread gives up its worker while it waits. Then the worker's own thread runs the leaf.
    pool.run([&] {
      tasks.run([&] {
        long_leaf(s);
        ++ended;
      });
      lock_once(s, false);
    });
    until([&] { return ended.load() == 1; }, "the leaf");
  } else if (at == place::isolated) {
    // The worker waits in place and lends itself to an external thread.
    pool.run([&] {
      tasks.run([&] {
        skua::isolate([&] { lock_once(s, false); });
        ++ended;
      });
    });
    until([&] { return s.about_to_wait.load() == 1; }, "the first waiter");
    pool.run([&] { long_leaf(s); });
    until([&] { return ended.load() == 1; }, "the first waiter");
  } else {
    pool.run([&] {
      tasks.run([&] {
        long_leaf(s);
        ++ended;
      });
      tasks.run([&] {  // newer, so it begins first
        lock_once(s, false);
        ++ended;
      });
    });
    until([&] { return ended.load() == 2; }, "the first waiter and the leaf");
  }
  tasks.wait();
}

class lock_liveness : public testing::TestWithParam<std::tuple<place, place, std::string>> {};
INSTANTIATE_TEST_SUITE_P(
    places, lock_liveness,
    testing::Combine(testing::Values(place::suspended, place::isolated, place::external),
                     testing::Values(place::suspended, place::isolated, place::external, place::plain),
                     testing::Values("nearest", "random", "bitier", "chase_lev", "managers")),
    [](const auto& param) {
      return std::string("first_") + name_of(std::get<0>(param.param)) + "_then_" +
             name_of(std::get<1>(param.param)) + "_" + std::get<2>(param.param);
    });

TEST_P(lock_liveness, a_free_mutex_does_not_wait_for_a_busy_worker) {
  const auto& [first, second, policy] = GetParam();
  shared_state s;
  s.m.lock();
  std::thread at_first([&, at = first, &by = policy] { wait_on_a_busy_worker(s, at, by); });
  let_it_wait(s, 1);
  std::thread at_second([&, at = second, &by = policy] { wait_undisturbed(s, at, by); });
  let_it_wait(s, 2);
  s.m.unlock();
  at_first.join();
  at_second.join();
  EXPECT_TRUE(s.m.try_lock());
  s.m.unlock();
}

// Both waiters wait on the same scheduler, whose workers share their tasks. This is case (a) of a report by a user.
TEST(lock_liveness_of_one_scheduler, the_first_waits_below_a_region_that_waits_for_the_second) {
  skua::scheduler pool({.workers = 2});
  for (int round = 0; round < 20; ++round) {
    shared_state s;
    s.m.lock();
    std::atomic<bool> stolen{false};
    std::thread unlocks([&] {
      let_it_wait(s, 2);
      s.m.unlock();
    });
    skua::task_group tasks;
    pool.run([&] { tasks.run([&] { lock_once(s, false); }); });
    until([&] { return s.about_to_wait.load() == 1; }, "the first waiter");
    pool.run([&] {
      tasks.run([&] {
        skua::isolate([&] {
          skua::join([&] { until([&] { return stolen.load(); }, "a thief"); },
                     [&] {
                       stolen = true;
                       lock_once(s, true);
                     });
        });
      });
    });
    tasks.wait();
    unlocks.join();
  }
}

// The worker may begin a task at the moment at which its suspended stack becomes ready.
TEST(lock_liveness_of_one_scheduler, a_worker_that_begins_a_task_passes_the_wake_up_on) {
  skua::scheduler pool({.workers = 1});
  for (int round = 0; round < 300; ++round) {
    shared_state s;
    s.m.lock();
    skua::task_group tasks;
    std::atomic<bool> first_ended{false};
    pool.run([&] {
      tasks.run([&] {
        lock_once(s, false);
        first_ended = true;
      });
    });
    until([&] { return s.about_to_wait.load() == 1; }, "the first waiter");
    std::thread plain([&] { lock_once(s, true); });
    until([&] { return s.about_to_wait.load() == 2; }, "the second waiter");
    if (round % 4 == 0) sleep_ms(1);
    std::thread begins([&] { pool.run([&] { tasks.run([&] { long_leaf(s); }); }); });
    s.m.unlock();
    begins.join();
    plain.join();
    tasks.wait();
    EXPECT_TRUE(first_ended);
  }
}

// Tasks of one worker wait one behind the other. A waiter elsewhere gets its turn, and all waiters get the mutex.
TEST(lock_liveness_of_one_scheduler, waiters_of_one_worker_take_turns_with_others) {
  skua::scheduler pool({.workers = 1, .suspended_stacks = 200});
  skua::mutex m;
  int inside = 0, count = 0;
  const auto use = [&] {
    const std::lock_guard lock(m);
    EXPECT_EQ(++inside, 1);
    ++count;
    --inside;
  };
  m.lock();
  skua::task_group tasks;
  pool.run([&] {
    for (int i = 0; i < 100; ++i) tasks.run(use);
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 100; ++k) use();
    });
  sleep_ms(20);
  m.unlock();
  for (std::thread& t : threads) t.join();
  tasks.wait();
  EXPECT_EQ(count, 500);
}

TEST(lock_liveness_of_one_scheduler, a_condition_variable_with_a_skua_mutex) {
  skua::scheduler pool({.workers = 2});
  skua::mutex m;
  std::condition_variable_any changed;
  int turn = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round) {
        std::unique_lock lock(m);
        changed.wait(lock, [&] { return turn % 4 == i; });
        ++turn;
        changed.notify_all();
      }
    });
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < 100; ++i)
      tasks.run([&] {
        const std::lock_guard lock(m);
        changed.notify_all();
      });
    tasks.wait();
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(turn, 200);
}

}  // namespace
}  // namespace lock_liveness_test
