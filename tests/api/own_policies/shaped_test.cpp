// Regions on real workers, with more workers than cores, on machines of several domains.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "tests/support/machine_files.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace shaped_test {
namespace {

void spin_us(int us) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

skua::scheduler machine(const char* policy, skua::continuation form = skua::continuation::home,
                        const char* topology = "package:4 core:4 pu:1", std::int64_t workers = 16) {
  return skua::scheduler({.workers = workers,
                          .policy = policy,
                          .topology = skua::topology::synthetic(topology),
                          .park_after_us = 50,
                          .continuation = form});
}

// Records where tasks run. The tasks themselves check it.
struct watch {
  explicit watch(const skua::scheduler& p) : pool(p), inter(p.seats().domains()) {}
  const skua::scheduler& pool;
  std::vector<std::atomic<int>> inter;  // running inter-domain tasks of each domain
  std::atomic<int> leaves{0}, strayed{0}, crowded{0}, leaf_inter{0};

  skua::domain_id here() const {
    return pool.seats()[static_cast<skua::worker_id>(skua::worker_index())].domain;
  }
  /// Runs the part of an inter-domain task that does not wait for its children.
  template <class F>
  void alone(F f) {
    const skua::domain_id home = here();
    if (++inter[home] != 1) ++crowded;
    f();
    --inter[home];
  }
};

constexpr int boundary = 4;

void below(watch& w, skua::domain_id home, int depth) {
  if (w.here() != home) ++w.strayed;
  if (depth == 0) {
    spin_us(3);
    ++w.leaves;
  } else {
    skua::join([&, home, depth] { below(w, home, depth - 1); },
               [&, home, depth] { below(w, home, depth - 1); });
  }
  if (w.here() != home) ++w.strayed;
}

// Level 1 is the call that the region makes.
void recurse(watch& w, int level) {
  if (level == boundary) {
    ++w.leaf_inter;
    w.alone([&] { below(w, w.here(), 4); });
    return;
  }
  w.alone([] { spin_us(2); });  // a task that waits for its children does not count as running
  skua::join([&, level] { recurse(w, level + 1); }, [&, level] { recurse(w, level + 1); });
  w.alone([] { spin_us(2); });
}

void check_tiers(skua::scheduler& pool, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    watch w(pool);
    pool.run([&] { skua::shaped({.boundary_level = boundary}, [&] { recurse(w, 1); }); });
    ASSERT_EQ(w.leaf_inter, 8) << "there are B^(BL-1) leaf inter-domain tasks";
    ASSERT_EQ(w.leaves, 8 * 16);
    ASSERT_EQ(w.strayed, 0) << "an intra-domain task ran outside its domain";
    ASSERT_EQ(w.crowded, 0) << "two inter-domain tasks ran in one domain";
  }
}

TEST(api_shaped, tasks_below_the_boundary_stay_in_their_domain_and_one_above_it_runs_per_domain) {
  for (const char* policy : {"bitier", "bitier(spread)"}) {
    SCOPED_TRACE(policy);
    auto pool = machine(policy);
    check_tiers(pool, 50);
    const skua::report r = pool.report();
    std::printf("%s: %llu steals, %llu remote\n", policy, static_cast<unsigned long long>(r.total.steals),
                static_cast<unsigned long long>(r.total.remote_steals));
  }
}

TEST(api_shaped, holds_on_real_machines_too) {
  const auto files = machine_files();
  if (files.empty()) GTEST_SKIP() << "no further machine files";
  std::vector<const char*> policies{"bitier", "bitier(spread)", "mix(0.5, chaos, bitier)"};
  for (const auto& file : files) {
    // With ThreadSanitizer each machine has one policy, and the next machine another one.
    std::ranges::rotate(policies, policies.begin() + 1);
    for (const char* policy : std::span(policies).first(under_thread_sanitizer ? 1 : policies.size())) {
      SCOPED_TRACE(file.filename().string() + ", " + policy);
      skua::scheduler pool({.workers = 16,
                            .policy = policy,
                            .topology = skua::topology::from_file(file.string()),
                            .park_after_us = 50});
      if (pool.seats().domains() > 1) check_tiers(pool, 5);
    }
  }
}

TEST(api_shaped, holds_with_free_continuation_too) {
#if defined(__x86_64__)
  auto pool = machine("bitier", skua::continuation::free);
  check_tiers(pool, 50);
  // The bound is max(K, M * N) stacks for K tasks at the boundary, and one reserve stack for each worker.
  EXPECT_LE(pool.report().total.stacks, 16u + 16u);
  const auto many = [&](auto&& self, int level) -> void {  // K = 32
    if (level == 6) return skua::join([] { spin_us(5); }, [] { spin_us(5); }), void();
    skua::join([&, level] { self(self, level + 1); }, [&, level] { self(self, level + 1); });
  };
  for (int round = 0; round < 50; ++round)
    pool.run([&] { skua::shaped({.boundary_level = 6}, [&] { many(many, 1); }); });
  EXPECT_LE(pool.report().total.stacks, 32u + 16u);
#endif
}

// The memory that the live nodes of a recursion hold.
struct memory_held {
  std::atomic<std::int64_t> live{0}, peak{0};

  struct piece {
    explicit piece(memory_held& m) : of(m) {
      const std::int64_t now = of.live += bytes;
      std::int64_t max = of.peak;
      while (now > max && !of.peak.compare_exchange_weak(max, now)) {
      }
    }
    ~piece() { of.live -= bytes; }
    piece(const piece&) = delete;
    piece& operator=(const piece&) = delete;
    memory_held& of;
    static constexpr std::int64_t bytes = 1000;
  };
};

void hold(memory_held& all, int level, int deepest) {
  const memory_held::piece mine(all);
  if (level == deepest)
    // This takes long enough for all workers to take part.
    return std::this_thread::sleep_for(std::chrono::microseconds(50));
  skua::join([&, level] { hold(all, level + 1, deepest); }, [&, level] { hold(all, level + 1, deepest); });
}

// The bound of the CAB paper is max(K, M * N) * S_1, for K tasks at the boundary on M domains of N workers. S_1 is the
// memory that one worker holds.
TEST(api_shaped, live_memory_stays_within_the_papers_bound) {
#if defined(__x86_64__)
  for (const std::uint32_t at : {4u, 6u}) {
    const auto peak = [&](std::int64_t workers, int rounds) {
      auto pool = machine("bitier", skua::continuation::free, "package:4 core:4 pu:1", workers);
      memory_held all;
      for (int round = 0; round < rounds; ++round)
        pool.run([&] { skua::shaped({.boundary_level = at}, [&] { hold(all, 1, 9); }); });
      EXPECT_EQ(all.live, 0);
      return all.peak.load();
    };
    const std::int64_t alone = peak(1, 1), together = peak(16, 40);
    EXPECT_EQ(alone, 9 * memory_held::piece::bytes);
    const std::int64_t k = std::int64_t{1} << (at - 1);
    std::printf("boundary level %u: %lld bytes live at most, the bound is %lld\n", at,
                static_cast<long long>(together),
                static_cast<long long>(std::max<std::int64_t>(k, 16) * alone));
    EXPECT_LE(together, std::max<std::int64_t>(k, 16) * alone);
  }
#endif
}

// Takes tasks from every pool, even from those of busy domains.
struct greedy : skua::steal_policy {
  bool has_tiers() const override { return true; }
  std::uint32_t boundary_level(const skua::thief&, const skua::region_shape&) const override {
    return boundary;
  }
  skua::stolen acquire(skua::thief& t) override {
    for (skua::domain_id d = 0; d < t.machine().domains(); ++d)
      if (skua::stolen task = t.try_take(d)) return task;
    for (const skua::worker_id v : t.random_workers(3))
      if (skua::stolen task = t.try_steal(v)) return task;
    return {};
  }
};
SKUA_POLICY(greedy, "greedy", "takes whatever it can get");

TEST(api_shaped, a_greedy_policy_cannot_break_the_tiers) {
  auto pool = machine("greedy");
  check_tiers(pool, 50);
}

TEST(api_shaped, holds_on_other_shapes_of_machines) {
  for (const char* topology :
       {"package:2 core:2 pu:1", "package:2 l3:2 core:2 pu:2", "package:8 core:1 pu:1"}) {
    for (const char* policy : {"bitier", "bitier(spread)"}) {
      auto pool = machine(policy, skua::continuation::home, topology, 8);
      check_tiers(pool, 20);
    }
  }
}

TEST(api_shaped, under_a_mixture_and_under_chaos) {
  for (const char* policy : {"mix(0.7, bitier, random)", "mix(0.5, chaos, bitier)"}) {
    auto pool = machine(policy);
    check_tiers(pool, 20);
  }
}

TEST(api_shaped, has_no_effect_under_other_policies_and_on_one_domain) {
  for (const char* policy : {"random", "nearest"}) {
    auto pool = machine(policy);
    std::atomic<int> ran{0};
    pool.run([&] {
      EXPECT_EQ(skua::shaped({.input_bytes = 1 << 30},
                             [&] {
                               skua::join(skua::inter([&] { ++ran; }), skua::inter([&] { ++ran; }));
                               return 7;
                             }),
                7);
    });
    EXPECT_EQ(ran, 2);
  }
  auto pool = machine("bitier", skua::continuation::home, "core:4 pu:1", 4);
  watch w(pool);
  pool.run([&] { skua::shaped({.boundary_level = boundary}, [&] { below(w, 0, 8); }); });
  EXPECT_EQ(w.leaves, 256);
}

// The iterations of a loop above the boundary share the scope of the task that began it, and each of their joins divides the
// domains for which this task is meant.
TEST(api_shaped, joins_in_a_loop_above_the_boundary_may_run_at_once) {
  auto pool = machine("bitier(spread)");
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    pool.run([&] {
      skua::shaped({.boundary_level = 5}, [&] {
        skua::parallel_for(0, 32, [&](int) { skua::join([&] { ++ran; }, [&] { ++ran; }, [&] { ++ran; }); });
      });
    });
    ASSERT_EQ(ran, 96);
  }
}

class exceptions_in_regions : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(api_shaped, exceptions_in_regions, testing::Values("bitier", "bitier(spread)"),
                         [](const auto& one) { return one.index == 0 ? "bitier" : "spread"; });

TEST_P(exceptions_in_regions, pass_joins_above_the_boundary_as_results_do) {
  auto pool = machine(GetParam());
  for (int i = 0; i < 20; ++i) {
    pool.run([&] {
      skua::shaped({.boundary_level = 5}, [&] {
        const auto [a, b] =
            skua::join([] { return std::string("left"); }, [] { return std::make_unique<int>(5); });
        EXPECT_EQ(a, "left");
        EXPECT_EQ(*b, 5);
        auto [x, y, z] = skua::join([] { return 1; }, [] { return 2; }, [] { return 3; });
        EXPECT_EQ(x + y + z, 6);
        EXPECT_THROW(skua::join([]() -> std::string { throw 1; }, [] { return std::string(100, 'x'); }), int);
        EXPECT_THROW(skua::join([] { return std::string(100, 'x'); }, []() -> std::string { throw 2.0; }),
                     double);
        EXPECT_THROW(skua::join(
                         [] {
                           spin_us(50);
                           throw 1;
                         },
                         [] {
                           spin_us(50);
                           throw 2.0;
                         }),
                     int);
      });
    });
  }
  EXPECT_THROW(pool.run([] { skua::shaped({.boundary_level = 3}, [] { throw 1; }); }), int);
  EXPECT_THROW(skua::shaped({.branching = 1}, [] {}), skua::bad_input);
  const long n = 1000;
  const unsigned m = 1000;
  EXPECT_EQ(skua::shaped({.input_bytes = 8 * n, .branching = 2}, [] { return 1; }), 1);
  EXPECT_EQ(skua::shaped({.input_bytes = 8 * m, .branching = 2}, [] { return 1; }), 1);
  EXPECT_THROW(skua::shaped({.input_bytes = -8 * n}, [] {}), skua::bad_input);
}

TEST(api_shaped, a_program_may_mark_inter_domain_tasks_itself) {
  auto pool = machine("bitier");
  for (int round = 0; round < 30; ++round) {
    watch w(pool);
    const auto leaf = [&] {
      const skua::domain_id home = w.here();
      if (++w.inter[home] != 1) ++w.crowded;
      below(w, home, 4);
      --w.inter[home];
    };
    pool.run([&] {
      skua::join(skua::inter(leaf), skua::inter(leaf), skua::inter(leaf));
      skua::join(skua::inter([&] { spin_us(5); }), skua::inter(leaf));
    });
    EXPECT_EQ(w.leaves, 4 * 16);
    EXPECT_EQ(w.strayed, 0);
    EXPECT_EQ(w.crowded, 0);
  }
}

TEST(api_shaped, loops_groups_locks_and_isolation_live_in_regions) {
  auto pool = machine("bitier");
  for (int round = 0; round < 10; ++round) {
    std::atomic<int> sum{0};
    skua::mutex guard;
    int guarded = 0;
    const auto work = [&](auto&& self, int depth) -> void {
      skua::parallel_for(0, 20, [&](int) { ++sum; });
      skua::task_group tasks;
      for (int i = 0; i < 5; ++i)
        tasks.run([&] {
          skua::join([&] { ++sum; }, [&] { ++sum; });
          std::lock_guard lock(guard);
          ++guarded;
        });
      tasks.wait();
      {
        std::lock_guard lock(guard);
        skua::join([&] { ++sum; }, [&] { ++sum; });
      }
      skua::isolate([&] { skua::join([&] { ++sum; }, [&] { ++sum; }); });
      if (depth > 0) skua::join([&, depth] { self(self, depth - 1); }, [&, depth] { self(self, depth - 1); });
    };
    pool.run([&] { skua::shaped({.boundary_level = 3}, [&] { work(work, 4); }); });
    EXPECT_EQ(sum, 31 * (20 + 10 + 2 + 2));
    EXPECT_EQ(guarded, 31 * 5);
  }
}

TEST(api_shaped, groups_inside_group_tasks_stay_in_their_domain) {
  auto pool = machine("bitier");
  for (int round = 0; round < 20; ++round) {
    watch w(pool);
    const auto leaf = [&] {
      const skua::domain_id home = w.here();
      const auto spawn = [&](const auto& self, int depth) -> void {
        skua::task_group tasks;
        for (int i = 0; i < 4; ++i)
          tasks.run([&, depth] {
            if (w.here() != home) ++w.strayed;
            spin_us(20);
            ++w.leaves;
            if (depth > 0) self(self, depth - 1);
          });
        tasks.wait();
      };
      spawn(spawn, 2);
    };
    pool.run([&] { skua::join(skua::inter(leaf), skua::inter(leaf)); });
    EXPECT_EQ(w.leaves, 2 * (4 + 16 + 64));
    EXPECT_EQ(w.strayed, 0);
  }
}

// The heads of this policy steal half of the tasks that they find.
struct halves_with_tiers : skua::steal_policy {
  bool has_tiers() const override { return true; }
  std::uint32_t boundary_level(const skua::thief&, const skua::region_shape&) const override { return 1; }
  skua::stolen acquire(skua::thief& t) override {
    if (!may_steal) return {};
    for (const skua::worker_id victim : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(victim, skua::amount::half)) return task;
    return {};
  }
  static inline std::atomic<bool> may_steal{false};
};
SKUA_POLICY(halves_with_tiers, "test_halves_with_tiers", "steals half of what anybody has");

// The region has ended, but its tasks are still in the queue, behind an older task that any worker may take.
TEST(api_shaped, tasks_of_an_ended_region_stay_when_half_of_a_queue_is_stolen) {
  for (const int tasks_below : {10, 40'000}) {  // the tasks are in the queue, or mostly in the backlog
    auto pool = machine("test_halves_with_tiers", skua::continuation::home, "package:2 core:1 pu:1", 2);
    watch w(pool);
    std::atomic<bool> stolen{false};
    halves_with_tiers::may_steal = false;
    pool.run([&] {
      skua::task_group tasks;
      const skua::domain_id home = w.here();
      spin_us(5'000);  // the other worker sleeps by now, so tasks become public when they are queued
      tasks.run([&, home] { stolen = w.here() != home; });
      skua::shaped(skua::region_shape{}, [&] {
        for (int i = 0; i < tasks_below; ++i)
          tasks.run([&, home] {
            if (w.here() != home) ++w.strayed;
          });
      });
      halves_with_tiers::may_steal = true;
      for (patience left; left && !stolen;) spin_us(100);
      tasks.wait();
    });
    EXPECT_TRUE(stolen) << "the oldest task may run in any domain";
    EXPECT_EQ(w.strayed, 0) << tasks_below;
  }
}

TEST(api_shaped, a_learnt_shape_has_a_name_that_can_be_read_back) {
  for (const char* name : {"", "two words", "two\nlines"})
    EXPECT_THROW(skua::shaped(skua::learnt_shape{name}, [] {}), skua::bad_input) << name;
}

TEST(api_shaped, several_threads_enter_regions_at_once) {
  auto pool = machine("bitier", skua::continuation::home, "package:2 core:2 pu:1", 4);
  std::atomic<int> leaves{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        watch w(pool);
        pool.run([&] { skua::shaped({.boundary_level = 3}, [&] { below(w, w.here(), 5); }); });
        leaves += w.leaves;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(leaves, 6 * 20 * 32);
}

// A task below the boundary keeps its domain while it waits for a lock, and the holder of the lock waits for the domain.
TEST(api_shaped, a_lock_held_over_a_wait_for_the_domain_causes_no_deadlock) {
  auto pool = machine("bitier", skua::continuation::home, "package:2 core:1 pu:1", 2);
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::mutex guard;
    const auto leaf = [&] {
      for (int i = 0; i < 3; ++i) {
        std::lock_guard lock(guard);
        // The task gives the domain's token away and takes it back, while other tasks wait for the lock.
        skua::join(skua::inter([&] { spin_us(200); }), skua::inter([&] { spin_us(200); }));
        ++ran;
      }
    };
    skua::task_group tasks;
    for (int i = 0; i < 4; ++i) tasks.run([&] { skua::join(skua::inter(leaf), skua::inter(leaf)); });
    tasks.wait();
  });
  EXPECT_EQ(ran, 4 * 2 * 3);
}

TEST(api_shaped, all_callables_of_a_join_are_of_one_level) {
  auto pool = machine("bitier");
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> leaves{0}, strayed{0};
    pool.run([&] {
      skua::shaped({.branching = 4, .boundary_level = 2}, [&] {
        // Level 2 is at the boundary, so the forks of this task stay in its domain.
        const auto quarter = [&] {
          const int home = skua::worker_index() / 4;
          const auto leaf = [&, home] {
            spin_us(5);
            strayed += skua::worker_index() / 4 != home;
            ++leaves;
          };
          skua::join(leaf, leaf, leaf, leaf);
        };
        skua::join(quarter, quarter, quarter, quarter);
      });
    });
    EXPECT_EQ(leaves, 16);
    EXPECT_EQ(strayed, 0);
  }
}

// ---- learning

void sweep(double* data, std::size_t n, int depth) {
  if (depth == 0) {
    skua::reads(data, n);
    skua::writes(data, n);
    return;
  }
  skua::join([=] { sweep(data, n / 2, depth - 1); }, [=] { sweep(data + n / 2, n - n / 2, depth - 1); });
}

TEST(api_shaped, a_tile_is_declared_row_by_row) {
  static double matrix[64][128];
  for (const char* name : {"test.tile.read", "test.tile.written"}) {
    auto pool = machine("bitier");
    pool.run([&] {
      skua::shaped(skua::learn(name), [&] {
        if (name == std::string_view("test.tile.read"))
          skua::reads(&matrix[0][0], 32, 64, 128);
        else
          skua::writes(&matrix[0][0], 32, 64, 128);
        skua::costs(1000);
      });
    });
    EXPECT_EQ(skua::learnt(name)->input_bytes, 32 * 64 * sizeof(double)) << name;
  }
}

TEST(api_shaped, the_first_run_learns_the_shape) {
  auto pool = machine("bitier");
  std::vector<double> data(1 << 16);
  ASSERT_FALSE(skua::learnt("test.sweep"));
  pool.run([&] { skua::shaped(skua::learn("test.sweep"), [&] { sweep(data.data(), data.size(), 6); }); });
  const auto seen = skua::learnt("test.sweep");
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->input_bytes, data.size() * sizeof(double)) << "each byte counts once";
  EXPECT_EQ(seen->branching, 2u);
  EXPECT_EQ(seen->depth, 7u) << "the deepest task is six forks below level 1";
  ASSERT_EQ(seen->bytes_by_level.size(), 8u);
  EXPECT_EQ(seen->bytes_by_level[7], 2 * data.size() * sizeof(double))
      << "the leaves read and write all data";
  EXPECT_EQ(seen->bytes_by_level[6], 0u);
  // From now on the region has tiers. By default 512 KiB are too small for tiers, so this policy has a lower limit.
  auto small = machine("bitier(large=1000)");
  small.run([&] { skua::shaped(skua::learn("test.sweep"), [&] { sweep(data.data(), data.size(), 6); }); });
}

int quads(int depth) {
  if (depth == 0) return 1;
  const auto quarter = [=] { return quads(depth - 1); };
  const auto [a, b, c, d] = skua::join(quarter, quarter, quarter, quarter);
  return a + b + c + d;
}

TEST(api_shaped, learning_runs_in_parallel_and_under_every_policy) {
  for (const char* policy : {"random", "bitier", "nearest(half)"}) {
    auto pool = machine(policy);
    const std::string name = std::string("test.quads.") + policy[0];
    EXPECT_EQ(pool.run([&] { return skua::shaped(skua::learn(name), [] { return quads(5); }); }), 1024);
    EXPECT_EQ(skua::learnt(name)->branching, 4u);
    EXPECT_EQ(pool.run([&] { return skua::shaped(skua::learn(name), [] { return quads(5); }); }), 1024);
  }
  EXPECT_THROW(skua::learn("two words"), skua::bad_input);
}

}  // namespace
}  // namespace shaped_test
