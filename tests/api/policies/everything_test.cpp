// Uses each function and type that programs need, once, under every policy, on 1, 2, 3 and 64 workers.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

namespace everything_test {
namespace {

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

void joins() {
  EXPECT_EQ(fib(12), 144);
  const auto [a, b, c] = skua::join([] { return 1; }, [] { return std::string("b"); }, [] { return 2.0; });
  EXPECT_TRUE(a == 1 && b == "b" && c == 2.0);
  std::atomic<int> calls{0};
  skua::parallel_invoke([&] { ++calls; }, [&] { ++calls; }, [&] { ++calls; });
  EXPECT_EQ(calls, 3);
  EXPECT_THROW(skua::join([] { throw 1; }, [] { return 2; }), int);
  const auto [x, y] = skua::join(skua::inter([] { return fib(8); }), skua::inter([] { return fib(7); }));
  EXPECT_EQ(x + y, 34);
  const skua::trace_span span("everything");
  EXPECT_EQ(skua::shaped({.input_bytes = 1 << 20, .branching = 2}, [] { return fib(10); }), 55);
  EXPECT_EQ(skua::shaped(skua::learn("everything"), [] { return fib(8); }), 21);
}

void loops() {
  std::vector<int> runs(500);
  skua::parallel_for(0, 500, [&](int i) { ++runs[static_cast<std::size_t>(i)]; });
  skua::parallel_for_each(runs, [](int& n) { ++n; });
  EXPECT_EQ(std::ranges::count(runs, 2), 500);
  std::list<int> list(50, 1);
  skua::parallel_for_each(list, [](int& n) { ++n; });
  EXPECT_EQ(std::ranges::count(list, 2), 50);
  std::atomic<std::size_t> cells{0};
  skua::parallel_for(skua::blocked2d(0, 20, 0, 30), [&](auto r, auto c) { cells += r.size() * c.size(); });
  skua::parallel_for(skua::blocked3d(0, 5, 0, 6, 0, 7),
                     [&](auto p, auto r, auto c) { cells += p.size() * r.size() * c.size(); });
  EXPECT_EQ(cells, 600u + 210u);
  skua::loop_memo memo;
  std::atomic<int> ran{0};
  for (int sweep = 0; sweep < 2; ++sweep)
    skua::parallel_for(0, 200, [&](int) { ++ran; }, {.placement = skua::same_as_last(memo)});
  skua::parallel_for(0, 200, [&](int) { ++ran; },
                     {.grain = 3, .hint = [](auto first, auto) { return skua::depth{first}; }});
  EXPECT_EQ(ran, 600);
}

void algorithms() {
  const auto number = [](int i) { return long{i}; };
  EXPECT_EQ(skua::parallel_reduce(0, 5000, 0L, number, std::plus<>{}), 12497500);
  EXPECT_EQ(skua::parallel_reduce_deterministic(0, 5000, 0L, number, std::plus<>{}), 12497500);
  std::vector<long> ones(2000, 1), sums(2000);
  skua::parallel_inclusive_scan(ones.begin(), ones.end(), sums.begin(), 0L, std::plus<>{});
  EXPECT_EQ(sums.back(), 2000);
  skua::parallel_exclusive_scan(ones.begin(), ones.end(), sums.begin(), 0L, std::plus<>{});
  EXPECT_EQ(sums.back(), 1999);
  std::vector<int> mixed(2000);
  for (int i = 0; i < 2000; ++i) mixed[static_cast<std::size_t>(i)] = i * 7919 % 2003;
  skua::parallel_sort(mixed.begin(), mixed.end());
  EXPECT_TRUE(std::ranges::is_sorted(mixed));
}

void groups_and_waits() {
  skua::task_group tasks;
  std::atomic<long> ran{0};
  for (int i = 0; i < 60; ++i) tasks.run(skua::hinted(skua::priority{i}, [&] { ran += fib(4) == 3; }));
  auto five = tasks.run_returning([](int n) { return n + 1; }, 4);
  tasks.wait();
  EXPECT_EQ(ran + five.get(), 65);
  tasks.run([] { throw 5; });
  EXPECT_THROW(tasks.wait(), int);
  skua::mutex mutex;
  int counted = 0;
  skua::per_worker<long> values(0L);
  skua::parallel_for(0, 30, [&](int) {
    values.local() += 1;
    const std::lock_guard lock(mutex);
    counted += skua::blocking([] { return 1; });
  });
  EXPECT_EQ(counted, 30);
  EXPECT_EQ(values.combine(0L, std::plus<>{}), 30);
  EXPECT_EQ(skua::isolate([] { return fib(8); }), 21);
}

void phases() {
  for (const auto by : {skua::order::lifo, skua::order::fifo, skua::order::priority}) {
    skua::phase<long> tree(by);
    std::atomic<int> ran{0};
    tree.enqueue(4);
    tree.run([&](long n) {
      ++ran;
      for (int i = 0; n > 0 && i < 2; ++i) tree.enqueue(n - 1);
    });
    EXPECT_EQ(ran, 31);
    tree.enqueue_range(0, 200);
    EXPECT_EQ(tree.run([](long i, long& part) { part += i; }, 0L, std::plus<>{}), 19900);
  }
}

class everything : public testing::TestWithParam<std::string> {};

TEST_P(everything, works_on_1_2_3_and_64_workers) {
  for (const int workers : {1, 2, 3, 64}) {
    SCOPED_TRACE(workers);
    skua::scheduler pool({.workers = workers,
                          .policy = GetParam(),
                          .topology = skua::topology::synthetic("package:2 l3:2 core:4 pu:4")});
    pool.run([] {
      joins();
      loops();
      algorithms();
      groups_and_waits();
      phases();
    });
    std::thread other([&] { EXPECT_EQ(pool.run([] { return fib(10); }), 55); });
    EXPECT_EQ(pool.run([] { return fib(10); }), 55);
    other.join();
    EXPECT_GT(pool.report().total.forks, 0u);
  }
}

std::vector<std::string> policies() {
  std::vector<std::string> names{"managers(dedicated=2)", "managers(rescue=no)", "mix(0.5, bitier, chaos)"};
  for (const skua::policy_info* info : skua::policies()) names.emplace_back(info->name);
  names.emplace_back("nearest(deal=always)");
  return names;
}
std::string readable(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(, everything, testing::ValuesIn(policies()), readable);

}  // namespace
}  // namespace everything_test
