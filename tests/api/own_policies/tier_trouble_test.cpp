// Cases of regions and policies in which a review found a hang, a crash or a loss.
#include <skua/skua.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/until.hpp"

namespace tier_trouble_test {
namespace {

using namespace std::chrono_literals;

skua::scheduler on(const char* policy, const char* topology, std::int64_t workers) {
  return skua::scheduler({.workers = workers,
                          .policy = policy,
                          .topology = skua::topology::synthetic(topology),
                          .park_after_us = 50});
}

void wait_until(const std::atomic<bool>& flag) {
  until([&] { return flag.load(); });
}

// Takes tasks of other domains and drops every second one. Each dropped task must go back to the pool in which its join
// looks for it.
struct forgetful : skua::steal_policy {
  int taken = 0;
  bool has_tiers() const override { return true; }
  skua::stolen acquire(skua::thief& t) override {
    const skua::domain_id mine = t.machine()[t.id()].domain;
    for (skua::domain_id d = 0; d < t.machine().domains(); ++d)
      if (skua::stolen task = t.try_take(d)) {
        if (d != mine && ++taken % 2 != 0) return {};
        return task;
      }
    return {};
  }
};
SKUA_POLICY(forgetful, "forgetful", "forgets what it has taken");

void tree(std::atomic<int>& leaves, int depth) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  skua::join([&, depth] { tree(leaves, depth - 1); }, [&, depth] { tree(leaves, depth - 1); });
}

TEST(api_tier_trouble, a_forgotten_inter_domain_task_goes_back_to_its_pool) {
  auto pool = on("forgetful", "package:4 core:1 pu:1", 4);
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> leaves{0};
    pool.run([&] { skua::shaped({.boundary_level = 20}, [&] { tree(leaves, 8); }); });
    ASSERT_EQ(leaves, 256);
  }
}

// The holder of the token waits for a lock, and it has left an unused record. The holder of that lock waits for the token.
TEST(api_tier_trouble, a_token_is_lent_although_a_suspended_stack_was_listed) {
  auto pool = on("bitier", "package:2 core:1 pu:1", 2);
  skua::mutex guard;
  std::atomic<bool> spins{false}, release{false}, above_done{false}, below_done{false};
  skua::task_group tasks;
  const auto below = [&] {
    skua::shaped({.boundary_level = 1}, [&] {
      skua::join([&] { std::lock_guard lock(guard); }, [] {});
      below_done = true;
    });
  };
  const auto above = [&] {
    tasks.run(below);
    skua::shaped({.boundary_level = 2}, [&] {
      guard.lock();
      skua::blocking([] { std::this_thread::sleep_for(100ms); });
      guard.unlock();
      above_done = true;
    });
  };
  pool.run([&] {
    tasks.run([&] {
      spins = true;
      wait_until(release);
    });
  });
  wait_until(spins);
  pool.run([&] { tasks.run(above); });
  wait_until(above_done);
  wait_until(below_done);
  release = true;
  tasks.wait();
}

// An isolated region does not wait for a token, because the stack that holds the token may be ready on the same worker.
TEST(api_tier_trouble, an_isolated_region_waits_for_no_token) {
  auto pool = on("bitier", "package:2 core:1 pu:1", 2);
  std::atomic<int> ran{0};
  for (int round = 0; round < 50; ++round)
    pool.run([&] {
      skua::task_group tasks;
      for (int i = 0; i < 6; ++i)
        tasks.run([&, i] {
          const auto region = [&] {
            skua::shaped({.boundary_level = 2},
                         [&] { skua::join([&] { tree(ran, 3); }, [&] { tree(ran, 3); }); });
          };
          if (i % 2)
            skua::isolate(region);
          else
            region();
        });
      tasks.wait();
    });
  EXPECT_EQ(ran, 50 * 6 * 16);
}

// An external thread may be able to return only to one domain. While it waits for that domain, it blocks no other thread.
TEST(api_tier_trouble, an_external_thread_bound_to_a_domain_blocks_no_other_thread) {
  auto pool = on("bitier", "package:2 core:1 pu:1", 2);
  skua::mutex guard;
  guard.lock();
  std::atomic<bool> waits{false}, release{false};
  std::atomic<int> home{-1}, long_ones{0}, little{0};
  std::thread external([&] {
    pool.run([&] {
      skua::shaped({.boundary_level = 1}, [&] {
        home = skua::worker_index();
        waits = true;
        guard.lock();
        guard.unlock();
      });
    });
  });
  wait_until(waits);
  std::this_thread::sleep_for(20ms);  // the external thread has lent its worker by now
  skua::task_group tasks;
  const auto spins_at_home = [&] {
    ++long_ones;
    until([&] { return release || skua::worker_index() != home; }, "the end of the test");
  };
  pool.run([&] { tasks.run(spins_at_home), tasks.run(spins_at_home); });
  until([&] { return long_ones == 2; }, "both long tasks");
  guard.unlock();  // from now on the external thread wants its domain's worker, which may run a long task
  std::this_thread::sleep_for(20ms);
  pool.run([&] {
    skua::task_group few;
    for (int i = 0; i < 20; ++i) few.run([&] { ++little; });
    few.wait();
  });
  EXPECT_EQ(little, 20);
  release = true;
  tasks.wait();
  external.join();
}

TEST(api_tier_trouble, workers_share_a_loop_above_the_boundary_whatever_its_body_enters) {
  auto pool = on("bitier", "package:2 core:2 pu:1", 4);
  for (const bool in_group : {false, true}) {
    std::mutex guard;
    std::set<int> who;
    for (patience left; left && who.size() < 2;)  // other programs may use the CPUs
      pool.run([&] {
        skua::shaped({.boundary_level = 3}, [&] {
          skua::parallel_for(0, 100, [&](int) {
            if (in_group) {
              skua::task_group tasks;
              tasks.run([] {});
              tasks.wait();
            } else {
              skua::isolate([] {});
            }
            std::this_thread::sleep_for(2ms);
            std::lock_guard lock(guard);
            who.insert(skua::worker_index());
          });
        });
      });
    EXPECT_GT(who.size(), 1u);
  }
}

TEST(api_tier_trouble, a_group_may_outlive_its_region) {
  auto pool = on("bitier", "package:2 core:1 pu:1", 2);
  pool.run([&] {
    std::shared_ptr<skua::task_group> kept;
    const auto make = [&] { skua::join([&] { kept = std::make_shared<skua::task_group>(); }, [] {}); };
    for (const bool learns : {false, true}) {
      if (learns)
        skua::shaped(skua::learn("test.kept"), make);
      else
        skua::shaped({.boundary_level = 4}, make);
      skua::task_group other;
      other.cancel();  // while any scope is cancelled, every task checks the scopes around it
      bool ran = false;
      EXPECT_FALSE(kept->cancelled());
      kept->run([&] {
        ran = true;
        static double data[4];
        skua::reads(data, 4);
      });
      kept->wait();
      EXPECT_TRUE(ran);
    }
  });
}

struct fragile {
  static inline std::atomic<int> alive = 0;
  explicit fragile(bool breaks) : breaks_(breaks) { ++alive; }
  fragile(fragile&& other) : breaks_(other.breaks_) {
    if (breaks_) throw 1;
    ++alive;
  }
  ~fragile() { --alive; }
  bool breaks_;
};

TEST(api_tier_trouble, a_result_whose_move_throws_leaves_no_other_one_behind) {
  auto pool = on("bitier", "package:2 core:1 pu:1", 2);
  for (const bool first_breaks : {false, true}) {
    fragile::alive = 0;
    EXPECT_THROW(pool.run([&] {
      skua::shaped({.boundary_level = 3}, [&] {
        [[maybe_unused]] auto both =
            skua::join([=] { return fragile(first_breaks); }, [=] { return fragile(!first_breaks); });
      });
    }),
                 int);
    EXPECT_EQ(fragile::alive, 0);
  }
}

// One `inter` is enough, at any position of the join.
TEST(api_tier_trouble, all_callables_of_a_join_are_inter_if_one_is) {
  auto pool = on("bitier", "package:4 core:1 pu:1", 4);
  std::atomic<int> busy[4] = {}, crowded{0}, ran{0};
  const auto leaf = [&] {
    const auto here = static_cast<std::size_t>(skua::worker_index());
    crowded += ++busy[here] != 1;
    std::this_thread::sleep_for(100us);
    --busy[here];
    ++ran;
  };
  for (int round = 0; round < 30; ++round)
    pool.run([&] {
      skua::join(leaf, leaf, skua::inter(leaf));
      skua::join(skua::inter(leaf), leaf, leaf, leaf);
    });
  EXPECT_EQ(ran, 30 * 7);
  EXPECT_EQ(crowded, 0);
}

struct two_minds : skua::steal_policy {
  skua::queue_kind queue() const override { return skua::queue_kind::chase_lev; }
  std::optional<skua::announce_thresholds> announce_at(const skua::queue_rates&) const override {
    return skua::announce_thresholds{4, 1};
  }
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id v : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(v)) return task;
    return {};
  }
};
SKUA_POLICY(two_minds, "two_minds", "a deque, and announcements");

TEST(api_tier_trouble, a_deque_and_announcements_go_together) {
  for (const std::int64_t workers : {1, 2, 4}) {
    auto pool = on("two_minds", "package:1 core:4 pu:1", workers);
    for (int round = 0; round < 50; ++round) {
      std::atomic<int> leaves{0};
      pool.run([&] { tree(leaves, 10); });
      ASSERT_EQ(leaves, 1024);
    }
  }
}

struct breaks_while_it_looks : skua::steal_policy {
  skua::stolen acquire(skua::thief& t) override {
    const auto judge = [](const skua::hint& h) -> bool {
      if (h.any()) throw std::runtime_error("no");
      return true;
    };
    for (const skua::worker_id v : t.random_workers(t.workers()))
      if (skua::stolen task = t.try_steal(v, judge)) return task;
    return {};
  }
};
SKUA_POLICY(breaks_while_it_looks, "breaks_while_it_looks", "its confirm throws");

TEST(api_tier_trouble, a_confirm_that_throws_leaves_no_lock_behind) {
  auto pool = on("breaks_while_it_looks", "package:1 core:2 pu:1", 2);
  std::atomic<int> ran{0};
  pool.run([&] {
    skua::task_group tasks;
    for (int i = 0; i < 10; ++i)
      tasks.run([&] {
        skua::join([] { skua::blocking([] { std::this_thread::sleep_for(5ms); }); },
                   skua::hinted(skua::depth{1}, [&] { ++ran; }));
      });
    tasks.wait();
  });
  EXPECT_EQ(ran, 10);
}

// While a shape is learnt, a thief may take a record by force while the fork of that record enters the slow path.
TEST(api_tier_trouble, no_child_runs_twice_while_a_shape_is_learnt) {
  auto pool = on("nearest", "package:1 core:6 pu:1", 6);
  const auto end = std::chrono::steady_clock::now() + 2s;
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i)
    pool.run([&] {
      skua::shaped(skua::learn("test.once." + std::to_string(i)), [&] {
        static double data;
        skua::reads(&data, 1);
        for (int k = 0; k < 200; ++k) {
          std::atomic<int> ran{0};
          skua::join([] {}, [&] { ++ran; });
          ASSERT_EQ(ran, 1);
        }
      });
    });
}

}  // namespace
}  // namespace tier_trouble_test
