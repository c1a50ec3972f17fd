// mutex, blocking, isolate and per_worker.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/fork_until.hpp"
#include "tests/support/until.hpp"

namespace sync_test {
namespace {

struct failure {
  int number;
};

class sync_with_workers : public testing::TestWithParam<int> {
 protected:
  skua::scheduler pool{{.workers = GetParam()}};
};
INSTANTIATE_TEST_SUITE_P(workers, sync_with_workers, testing::Values(1, 2, 8));

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(100)); }

// ---- mutex

TEST_P(sync_with_workers, a_mutex_may_be_held_across_joins) {
  skua::mutex m;
  int inside = 0;  // protected by m; a race detector checks this too
  long sum = 0;
  pool.run([&] {
    skua::parallel_for(0, 200, [&](int i) {
      std::lock_guard lock(m);
      EXPECT_EQ(++inside, 1);
      skua::join([] {},
                 [&] {
                   if (i % 20 == 0) nap();
                 });
      skua::parallel_for(0, 3, [&](int) {
        if (i % 50 == 0) nap();
      });
      sum += i;
      EXPECT_EQ(--inside, 0);
    });
  });
  EXPECT_EQ(sum, 199 * 100);
}

TEST_P(sync_with_workers, a_mutex_serves_tasks_external_threads_and_threads_outside_of_schedulers) {
  skua::scheduler other({.workers = 2});
  skua::mutex m;
  long count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      const auto work = [&] {
        for (int i = 0; i < 200; ++i) {
          std::lock_guard lock(m);
          ++count;
        }
      };
      if (t < 2)
        work();  // this thread has no worker
      else
        (t < 4 ? pool : other).run([&] {
          work();
          skua::join(work, work);
        });
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(count, 2 * 200 + 4 * 600);
}

TEST(mutex, waiting_suspends_the_task_and_not_the_worker) {
  skua::scheduler pool({.workers = 1});
  skua::mutex m;
  m.lock();
  skua::task_group tasks;
  std::atomic<int> locked{0}, others{0};
  pool.run([&] {
    for (int i = 0; i < 10; ++i) tasks.run([&] { ++others; });
    for (int i = 0; i < 10; ++i)
      tasks.run([&] {
        std::lock_guard lock(m);
        ++locked;
      });
  });
  until([&] { return others == 10; }, "tasks that need no mutex");
  EXPECT_EQ(locked, 0);
  m.unlock();
  tasks.wait();
  EXPECT_EQ(locked, 10);
  EXPECT_GE(pool.report().total.suspensions, 10u);
}

TEST(mutex, waiters_are_served_in_order) {
  skua::scheduler pool({.workers = 1});
  skua::mutex m;
  m.lock();
  std::vector<int> order;
  skua::task_group tasks;
  for (int i = 0; i < 10; ++i) {
    std::atomic<bool> arrived{false};
    pool.run([&] {
      tasks.run([&, i] {
        arrived = true;
        std::lock_guard lock(m);
        order.push_back(i);
      });
    });
    until([&] { return arrived.load(); });
    until([&] { return pool.report().total.suspensions >= static_cast<unsigned>(i + 1); });
    pool.run([] {});  // the worker lets another thread attach only when the suspended task is queued
  }
  m.unlock();
  tasks.wait();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(order.size(), 10u);
}

TEST(mutex, try_lock_takes_only_a_free_one) {
  skua::mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

TEST_P(sync_with_workers, an_exception_releases_a_guarded_mutex) {
  skua::mutex m;
  pool.run([&] {
    for (int i = 0; i < 100; ++i)
      EXPECT_THROW(skua::join(
                       [&] {
                         std::lock_guard lock(m);
                         throw failure{1};
                       },
                       [&] { std::lock_guard lock(m); }),
                   failure);
  });
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

// ---- blocking

TEST(blocking, eight_calls_overlap_on_two_workers) {
  skua::scheduler pool({.workers = 2});
  std::atomic<int> inside{0};
  pool.run([&] {
    skua::parallel_for(0, 8, [&](int) {
      skua::blocking([&] {
        ++inside;
        until([&] { return inside >= 8; }, "the other calls");  // all eight at once
      });
    });
  });
  EXPECT_EQ(inside, 8);
}

TEST_P(sync_with_workers, blocking_returns_results_and_throws_exceptions) {
  int x = 1;
  const auto check = [&] {
    EXPECT_EQ(skua::blocking([] { return 5; }), 5);
    EXPECT_EQ(*skua::blocking([p = std::make_unique<int>(6)]() mutable { return std::move(p); }), 6);
    static_assert(std::is_same_v<decltype(skua::blocking([&]() -> int& { return x; })), int&>);
    skua::blocking([&]() -> int& { return x; }) = 2;
    EXPECT_EQ(x, 2);
    skua::blocking([&] { x = 3; });
    EXPECT_EQ(x, 3);
    EXPECT_THROW(skua::blocking([] { throw failure{4}; }), failure);
    EXPECT_EQ(skua::blocking([] { return skua::blocking([] { return 8; }); }), 8)
        << "blocking() inside blocking()";
    EXPECT_EQ(skua::blocking([] {
                auto [a, b] = skua::join([] { return 1; }, [] { return 2; });
                return a + b;
              }),
              3)
        << "parallel code inside blocking()";
  };
  check();          // outside of all schedulers
  pool.run(check);  // as an external thread
  skua::task_group tasks;
  std::atomic<bool> ended{false};
  pool.run([&] {
    tasks.run([&] {
      check();
      ended = true;
    });
  });
  until([&] { return ended.load(); });  // check() runs on a worker
  tasks.wait();
}

TEST(blocking, another_task_runs_meanwhile_on_one_worker) {
  skua::scheduler pool({.workers = 1});
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::atomic<bool> ran{false};
    pool.run([&] {
      skua::task_group tasks;
      tasks.run([&] { ran = true; });
      tasks.run([&] { skua::blocking([&] { until([&] { return ran.load(); }, "the other task"); }); });
      tasks.wait();
    });
    pool.run([&] {
      ran = false;
      skua::join([&] { skua::blocking([&] { until([&] { return ran.load(); }, "the sibling"); }); },
                 [&] { ran = true; });
    });
  }
}

TEST_P(sync_with_workers, many_blocking_calls_at_once) {
  std::atomic<int> ended{0};
  pool.run([&] {
    skua::parallel_for(0, 300, [&](int i) {
      skua::blocking([&] {
        if (i % 3 == 0) nap();
        ++ended;
      });
      if (i % 7 == 0) skua::blocking([] { std::this_thread::yield(); });
    });
  });
  EXPECT_EQ(ended, 300);
}

// ---- isolate

/// A lock that is held across joins. If the thread that holds it takes it again, the test fails instead of hanging.
/// isolate() is for such locks.
class reentrancy {
 public:
  explicit reentrancy(bool& held) : held_(held) {
    EXPECT_FALSE(held_) << "a second thread is in the critical section";
    held_ = true;
  }
  ~reentrancy() { held_ = false; }
  reentrancy(const reentrancy&) = delete;
  reentrancy& operator=(const reentrancy&) = delete;

 private:
  bool& held_;
};

void isolated_region() {
  static thread_local bool held = false;
  skua::isolate([] {
    const auto thread = std::this_thread::get_id();
    bool& mine = held;
    {
      const reentrancy region(mine);
      for (int i = 0; i < 3; ++i) {
        skua::join(nap, nap);
        skua::parallel_for(0, 4, [](int) { nap(); });
        skua::task_group a, b;
        a.run(nap);
        b.run(nap);
        a.run(nap);
        a.wait();
        b.wait();
        EXPECT_EQ(std::this_thread::get_id(), thread);
        EXPECT_EQ(&mine, &held);
      }
    }
  });
}

TEST_P(sync_with_workers, isolated_regions_never_run_inside_each_other) {
  pool.run([] { skua::parallel_for(0, 40, [](int) { isolated_region(); }); });
  pool.run([] {
    skua::task_group tasks;
    for (int i = 0; i < 40; ++i) tasks.run(isolated_region);
    skua::join(isolated_region, isolated_region);
    tasks.wait();
  });
  std::vector<std::thread> external_threads;
  for (int t = 0; t < 3; ++t)
    external_threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i)
        pool.run([] { skua::join(isolated_region, isolated_region, nap, isolated_region); });
    });
  for (auto& g : external_threads) g.join();
  isolated_region();  // outside of all schedulers
}

TEST_P(sync_with_workers, a_std_mutex_may_be_held_across_joins_in_isolation) {
  std::mutex m;  // not recursive: a thread that took it twice would hang
  long sum = 0;
  std::atomic<bool> ended{false};
  const auto everything = [&] {
    skua::parallel_for(0, 60, [&](int i) {
      skua::isolate([&] {
        std::lock_guard lock(m);
        skua::join(nap, nap);
        sum += i;
      });
    });
  };
  pool.run(everything);  // begun by an external thread
  skua::task_group tasks;
  pool.run([&] {
    tasks.run([&] {
      everything();
      ended = true;
    });
  });
  until([&] { return ended.load(); });  // begun by a worker
  tasks.wait();
  EXPECT_EQ(sum, 2 * 59 * 30);
}

TEST_P(sync_with_workers, isolate_returns_results_throws_exceptions_and_nests) {
  pool.run([] {
    EXPECT_EQ(skua::isolate([] { return 5; }), 5);
    EXPECT_THROW(skua::isolate([] { throw failure{1}; }), failure);
    EXPECT_EQ(skua::isolate([] {
                return skua::isolate([] {
                  auto [a, b] = skua::join([] { return 1; }, [] { return skua::isolate([] { return 2; }); });
                  return a + b;
                });
              }),
              3);
    // If the group around the region is cancelled, the code inside is cancelled too.
    skua::task_group tasks;
    tasks.run([&] {
      skua::isolate([&] {
        tasks.cancel();
        EXPECT_TRUE(skua::cancelled());
      });
    });
    tasks.wait();
  });
}

// ---- per_worker

TEST_P(sync_with_workers, per_worker_adds_up) {
  skua::per_worker<long> sums;
  pool.run([&] { skua::parallel_for(0, 100'000, [&](int i) { sums.local() += i; }); });
  EXPECT_EQ(sums.combine(0L, std::plus<>{}), 99'999L * 50'000);
  int cells = 0;
  sums.for_each([&](long&) { ++cells; });
  EXPECT_GE(cells, 1);
  EXPECT_LE(cells, GetParam());
  sums.clear();
  EXPECT_EQ(sums.combine(0L, std::plus<>{}), 0);
}

TEST_P(sync_with_workers, per_worker_starts_from_its_initial_value) {
  skua::per_worker<std::vector<int>> lists(std::vector<int>{7});
  pool.run([&] { skua::parallel_for(0, 1000, [&](int i) { lists.local().push_back(i); }); });
  std::vector<int> all;
  int cells = 0;
  lists.for_each([&](std::vector<int>& list) {
    ++cells;
    EXPECT_EQ(list.front(), 7);
    all.insert(all.end(), list.begin() + 1, list.end());
  });
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[static_cast<std::size_t>(i)], i);
}

// While the constructor waits, two other tasks of the same worker ask for the same value.
struct waits_when_made {
  waits_when_made() {
    ++begun;
    skua::blocking([] { until([] { return begun == 3; }, "all three tasks to make a value"); });
    ++made;
  }
  static inline std::atomic<int> begun{0}, made{0};
};

TEST(per_worker, a_constructor_may_wait) {
  waits_when_made::begun = waits_when_made::made = 0;
  skua::per_worker<waits_when_made> values;
  std::atomic<int> asked{0};
  skua::task_group tasks;
  {
    skua::scheduler pool({.workers = 1});
    pool.run([&] {  // the worker's own thread runs them
      for (int i = 0; i < 3; ++i)
        tasks.run([&] {
          values.local();
          ++asked;
        });
    });
    tasks.wait();
  }
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(waits_when_made::made, 3) << "all of them waited at the same time";
  int kept = 0;
  values.for_each([&](waits_when_made&) { ++kept; });
  EXPECT_EQ(kept, 1);
}

// If for_each() held a std::mutex, another thread would release it, or the same thread would lock it twice.
TEST(per_worker, a_visitor_of_the_values_may_wait) {
  skua::per_worker<int> values(1);
  int visited = 0;
  skua::task_group tasks;
  {
    skua::scheduler pool({.workers = 1});
    pool.run([&] {
      for (int i = 0; i < 2; ++i)
        tasks.run([&] {
          values.local();
          values.for_each([&](int&) {
            skua::blocking([] { sleep_ms(5); });
            ++visited;
          });
        });
    });
    tasks.wait();
  }
  EXPECT_EQ(visited, 2);
}

TEST(per_worker, distinguishes_schedulers_workers_and_threads) {
  skua::scheduler a({.workers = 64}), b({.workers = 64});
  skua::per_worker<int> values;
  std::mutex m;
  std::set<int*> places;
  const auto note = [&] {
    int* const mine = &values.local();
    EXPECT_EQ(mine, &values.local());
    ++*mine;
    std::lock_guard lock(m);
    places.insert(mine);
  };
  for (auto* pool : {&a, &b})
    pool->run([&] {
      skua::parallel_for(0, 2000, [&](int i) {
        note();
        if (i % 10 == 0) nap();
      });
    });
  note();
  std::thread(note).join();
  EXPECT_EQ(values.combine(0, std::plus<>{}), 4002);
  EXPECT_GE(places.size(), 4u);
  EXPECT_LE(places.size(), 130u);
}

// There are more workers than a small table has entries. stress.fork_instructions checks that this takes no lock.
TEST(per_worker, each_of_many_workers_finds_its_own_value) {
  constexpr int workers = 40, schedulers = 2;
  skua::per_worker<int> values;
  std::atomic<int> made{0}, wrong{0};
  const auto arrives = [&] {
    int& mine = values.local();
    ++made;
    until([&] { return made == workers * schedulers; }, "a task on each worker");  // so each has exactly one
    wrong += &values.local() != &mine;
  };
  std::vector<std::thread> callers;
  for (int s = 0; s < schedulers; ++s)
    callers.emplace_back([&] {
      skua::scheduler pool({.workers = workers, .bind = false});
      skua::task_group tasks;
      pool.run([&] {
        for (int i = 0; i < workers; ++i) tasks.run(arrives);
        tasks.wait();
      });
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(per_worker, workers_of_later_schedulers_take_the_values_of_earlier_ones) {
  skua::per_worker<long> sums;
  for (int i = 0; i < 100; ++i) {
    skua::scheduler pool({.workers = 2, .bind = false});
    pool.run([&] { skua::parallel_for(0, 100, [&](int) { sums.local() += 1; }); });
  }
  int cells = 0;
  sums.for_each([&](long&) { ++cells; });
  EXPECT_EQ(sums.combine(0L, std::plus<>{}), 10'000);
  EXPECT_LE(cells, 2 + 2);  // the default scheduler of another test may hold the first worker numbers
}

TEST(blocking, an_external_thread_keeps_its_worker_in_isolation) {
  std::mutex held;
  skua::scheduler pool({.workers = 1, .bind = false});
  pool.run([&] {
    skua::task_group tasks;
    // If the only worker ran this task, the task would wait for the region below.
    tasks.run([&] { std::lock_guard lock(held); });
    skua::isolate([&] {
      std::lock_guard lock(held);
      skua::blocking([] { sleep_ms(5); });
    });
    tasks.wait();
  });
}

// A thief that takes several joins runs one and keeps the others. A task that waits for one of those takes it back.
TEST(isolate, a_wait_in_a_region_takes_back_a_join_behind_a_long_task) {
  for (const char* policy : {"random(half)", "nearest(half)", "managers"})
    for (int round = 0; round < 5; ++round) {
      skua::scheduler pool({.workers = 2, .policy = policy});
      std::atomic<bool> begun{false}, others_ran{false};
      bool in_time = false;
      const auto long_task = [&] {
        begun = true;
        in_time = within(std::chrono::seconds(60), [&] { return others_ran.load(); });
      };
      const auto forks_until_begun = [&] { fork_until([&] { return begun.load(); }); };
      pool.run([&] {
        skua::isolate([&] {
          skua::join(
              [&] {
                skua::join([&] { skua::join(forks_until_begun, [] {}); }, [] {});
                others_ran = true;
              },
              long_task);
        });
      });
      ASSERT_TRUE(in_time) << policy;
    }
}

TEST(isolate, a_wait_in_a_region_takes_no_join_from_outside_it) {
  skua::scheduler pool({.workers = 2, .bind = false});
  static thread_local int regions_here;  // how many functions of the region this thread runs
  struct in_region {
    in_region() { ++regions_here; }
    ~in_region() { --regions_here; }
  };
  std::atomic<bool> other_runs{false}, go{false}, in_first{false}, in_child{false};
  pool.run([&] {
    skua::task_group other, empty;
    other.run([&] {
      other_runs = true;
      until([&] { return go.load(); });
      empty.wait();
    });
    until([&] { return other_runs.load(); });
    empty.run([] {});
    skua::join(
        [&] {
          skua::isolate([&] {
            const in_region here;
            skua::task_group region;
            // This task runs on the other worker. Either this worker steals its join back, or the task waits for it there.
            region.run([&] {
              const in_region there;
              skua::join([&] { in_first = true, until([&] { return in_child.load(); }); },
                         [&] { in_child = true, sleep_ms(20); });
            });
            go = true;
            until([&] { return in_first.load(); });
            region.wait();
          });
        },
        [&] { EXPECT_EQ(regions_here, 0); });
    other.wait();
  });
}

// The task that an external thread waits for may be able to continue only on that thread's worker. Then the thread must
// leave the worker, although no other thread has work for it and the pool never sleeps.
TEST(sync, an_external_thread_makes_room_for_a_task_of_its_own_worker) {
  for (const bool isolated : {false, true}) {
    skua::scheduler pool({.workers = 1, .park_after_us = -1});
    pool.run([&] {
      skua::mutex m;
      std::atomic<bool> locked = false, go_on = false;
      const auto holder = [&] {
        m.lock();
        locked = true;
        skua::blocking([&] { until([&] { return go_on.load(); }, "the thread that lent its worker"); });
        m.unlock();
      };
      skua::task_group tasks;
      tasks.run([&] { isolated ? skua::isolate(holder) : holder(); });
      // Meanwhile the worker is lent, and its own thread runs the task.
      skua::blocking([&] {
        until([&] { return locked.load(); }, "the task that locks");
        sleep_ms(2);
      });
      go_on = true;
      m.lock();
      m.unlock();
      tasks.wait();
    });
  }
}

}  // namespace
}  // namespace sync_test
