// A program continues when there is no memory: for the work and span of its report, or for more group tasks.
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>
#include <set>
#include <utility>

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
// All forms by malloc, for AddressSanitizer compares. Not inline, or gcc takes new and free for a pair.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace skua::core {
namespace {

/// So many allocations of this thread succeed while it lives.
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
      tasks.wait();  // the scheduler keeps the records of these tasks
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

}  // namespace
}  // namespace skua::core
