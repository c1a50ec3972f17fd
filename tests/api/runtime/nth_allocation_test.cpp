// The n-th allocation of the process fails, or all from the n-th on, for n = 0, 1, 2 ... until the call needs no more. The
// caller gets std::bad_alloc or the result, nothing is lost, and the next call works. This test has an executable of its
// own, because it replaces operator new.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/full_form.hpp"
#include "tests/support/sanitizers.hpp"

namespace {

constexpr long all_succeed = std::numeric_limits<long>::max();
enum class failing { the_nth, from_the_nth_on };
std::atomic<long> allocations_left{all_succeed};
std::atomic<failing> which{failing::the_nth};
std::atomic<long> failed{0};

bool fails() noexcept {
  if (allocations_left.load(std::memory_order_relaxed) >= all_succeed / 2) return false;
  const long before = allocations_left.fetch_sub(1);
  const bool fail = which == failing::the_nth ? before == 0 : before <= 0;
  failed += fail;
  return fail;
}
void* memory_of(std::size_t size) noexcept { return fails() ? nullptr : std::malloc(size); }
void* memory_of(std::size_t size, std::align_val_t at) noexcept {
  const auto line = static_cast<std::size_t>(at);
  return fails() ? nullptr : std::aligned_alloc(line, (size + line - 1) / line * line);
}
void* checked(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All forms use malloc(), because AddressSanitizer compares the form of an allocation with the form of its release. The
// forms of delete are not inlined, because otherwise gcc takes `new` and free() for a pair.
void* operator new(std::size_t size) { return checked(memory_of(size)); }
void* operator new[](std::size_t size) { return checked(memory_of(size)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return memory_of(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return memory_of(size); }
void* operator new(std::size_t size, std::align_val_t at) { return checked(memory_of(size, at)); }
void* operator new[](std::size_t size, std::align_val_t at) { return checked(memory_of(size, at)); }
void* operator new(std::size_t size, std::align_val_t at, const std::nothrow_t&) noexcept {
  return memory_of(size, at);
}
void* operator new[](std::size_t size, std::align_val_t at, const std::nothrow_t&) noexcept {
  return memory_of(size, at);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace nth_allocation_test {
namespace {

/// Calls call() while the n-th allocation fails, for n = 0, 1, 2 ... until none fails, and then once without failures. Does
/// so for both kinds of failure. Returns how many calls met a failure.
long expect_survives(const std::function<void()>& call) {
  long met = 0;
  for (const failing how : {failing::the_nth, failing::from_the_nth_on}) {
    which = how;
    for (long n = 0;; ++n) {
      failed = 0;
      allocations_left = n;
      try {
        call();
      } catch (const std::bad_alloc&) {
      }
      allocations_left = all_succeed;
      if (failed == 0) break;
      ++met;
    }
    call();
  }
  return met;
}

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

/// Adds `count` tasks and expects that each task that was added runs.
void expect_runs_what_it_added(int count) {
  const std::string text(100, 'x');  // too long for the task's record
  std::atomic<int> ran{0};
  int added = 0;
  skua::task_group tasks;
  const auto wait_for_them = [&] {
    tasks.wait();
    EXPECT_EQ(ran, added);
  };
  try {
    for (; added < count; ++added)
      tasks.run([&ran, text] {
        fib(5);
        ++ran;
      });
  } catch (const std::bad_alloc&) {
    wait_for_them();
    throw;
  }
  wait_for_them();
}

void run_phase(skua::order by, skua::phase_stealing how) {
  const skua::phase_options options{.order = by, .stealing = how};
  std::atomic<long> ran{0};
  skua::phase<long> tree(options);
  tree.enqueue(6);
  tree.run([&](long n) {
    ++ran;
    for (int i = 0; n > 0 && i < 2; ++i) tree.enqueue(n - 1);
  });
  EXPECT_EQ(ran, 127);
  skua::phase<long> range(options);
  range.enqueue_range(0, 300);
  EXPECT_EQ(range.run([](long i, long& part) { part += i; }, 0L, std::plus<>{}), 44850);
}

struct large_hint {
  char bytes[100];
};

/// Each call takes long under ThreadSanitizer, so there only the policy that allocates most is tested.
bool is_left_out(const std::string& policy) { return under_thread_sanitizer && policy != "managers"; }

// A scheduler may have fewer workers than it wants, so a missing worker is not a failure.
TEST(nth_allocation, of_a_scheduler_leaves_it_refused_or_whole) {
  for (const std::string& policy : policies_or({"nearest", "managers"})) {
    if (is_left_out(policy)) continue;
    SCOPED_TRACE(policy);
    const bool reported = policy == "nearest";
    expect_survives([&] {
      try {
        skua::scheduler pool({.workers = 2, .policy = policy, .keep_report = reported});
        allocations_left = all_succeed;
        EXPECT_EQ(pool.run([] { return fib(10); }), 55);
      } catch (const std::runtime_error& refused) {
        allocations_left = all_succeed;
        EXPECT_NE(std::string(refused.what()).find("no more memory"), std::string::npos) << refused.what();
      }
    });
  }
}

TEST(nth_allocation, of_a_call_reaches_the_caller_or_does_not_matter) {
  for (const std::string& policy :
       policies_or({"nearest", "managers", "managers(radix=2, dedicated=1)", "chase_lev", "bitier"}))
    for (const int workers : workers_or({1, 3})) {
      if (is_left_out(policy)) continue;
      // So many managers use up the reserve of memory, and then the process ends, as phase.hpp says.
      if (workers > 3) continue;
      SCOPED_TRACE(policy + ", " + std::to_string(workers) + " workers");
      skua::scheduler pool({.workers = workers, .policy = policy});
      const auto in_pool = [&](auto call) { expect_survives([&] { pool.run(call); }); };
      in_pool([] { EXPECT_EQ(fib(12), 144); });
      in_pool([] { expect_runs_what_it_added(20); });
      in_pool([] {
        std::vector<int> runs(300);
        skua::parallel_for(
            0, 300, [&](int i) { ++runs[static_cast<std::size_t>(i)]; },
            skua::loop{.grain = 4, .hint = [](auto, auto) { return large_hint{}; }});
        EXPECT_EQ(std::accumulate(runs.begin(), runs.end(), 0), 300);
      });
      in_pool([] {
        const auto list = [](int i) { return std::vector<int>{i}; };
        const auto append = [](std::vector<int> a, const std::vector<int>& b) {
          a.insert(a.end(), b.begin(), b.end());
          return a;
        };
        EXPECT_EQ(skua::parallel_reduce(0, 40, std::vector<int>{}, list, append).size(), 40u);
        EXPECT_EQ(skua::parallel_reduce_deterministic(0, 40, std::vector<int>{}, list, append).size(), 40u);
      });
      in_pool([] { run_phase(skua::order::fifo, skua::phase_stealing::messages); });
      in_pool([] { run_phase(skua::order::priority, skua::phase_stealing::messages); });
      in_pool([] { run_phase(skua::order::lifo, skua::phase_stealing::chase_lev); });
      in_pool([] {
        skua::per_worker<std::string> texts(std::string(50, 'x'));
        skua::parallel_for(0, 100, [&](int) { EXPECT_EQ(texts.local().size(), 50u); });
      });
    }
}

TEST(nth_allocation, of_a_thread_without_a_worker_reaches_it) {
  EXPECT_EQ(fib(10), 55);
  EXPECT_GT(expect_survives([] { expect_runs_what_it_added(20); }), 20);
  expect_survives([] {
    EXPECT_EQ(skua::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>{}), 499500);
  });
}

// The machine does not come from a machine file: nlohmann-json reads those, and it allocates memory when it destroys values.
TEST(nth_allocation, of_a_simulated_scheduler_leaves_it_refused_or_whole) {
  expect_survives([] {
    skua::scheduler pool({.workers = 2, .simulate = skua::simulation{.machine = "package:1 core:4 pu:1"}});
    allocations_left = all_succeed;
    EXPECT_EQ(pool.run([] { return fib(10); }), 55);
  });
}

// A call that had no memory to begin once left the scheduler unusable for good. The first call creates what the model keeps
// about each address. While virtual threads run, the model itself cannot report that there is no memory.
TEST(nth_allocation, of_a_call_that_enters_a_simulated_machine_reaches_the_caller) {
  for (const bool own_threads : {false, true}) {
    skua::scheduler pool(
        {.workers = 2,
         .simulate = skua::simulation{.machine = "package:1 core:4 pu:1", .own_threads = own_threads}});
    const auto call = [&] {
      pool.run([] {
        allocations_left = all_succeed;
        EXPECT_EQ(fib(10), 55);
      });
    };
    call();
    EXPECT_GE(expect_survives(call), 2);
  }
}

TEST(nth_allocation, of_a_trace_reaches_the_caller) {
  skua::scheduler pool({.workers = 2, .keep_trace = true});
  EXPECT_EQ(pool.run([] { return fib(10); }), 55);
  EXPECT_GT(expect_survives([&] { EXPECT_FALSE(pool.trace_json().empty()); }), 2);
}

// A failure once left the name known without its sizes, and left the lock of the names locked.
TEST(nth_allocation, of_a_learnt_region_leaves_it_to_be_learnt) {
  static_assert(!std::is_nothrow_copy_assignable_v<skua::sequence<int>>);
  static_assert(!std::is_nothrow_copy_assignable_v<skua::learnt_region>);
  static_assert(!std::is_nothrow_copy_assignable_v<skua::scheduler_options>);
  static_assert(std::is_nothrow_move_assignable_v<skua::sequence<int>>);
  skua::scheduler pool({.workers = 1});
  const std::string data(5000, 'x');
  int round = 0;
  expect_survives([&] {
    pool.run([&] {
      const skua::learnt_shape shape = skua::learn("nth_allocation_" + std::to_string(round++));
      skua::shaped(shape, [&] { skua::reads(data.data(), data.size()); });
      const auto known = skua::learnt(shape.name);
      EXPECT_TRUE(!known || !known->bytes_by_level.empty());
    });
  });
}

}  // namespace
}  // namespace nth_allocation_test
