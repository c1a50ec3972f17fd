// Virtual time: which worker runs when. A repeated run must be the same to the bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "simulator/engine/engine.hpp"
#include "simulator/engine/event_queue.hpp"

namespace skua::simulator::engine_test {
namespace {

using log = std::vector<std::pair<cycles, std::string>>;

// A set of all events says which is the first. Times are near, far beyond the queue's window, and now and then past; numbers
// are not always in order.
void compare_with_set(cycles near, cycles ahead, std::uint64_t odds_of_hostile_number) {
  const auto first = [](const event& a, const event& b) { return a.before(b); };
  std::set<event, decltype(first)> all;
  std::vector<std::optional<event>> of_worker;
  event_queue queue;
  cycles now = 0;
  std::uint64_t random = base::generator_state(7, 0);
  for (std::uint64_t number = 1; number <= 20'000; ++number) {
    if (number % 100 == 1 && of_worker.size() < 150) {
      queue.add_worker();
      of_worker.emplace_back();
    }
    const auto worker = static_cast<worker_id>(base::random_below(of_worker.size(), random));
    std::optional<event>& its = of_worker[worker];
    if (its) all.erase(*its);
    if (base::random_below(3, random) == 0) {
      queue.remove(worker);
      its.reset();
    } else {
      const cycles span = base::random_below(4, random) == 0 ? ahead : near;
      const cycles past = base::random_below(500, random) == 0 ? std::min<cycles>(now, 100) : 0;
      const std::uint64_t precedence = base::random_below(odds_of_hostile_number, random) << 40;
      its = event{now - past + base::random_below(span, random), number | precedence, worker};
      queue.set(*its);
      all.insert(*its);
    }
    ASSERT_EQ(queue.empty(), all.empty());
    if (all.empty()) continue;
    const auto [got, others] = queue.first();
    const event wanted = *all.begin();
    ASSERT_EQ(got.number, wanted.number);
    ASSERT_EQ(got.time, wanted.time);
    ASSERT_EQ(got.worker, wanted.worker);
    now = wanted.time;
    ASSERT_EQ(others, all.size() == 1 ? event_queue::never : std::next(all.begin())->time);
  }
  queue.clear();
  EXPECT_TRUE(queue.empty());
}

TEST(event_queue, first_is_the_earliest) {
  for (const cycles ahead : {cycles{50}, cycles{event_queue::window}, cycles{10 * event_queue::window}}) {
    compare_with_set(50, ahead, 1);
    compare_with_set(5, ahead, 8);
  }
}

TEST(engine, the_earliest_worker_runs) {
  engine machine(2, 1);
  log said;
  const auto worker = [&](const char* name, cycles each) {
    return [&, name, each] {
      for (int i = 0; i < 3; ++i) {
        machine.pass(each);
        said.push_back({machine.now(), name});
      }
    };
  };
  machine.start(0, worker("slow", 100));
  machine.start(1, worker("quick", 40));
  machine.run();
  EXPECT_EQ(said,
            (log{{40, "quick"}, {80, "quick"}, {100, "slow"}, {120, "quick"}, {200, "slow"}, {300, "slow"}}));
  EXPECT_EQ(machine.time(), 300u);
  EXPECT_EQ(machine.time_of(1), 120u);
  EXPECT_EQ(machine.events(), 8u) << "two beginnings and six steps";
}

TEST(engine, the_first_of_equals_runs) {
  engine machine(3, 1);
  std::string said;
  for (worker_id w : {2u, 0u, 1u})
    machine.start(w, [&, w] {
      machine.pass(10);
      said += static_cast<char>('0' + w);
      machine.pass(0);
      said += static_cast<char>('0' + w);
    });
  machine.run();
  EXPECT_EQ(said, "201201");
}

// A worker continues until it is that much later than the others, but a step without time lets others run.
TEST(engine, workers_may_run_ahead) {
  const auto order = [](cycles ahead, cycles each) {
    engine machine(2, 1);
    machine.let_run_ahead(ahead);
    std::string said;
    for (worker_id w : {0u, 1u})
      machine.start(w, [&, w] {
        for (int i = 0; i < 6; ++i) {
          said += static_cast<char>('0' + w);
          machine.pass(each);
        }
      });
    machine.run();
    EXPECT_EQ(machine.time_of(0), 6 * each);
    EXPECT_EQ(machine.events(), 14u) << "does not depend on it";
    return said;
  };
  EXPECT_EQ(order(0, 10), "010101010101");
  EXPECT_EQ(order(10, 10), "011001100110");
  EXPECT_EQ(order(11, 10), "001111000011");
  EXPECT_EQ(order(1000, 10), "000000111111");
  EXPECT_EQ(order(1000, 0), "010101010101");
}

TEST(engine, waking_and_being_woken) {
  engine machine(2, 1);
  log said;
  machine.start(0, [&] {
    machine.pass(100);
    machine.wake(1);
    machine.pass(1);
    machine.wake(1, 50);  // worker 1 waits again
    machine.wake(1);      // worker 1 has already been woken
  });
  machine.start(1, [&] {
    machine.wait();
    said.push_back({machine.now(), "woken"});
    machine.wait();
    said.push_back({machine.now(), "woken later"});
    machine.wake(0);  // no effect: worker 0 has ended
  });
  machine.run();
  EXPECT_EQ(said, (log{{100, "woken"}, {151, "woken later"}}));
}

TEST(engine, waiting_with_a_timeout) {
  engine machine(2, 1);
  log said;
  machine.start(0, [&] {
    for (const cycles timeout : {30, 100}) {
      const bool woken = machine.wait(timeout);
      said.push_back({machine.now(), woken ? "woken" : "time is up"});
    }
    machine.pass(500);  // later than the end of the second wait's timeout
    said.push_back({machine.now(), "goes on"});
  });
  machine.start(1, [&] {
    machine.pass(70);
    machine.wake(0, 5);
  });
  machine.run();
  EXPECT_EQ(said, (log{{30, "time is up"}, {75, "woken"}, {575, "goes on"}}));
}

TEST(engine, bodies_begin_at_their_times_also_during_the_run) {
  engine machine(3, 1);
  log said;
  machine.start(0, [&] {
    machine.pass(20);
    machine.start(2, [&] { said.push_back({machine.now(), "begun by another"}); }, 5);
  });
  machine.start(1, [&] { said.push_back({machine.now(), "begun late"}); }, 70);
  machine.run();
  EXPECT_EQ(said, (log{{20, "begun by another"}, {70, "begun late"}}));
}

/// The workers in the order in which they reach cycle 10, with their times.
log arrivals(std::uint64_t fate) {
  engine machine(0, 1);
  machine.be_hostile(fate);
  log said;
  for (int w = 0; w < 16; ++w)
    machine.add([&, w] { machine.pass(10), said.push_back({machine.now(), std::to_string(w)}); });
  machine.add([&] { machine.pass(10), said.push_back({machine.now(), "punctual"}); }, 0, 0, runs_on::stack,
              true);
  machine.run();
  return said;
}

TEST(engine, a_hostile_schedule_delays_all_but_punctual_workers) {
  std::set<log> all;
  bool any_late = false;
  for (std::uint64_t fate = 1; fate <= 20; ++fate) {
    const log said = arrivals(fate);
    EXPECT_EQ(said, arrivals(fate)) << "the same seed gives the same run";
    EXPECT_EQ(said.size(), 17u);
    for (const auto& [when, who] : said) {
      EXPECT_GE(when, 10u);
      if (who == "punctual") {
        EXPECT_EQ(when, 10u);
      }
      any_late |= when > 10;
    }
    all.insert(said);
  }
  EXPECT_EQ(all.size(), 20u);
  EXPECT_TRUE(any_late);
}

TEST(engine, stops_after_so_many_steps) {
  engine machine(2, 1);
  machine.stop_after(1000);
  for (worker_id w : {0u, 1u})
    machine.start(w, [&] {
      for (;;) machine.pass(1);
    });
  EXPECT_THROW(machine.run(), endless);
  EXPECT_EQ(machine.events(), 1000u);
}

TEST(engine, names_the_workers_that_wait_forever) {
  engine machine(3, 1);
  machine.start(0, [&] { machine.pass(5), machine.wait(); });
  machine.start(1, [&] { machine.pass(7); });
  machine.start(2, [&] { machine.wait(); });
  try {
    machine.run();
    FAIL();
  } catch (const stuck& e) {
    EXPECT_STREQ(e.what(), "2 virtual workers wait forever: 0 since 5, 2 since 0");
  }
}

TEST(engine, throws_what_a_body_throws) {
  engine machine(2, 1);
  machine.start(0, [&] {
    machine.pass(5);
    throw std::runtime_error("at five");
  });
  machine.start(1, [&] {
    for (;;) machine.pass(1);
  });
  EXPECT_THROW(machine.run(), std::runtime_error);
}

TEST(engine, exceptions_in_handling_stay_with_their_worker) {
  engine machine(2, 1);
  std::string caught;
  for (worker_id w : {0u, 1u})
    machine.start(w, [&, w] {
      try {
        throw std::runtime_error("of " + std::to_string(w));
      } catch (...) {
        machine.pass(10);  // the other worker throws meanwhile
        try {
          throw;
        } catch (const std::exception& e) {
          caught += std::string(e.what()) + "; ";
        }
      }
    });
  machine.run();
  EXPECT_EQ(caught, "of 0; of 1; ");
}

TEST(engine, engines_in_engines) {
  engine outer(1, 1);
  cycles inside = 0;
  outer.start(0, [&] {
    outer.pass(3);
    engine inner(1, 1);
    inner.start(0, [&] { inner.pass(40); });
    inner.run();
    inside = inner.time();
    outer.pass(4);
  });
  outer.run();
  EXPECT_EQ(inside, 40u);
  EXPECT_EQ(outer.time(), 7u);
}

/// Workers that compute, wait and wake each other at random.
std::unique_ptr<engine> bustle(std::size_t workers, std::uint64_t seed, int steps) {
  auto machine = std::make_unique<engine>(workers, seed);
  engine& m = *machine;
  for (worker_id w = 0; w < workers; ++w)
    m.start(w, [&m, steps] {
      for (int i = 0; i < steps; ++i) {
        m.pass(1 + m.random(200));
        if (m.random(8) == 0) {  // one draw per statement: compilers evaluate arguments in any order
          const cycles late = m.random(50);
          m.wake(static_cast<worker_id>(m.random(m.workers())), late);
        }
        if (m.random(8) == 0) m.wait(1 + m.random(300));
      }
    });
  m.run();
  return machine;
}

// These numbers are the same for each compiler, build and machine.
TEST(engine, a_seed_gives_the_same_run_to_the_bit) {
  const auto one = bustle(16, 42, 500), again = bustle(16, 42, 500), other = bustle(16, 43, 500);
  EXPECT_EQ(one->stream(), again->stream());
  EXPECT_NE(one->stream(), other->stream());
  EXPECT_EQ(one->events(), 9039u);
  EXPECT_EQ(one->time(), 61118u);
  EXPECT_EQ(one->stream(), 8575249339499440176u);
}

TEST(engine, time_never_goes_back) {
  engine machine(64, 7);
  cycles latest = 0;
  int back = 0;
  for (worker_id w = 0; w < 64; ++w)
    machine.start(w, [&] {
      for (int i = 0; i < 200; ++i) {
        machine.pass(machine.random(30));
        back += machine.now() < latest;
        latest = machine.now();
        if (machine.random(4) == 0) machine.wait(machine.random(100));
      }
    });
  machine.run();
  EXPECT_EQ(back, 0);
}

// Also prints the speed, which depends on the machine.
TEST(engine, many_workers_are_the_same_to_the_bit) {
  const auto start = std::chrono::steady_clock::now();
  const auto machine = bustle(256, 1, 4000);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("  256 workers: %.1f million events a second\n",
              static_cast<double>(machine->events()) / seconds / 1e6);
  EXPECT_EQ(machine->events(), 1152203u);
  EXPECT_EQ(machine->stream(), 15610500743041956515u);
}

}  // namespace
}  // namespace skua::simulator::engine_test
