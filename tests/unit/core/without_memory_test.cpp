// A program must continue if there is no memory: for the work and span of its report, for more group tasks, for stolen
// tasks, for a sort, and other things.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <sched.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "core/work_span/totals.hpp"
#include "core/worker.hpp"

namespace {
constexpr int any_number = std::numeric_limits<int>::max();
thread_local int allocations_left = any_number;
}  // namespace

void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left != any_number) --allocations_left;
  if (void* const p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
// All forms use malloc, because AddressSanitizer compares them. They are not inline, or gcc would report a mismatch of new
// and free.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace skua::core {
namespace {

/// While it exists, only that many allocations of this thread succeed.
struct memory_for {
  explicit memory_for(int allocations) noexcept { allocations_left = allocations; }
  ~memory_for() { allocations_left = any_number; }
  memory_for(const memory_for&) = delete;
  memory_for& operator=(const memory_for&) = delete;
};

long down(int n) {
  if (n == 0) return 0;
  const auto [a, b] = join([=] { return down(n - 1); }, [] { return 1L; });
  return a + b;
}

scheduler_options reported(bool simulated) {
  scheduler_options options{.workers = 1, .keep_report = true};
  if (simulated) options.simulate = simulation{.machine = "opteron-8380-4s"};
  return options;
}

TEST(work_span_without_memory, forks_are_not_watched) {
  for (const bool simulated : {false, true}) {
    scheduler pool(reported(simulated));
    pool.run([] {
      const memory_for none(0);
      const long forks = down(500);
      allocations_left = any_number;
      EXPECT_EQ(forks, 500);
    });
    EXPECT_EQ(pool.run([] { return down(100); }), 100);
    EXPECT_EQ(pool.report().total.forks, 600u);
    EXPECT_FALSE(pool.report_json().empty());
  }
}

TEST(work_span_without_memory, a_call_that_ends_reports_no_parts) {
  work_span_totals book(true);
  path_end end{};
  end.at.span = 300;
  end.parts = 2;
  end.part[0] = {site_at(call_site_kind::join, &book), 200};
  {
    const memory_for none(0);
    book.end_call(book.begin_call(), end);
  }
  EXPECT_EQ(book.read(1, 0, 0).span_ns, 300u);
}

TEST(work_span_without_memory, each_task_has_a_number_of_its_own) {
  for (int allocations = 0; allocations < 3; ++allocations) {
    work_span_totals book(true);
    std::set<std::uint32_t> numbers;
    for (site where = 0; where < 200; ++where) {
      const watched_task task{.run = nullptr, .group = nullptr, .begin = {}, .where = where, .depth = 0};
      std::uint32_t number = 0;
      bool kept = true;
      try {
        const memory_for few(allocations);
        number = book.keep(task);
      } catch (const std::bad_alloc&) {
        kept = false;
      }
      if (!kept) number = book.keep(task);
      EXPECT_TRUE(numbers.insert(number).second) << number << " with memory for " << allocations;
    }
    for (const std::uint32_t number : numbers) {
      const memory_for none(0);
      book.take(number);
    }
  }
}

TEST(group_tasks_without_memory, that_cannot_be_queued_are_refused_and_the_others_run) {
  for (const order by : {order::lifo, order::fifo, order::priority}) {
    scheduler pool({.workers = 1, .own_order = by});
    pool.run([] {
      constexpr int many = 3 * task_capacity;
      int ran = 0, queued = 0;
      bool refused = false;
      task_group tasks;
      const auto queue_them = [&] {
        for (; queued < many; ++queued) tasks.run([&ran] { ++ran; });
      };
      queue_them();
      tasks.wait();  // the scheduler keeps the records of these tasks for reuse
      EXPECT_EQ(std::exchange(ran, 0), many);
      queued = 0;
      try {
        const memory_for none(0);
        queue_them();
      } catch (const std::bad_alloc&) {
        refused = true;
      }
      EXPECT_TRUE(refused);
      EXPECT_GE(queued, int{task_capacity});
      EXPECT_EQ(ran, 0) << "run() runs no task";
      tasks.wait();
      EXPECT_EQ(ran, queued);
    });
  }
}

// ---- sorting

std::vector<std::string> shuffled_texts(int n) {
  std::vector<std::string> texts;
  for (int i = 0; i < n; ++i) texts.push_back(std::to_string(i * 7919 % 10007));
  return texts;
}

// The buffer is the first allocation. Leaves of large elements allocate more memory, and sort in place if there is none.
TEST(sort_without_memory, sorts_leaves_in_place_and_changes_nothing_without_a_buffer) {
  const auto texts = shuffled_texts(6000);
  auto sorted = texts;
  std::ranges::sort(sorted);
  for (int allocations = 0; allocations < 14; ++allocations) {
    scheduler pool({.workers = 1});
    pool.run([&] {
      auto v = texts;
      bool refused = false;
      try {
        const memory_for few(allocations);
        parallel_stable_sort(v.begin(), v.end());
      } catch (const std::bad_alloc&) {
        refused = true;
      }
      EXPECT_EQ(refused, allocations == 0);
      EXPECT_TRUE(v == (refused ? texts : sorted)) << "with memory for " << allocations;
    });
  }
}

TEST(sort_without_memory, is_stable_in_place) {
  struct pair {
    int key, index;
    std::string makes_it_large = "which is no trivial copy";
  };
  std::vector<pair> v;
  for (int i = 0; i < 1000; ++i) v.push_back({i * 31 % 17, i});
  {
    const memory_for buffer_only(1);
    parallel_stable_sort(v, [](const pair& a, const pair& b) { return a.key < b.key; });
  }
  EXPECT_TRUE(std::ranges::is_sorted(v, {}, [](const pair& p) { return std::pair(p.key, p.index); }));
}

TEST(sort_without_memory, in_place_loses_nothing_when_the_comparator_throws) {
  for (const int last_good : {0, 1, 10, 500, 3000, 6000}) {
    auto v = shuffled_texts(1000);
    int calls = 0;
    bool thrown = false;
    try {
      const memory_for buffer_only(1);
      parallel_stable_sort(v, [&](const std::string& a, const std::string& b) {
        if (calls++ >= last_good) throw 1;
        return a < b;
      });
    } catch (int) {
      thrown = true;
    }
    EXPECT_TRUE(thrown);
    EXPECT_TRUE(std::ranges::is_permutation(v, shuffled_texts(1000)));
  }
}

// ---- thieves

/// From its first round on, a worker of this policy has no memory. The policy takes several tasks in each round and returns
/// none.
struct takes_and_keeps : steal_policy {
  stolen acquire(thief& t) override {
    allocations_left = 0;
    for (int i = 0; i < 4; ++i)
      for (const worker_id victim : t.at_distance(0))
        static_cast<void>(t.try_steal(victim, i % 2 == 0 ? amount::half : amount::one));
    return {};
  }
};
SKUA_POLICY(takes_and_keeps, "test_takes_and_keeps", "has no memory for what it takes");

struct throws_without_memory : steal_policy {
  stolen acquire(thief&) override {
    allocations_left = 0;
    throw 42;
  }
};
SKUA_POLICY(throws_without_memory, "test_throws_without_memory", "cannot be replaced");

void expect_all_tasks_run(scheduler& pool) {
  for (int round = 0; round < 30; ++round) {
    ASSERT_EQ(pool.run([] { return down(2000); }), 2000);
    std::atomic<int> ran{0};
    pool.run([&] {
      task_group tasks;
      for (int i = 0; i < 300; ++i)
        tasks.run([&] {
          ++ran;
          join([] { sched_yield(); }, [&] { ++ran; });
        });
      tasks.wait();
    });
    ASSERT_EQ(ran, 600);
  }
}

TEST(thieves_without_memory, lose_no_task_that_they_cannot_keep) {
  for (const int workers : {2, 4}) {
    scheduler pool({.workers = workers,
                    .policy = "test_takes_and_keeps",
                    .topology = topology::synthetic("core:4 pu:1"),
                    .park_after_us = 50});
    expect_all_tasks_run(pool);
  }
}

TEST(thieves_without_memory, keep_a_policy_that_cannot_be_replaced) {
  scheduler pool({.workers = 2, .policy = "test_throws_without_memory", .park_after_us = 50});
  expect_all_tasks_run(pool);
}

// ---- others

TEST(learning_without_memory, returns_the_result_and_learns_the_next_time) {
  scheduler pool({.workers = 1});
  pool.run([] {
    const learnt_shape shape = learn("without_memory");
    const std::string text(100, 'x');
    std::string got;
    const auto run = [&](int allocations) {
      got = shaped(shape, [&] {
        reads(text.data(), text.size());
        std::string result = text;
        allocations_left = allocations;
        return result;
      });
      allocations_left = any_number;
    };
    run(0);
    EXPECT_EQ(got, text);
    EXPECT_FALSE(learnt("without_memory"));
    run(any_number);
    EXPECT_EQ(got, text);
    EXPECT_TRUE(learnt("without_memory"));
  });
}

// The task runs on the worker's own thread. With memory, the blocking call would run on another thread.
TEST(blocking_without_memory, runs_on_the_worker) {
  scheduler pool({.workers = 1});
  std::atomic<int> ran{0};
  task_group tasks;
  pool.run([&] {
    tasks.run([&] {
      const memory_for none(0);
      for (int i = 0; i < 200; ++i) ran += blocking([] { return 1; });
    });
  });
  tasks.wait();
  EXPECT_EQ(ran, 200);
}

}  // namespace
}  // namespace skua::core
