// Hints on real workers: a thief sees the hint that the task carries, and a refused task stays where it is.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace hint_test {
namespace {

struct seen {
  static inline std::atomic<int> peeks{0}, right{0}, wrong{0}, refusals{0}, steals{0};
  static void forget() { peeks = right = wrong = refusals = steals = 0; }
};

struct tag {
  int value, twice;
};
struct wide {
  int value;
  int rest[40];
};

void judge(const skua::hint& h) {
  if (const auto t = h.as<tag>()) ++(t->twice == 2 * t->value ? seen::right : seen::wrong);
  if (const auto w = h.as<wide>()) {
    bool all = true;
    for (const int r : w->rest) all &= r == w->value;
    ++(all ? seen::right : seen::wrong);
  }
}

// Looks at every worker and takes only tasks with an even tag.
struct even_only : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id v : t.random_workers(t.workers())) {
      if (const auto h = t.peek(v)) {
        ++seen::peeks;
        judge(*h);
      }
      const auto even = [](const skua::hint& h) {
        judge(h);
        const auto mine = h.as<tag>();
        if (!mine || mine->value % 2 == 0) return true;
        ++seen::refusals;
        return false;
      };
      if (skua::stolen task = t.try_steal(v, even)) {
        ++seen::steals;
        return task;
      }
    }
    return {};
  }
};
SKUA_POLICY(even_only, "even_only", "takes what has an even tag");

skua::scheduler pool_of(std::int64_t workers, const char* policy) {
  return skua::scheduler({.workers = workers, .policy = policy, .park_after_us = 50});
}

void spin_us(int us) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

int tree(int depth, int value) {
  if (depth == 0) {
    spin_us(2);
    return 1;
  }
  auto [a, b] =
      skua::join([=] { return tree(depth - 1, 2 * value); },
                 skua::hinted(tag{2 * value, 4 * value}, [=] { return tree(depth - 1, 2 * value + 2); }));
  return a + b;
}

TEST(api_hint, joins_show_the_hints_they_carry) {
  seen::forget();
  auto pool = pool_of(4, "even_only");
  const patience left;  // a thief may come late if other programs use the CPUs
  for (int i = 0; i < 20 || (left && (seen::right == 0 || seen::steals == 0)); ++i)
    ASSERT_EQ(pool.run([] { return tree(10, 1); }), 1024);
  EXPECT_GT(seen::right, 0);
  EXPECT_EQ(seen::wrong, 0);
  EXPECT_GT(seen::steals, 0);
}

TEST(api_hint, a_refused_task_runs_where_it_was) {
  seen::forget();
  auto pool = pool_of(2, "even_only");
  for (patience left; left && seen::refusals == 0;) {  // until a thief has refused the task
    const int home_ran = pool.run([] {
      std::atomic<int> at_home{0};
      const int me = skua::worker_index();
      for (int i = 0; i < 200; ++i)
        skua::join([] { spin_us(50); },
                   skua::hinted(tag{1, 2}, [&] { at_home += skua::worker_index() == me; }));
      return at_home.load();
    });
    EXPECT_EQ(home_ran, 200);
  }
  EXPECT_GT(seen::refusals, 0);
  EXPECT_EQ(seen::wrong, 0);
}

TEST(api_hint, group_tasks_carry_hints_of_every_size) {
  seen::forget();
  auto pool = pool_of(4, "even_only");
  std::atomic<int> ran{0};
  int rounds = 0;
  const patience left;
  pool.run([&] {
    for (; rounds < 20 || (left && seen::right == 0); ++rounds) {
      skua::task_group tasks;
      for (int i = 0; i < 100; ++i) {
        wide hint{i, {}};
        for (int& r : hint.rest) r = i;
        tasks.run(skua::hinted(hint, [&ran] {
          spin_us(2);
          ++ran;
        }));
        tasks.run(skua::hinted(tag{i, 2 * i}, [](std::atomic<int>& n, int by) { n += by; }), std::ref(ran),
                  1);
      }
      auto nine = tasks.run_returning(skua::hinted(tag{2, 4}, [](int x) { return x * x; }), 3);
      tasks.wait();
      EXPECT_EQ(nine.get(), 9);
    }
  });
  EXPECT_EQ(ran, rounds * 200);
  EXPECT_GT(seen::right, 0);
  EXPECT_EQ(seen::wrong, 0);
}

TEST(api_hint, a_loop_says_what_a_steal_would_take) {
  struct part {
    std::int64_t first, last;
  };
  auto pool = pool_of(3, "affinity");
  std::atomic<int> calls{0}, outside{0};
  std::vector<int> hits(5000);
  int rounds = 0;
  const patience left;
  pool.run([&] {
    for (; rounds < 20 || (left && calls == 0); ++rounds)
      skua::parallel_for(
          1000, 6000,
          [&](int i) {
            spin_us(1);
            ++hits[static_cast<std::size_t>(i - 1000)];
          },
          skua::loop{.grain = 16, .hint = [&](auto first, auto last) {
                       ++calls;
                       outside += first < 1000 || last > 6000 || first >= last;
                       return part{first, last};
                     }});
  });
  for (const int h : hits) ASSERT_EQ(h, rounds);
  EXPECT_GT(calls, 0);
  EXPECT_EQ(outside, 0);
}

TEST(api_hint, a_function_of_a_loop_may_throw_or_be_moved_from) {
  skua::scheduler pool({.workers = 4, .park_after_us = 50});
  const auto throws = [](auto first, auto) -> skua::depth {
    if (first >= 0) throw std::runtime_error("no hint");
    return {0};
  };
  const auto runs_all = [&](const skua::loop& how) {
    std::atomic<int> ran{0};
    pool.run([&] { skua::parallel_for(0, 20'000, [&](int) { ++ran; }, how); });
    return ran == 20'000;
  };
  EXPECT_TRUE(runs_all({.hint = throws}));
  skua::loop from{.hint = [v = std::vector<long>{1}](auto, auto) { return skua::depth{v[0]}; }};
  const skua::loop to = std::move(from);
  EXPECT_TRUE(runs_all(to));
  EXPECT_FALSE(from.hint);
  EXPECT_TRUE(runs_all(from));
}

TEST(api_hint, a_large_hint_that_was_moved_from_has_no_value) {
  skua::affinity<40> all{};
  all.wants[39] = 7;
  skua::hint from(all);
  const skua::hint to = std::move(from);
  EXPECT_EQ(to.wants(39), 7);
  EXPECT_EQ(from.wants(39), 0);
  EXPECT_FALSE(from.as<skua::affinity<40>>());
}

TEST(api_hint, an_exception_passes_a_hinted_join) {
  auto pool = pool_of(2, "depth_aware");
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(pool.run([&] {
      skua::join([] { spin_us(20); }, skua::hinted(skua::depth{1}, [&] { throw std::string("second"); }));
    }),
                 std::string);
    EXPECT_THROW(pool.run([&] {
      skua::join([] { throw 1; },
                 skua::hinted(skua::depth{1}, [&] { return std::string("dropped when stolen"); }));
    }),
                 int);
  }
}

TEST(api_hint, three_callables_keep_their_hints_and_results) {
  auto pool = pool_of(3, "depth_aware");
  const auto [a, b, c] = pool.run([] {
    return skua::join([] { return 1; }, skua::hinted(skua::depth{1}, [] { return 2; }),
                      skua::hinted(skua::depth{1}, [] { return 3; }));
  });
  EXPECT_EQ(a + b + c, 6);
}

// The policies of the paper run programs with and without hints, on more workers than there are cores.
long fib(int n, std::int64_t d) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1, d + 1); },
                           skua::hinted(skua::depth{d + 1}, [=] { return fib(n - 2, d + 1); }));
  return a + b;
}

TEST(api_hint, built_in_policies_run_every_program) {
  for (const char* policy :
       {"depth_aware", "depth_aware(candidates=8, half)", "affinity", "affinity(strict)"}) {
    skua::scheduler pool({.workers = 8,
                          .policy = policy,
                          .topology = skua::topology::synthetic("package:2 core:4 pu:1"),
                          .park_after_us = 50});
    EXPECT_EQ(pool.run([] { return fib(20, 0); }), 6765) << policy;
    std::atomic<int> sum{0};
    pool.run([&] { skua::parallel_for(0, 1000, [&](int) { ++sum; }); });
    EXPECT_EQ(sum, 1000) << policy;
  }
}

// Repeats the STREAM triad by divide and conquer: 256 leaves, 3 x 8 MB. The hint of each part names the workers that ran it
// last. At first each worker is named equally often.
class triad {
 public:
  explicit triad(int workers) {
    for (std::size_t i = 0; i < leaves; ++i)
      ran_[i] = static_cast<int>(i * static_cast<std::size_t>(workers) / leaves);
  }
  void sweep() {
    last_ = ran_;
    part(0, leaves);
  }
  double same_as_before() const {
    int same = 0;
    for (std::size_t i = 0; i < leaves; ++i) same += ran_[i] == last_[i];
    return static_cast<double>(same) / leaves;
  }
  double share_of(int worker) const {
    return static_cast<double>(std::count(ran_.begin(), ran_.end(), worker)) / leaves;
  }

 private:
  static constexpr std::size_t leaves = 256, doubles = (1 << 20), each = doubles / leaves;

  void part(std::size_t first, std::size_t end) {
    if (end - first == 1) {
      for (std::size_t i = first * each; i < end * each; ++i) a_[i] = b_[i] + 3.0 * c_[i];
      skua::costs(each * (1 + static_cast<double>(random_() % 8) / 8));
      ran_[first] = skua::worker_index();
      return;
    }
    const std::size_t middle = (first + end) / 2;
    skua::affinity<8> wants{};
    for (std::size_t i = middle; i < end; ++i) ++wants.wants[last_[i]];
    skua::join([=, this] { part(first, middle); }, skua::hinted(wants, [=, this] { part(middle, end); }));
  }
  std::vector<double> a_ = std::vector<double>(doubles), b_ = a_, c_ = a_;
  std::vector<int> ran_ = std::vector<int>(leaves), last_ = ran_;
  std::minstd_rand random_{1};  // needs no lock, since virtual threads run one at a time
};

struct sweeps {
  double same;  // share of the leaves that ran where they ran before: the median of the sweeps
  int wide;     // the number of sweeps in which at least two workers each ran a good share
};

// The machine is simulated. On a real one other programs may take a worker's CPU, and its leaves then run elsewhere.
sweeps of_triad(int workers, const char* policy) {
  skua::scheduler pool({.workers = workers,
                        .policy = policy,
                        .park_after_us = 50,
                        .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  triad t(workers);
  std::vector<double> shares;
  int wide = 0;
  pool.run([&] {
    for (int i = 0; i < 3; ++i) t.sweep();
    for (int i = 0; i < 41; ++i) {
      t.sweep();
      shares.push_back(t.same_as_before());
      int at_work = 0;
      for (int w = 0; w < workers; ++w) at_work += t.share_of(w) > 0.4 / workers;
      wide += at_work >= 2;
    }
  });
  std::nth_element(shares.begin(), shares.begin() + 20, shares.end());
  std::printf(
      "  %d workers, %s: %.1f%% re-run where they ran before (median of 41 sweeps), %d sweeps by several\n",
      workers, policy, 100 * shares[20], wide);
  return {shares[20], wide};
}

TEST(api_hint, affinity_runs_triad_leaves_where_they_ran_before) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const sweeps two = of_triad(2, "affinity"), strict = of_triad(8, "affinity(strict)"),
               best_effort = of_triad(8, "affinity"), anywhere = of_triad(8, "random");
  EXPECT_GT(two.same, 0.9);
  EXPECT_GT(two.wide, 20);
  EXPECT_GT(strict.same, 0.8);
  EXPECT_GT(strict.wide, 20);
  EXPECT_GT(best_effort.same, 1.2 * anywhere.same);
  EXPECT_LT(anywhere.same, 0.5) << "without affinity few tasks run on the same worker again";
}

void expect_strict(int workers) {
  skua::scheduler pool({.workers = workers,
                        .policy = "affinity(strict)",
                        .topology = skua::topology::synthetic("package:4 core:4 pu:1")});
  std::atomic<int> wrong{0}, ran{0};
  pool.run([&] {
    const int me = skua::worker_index();
    for (int round = 0; round < 50; ++round) {
      skua::task_group tasks;
      for (int i = 0; i < 64; ++i) {
        const auto wanted = static_cast<skua::worker_id>(i % workers);
        tasks.run(skua::hinted(skua::affinity_to{wanted}, [&, wanted] {
          const int here = skua::worker_index();
          if (here != me && here != static_cast<int>(wanted)) ++wrong;
          spin_us(2);
          ++ran;
        }));
      }
      tasks.wait();
    }
  });
  EXPECT_EQ(ran, 50 * 64);
  EXPECT_EQ(wrong, 0) << workers << " workers";
}
TEST(api_hint, strict_never_steals_at_zero_affinity) {
  expect_strict(4);
  expect_strict(16);
}

}  // namespace
}  // namespace hint_test
