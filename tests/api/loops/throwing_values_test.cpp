// Values whose n-th copy or move throws, for n = 0, 1, 2 ... They are identities and results of reductions, scans, joins and
// phases, captures of tasks, and values of per_worker. The exception reaches the caller, each value is destroyed once, and
// the next call works.
#include <atomic>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/full_form.hpp"

namespace throwing_values_test {
namespace {

struct refused {};
constexpr long never = std::numeric_limits<long>::max();
std::atomic<long> alive{0}, copies_left{never}, moves_left{never};
void count_down(std::atomic<long>& left) {
  if (left.load() != never && left.fetch_sub(1) <= 0) throw refused();
}

struct value {
  explicit value(long is) : number(is) { ++alive; }
  value(const value& other) : number(other.number) {
    count_down(copies_left);
    ++alive;
  }
  value(value&& other) : number(other.number) {
    count_down(moves_left);
    ++alive;
  }
  value& operator=(const value& other) {
    count_down(copies_left);
    number = other.number;
    return *this;
  }
  value& operator=(value&& other) {
    count_down(moves_left);
    number = other.number;
    return *this;
  }
  ~value() { --alive; }
  long number;
};
value sum(const value& a, const value& b) { return value(a.number + b.number); }

/// Takes long enough for thieves to steal.
value after_a_while(long is) {
  volatile unsigned x = 1;
  for (int i = 0; i < 200; ++i) x = x * 1664525u + 1013904223u;
  return value(is);
}

void expect_passes_it_on(const char* what, const std::function<void()>& call) {
  for (std::atomic<long>* const left : {&copies_left, &moves_left}) {
    const long before = alive;
    for (long n = 0; n < 25; ++n) {
      *left = n;
      try {
        call();
      } catch (const refused&) {
      }
      *left = never;
      ASSERT_EQ(alive, before) << what << ", " << n;
    }
    call();
    ASSERT_EQ(alive, before) << what;
  }
}

void reduce(int size, const skua::loop& how = {}) {
  const value all = skua::parallel_reduce(0, size, value(0), &after_a_while, &sum, how);
  EXPECT_EQ(all.number, long{size} * (size - 1) / 2);
}

void add_tasks() {
  skua::task_group tasks;
  std::atomic<int> ran{0};
  int added = 0;
  const value captured(3);
  try {
    for (; added < 10; ++added) tasks.run([captured, &ran] { ran += after_a_while(1).number == 1; });
  } catch (const refused&) {
    tasks.wait();
    EXPECT_EQ(ran, added);
    throw;
  }
  tasks.wait();
  EXPECT_EQ(ran, added);
}

void make_values_of_workers() {
  skua::per_worker<value> values(value(5));
  std::atomic<bool> thrown{false};
  skua::parallel_for(0, 40, [&](int i) {
    try {
      EXPECT_EQ(after_a_while(i).number, i);
      EXPECT_EQ(values.local().number, 5);
    } catch (const refused&) {
      thrown = true;
    }
  });
  copies_left = moves_left = never;
  EXPECT_EQ(values.local().number, 5);  // the construction is tried again
  if (thrown) throw refused();
}

void sum_in_phase(skua::phase_stealing how) {
  skua::phase<long> numbers(skua::phase_options{.stealing = how});
  numbers.enqueue_range(0, 100);
  const value all = numbers.run([](long i, value& part) { part.number += i; }, value(0), &sum);
  EXPECT_EQ(all.number, 4950);
}

void reach_the_caller(const std::string& policy, int workers) {
  SCOPED_TRACE(policy);
  skua::scheduler pool({.workers = workers, .policy = policy});
  const auto check = [&](const char* what, auto call) { expect_passes_it_on(what, [&] { pool.run(call); }); };
  check("a long reduction", [] { reduce(300); });
  check("a short reduction", [] { reduce(30); });
  check("a reduction with a grain", [] { reduce(200, {.grain = 7}); });
  check("a reduction with a memo", [] {
    skua::loop_memo memo;
    reduce(100, {.placement = skua::same_as_last(memo)});
  });
  check("a deterministic reduction", [] {
    const value all = skua::parallel_reduce_deterministic(0, 100, value(0), &after_a_while, &sum);
    EXPECT_EQ(all.number, 4950);
  });
  expect_passes_it_on("a reduction from outside", [] { reduce(100); });
  check("a scan", [] {
    std::vector<value> ones;
    ones.reserve(1500);
    for (int i = 0; i < 1500; ++i) ones.emplace_back(1);
    skua::parallel_inclusive_scan(ones.begin(), ones.end(), ones.begin(), value(0), &sum);
    EXPECT_EQ(ones.back().number, 1500);
  });
  check("a join", [] {
    const auto [a, b, c] = skua::join([] { return after_a_while(1); }, [] { return after_a_while(2); },
                                      [] { return after_a_while(3); });
    EXPECT_EQ(a.number + b.number + c.number, 6);
  });
  check("tasks of a group", &add_tasks);
  check("values of workers", &make_values_of_workers);
  check("a phase by messages", [] { sum_in_phase(skua::phase_stealing::messages); });
  check("a phase by deques", [] { sum_in_phase(skua::phase_stealing::chase_lev); });
}

class throwing_values : public testing::TestWithParam<int> {};

TEST_P(throwing_values, reach_the_caller_and_are_destroyed_once) {
  for (const std::string& policy : policies_or({"nearest"})) reach_the_caller(policy, GetParam());
}

std::string workers(const testing::TestParamInfo<int>& info) { return std::to_string(info.param); }
INSTANTIATE_TEST_SUITE_P(workers, throwing_values, testing::ValuesIn(workers_or({1, 3})), workers);

}  // namespace
}  // namespace throwing_values_test
