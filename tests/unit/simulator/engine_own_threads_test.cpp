// Workers of the engine on their own threads: order, ends and exceptions must be the same as on stacks.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "simulator/engine/engine.hpp"

namespace skua::simulator::engine_own_threads_test {
namespace {

using log = std::vector<std::pair<cycles, worker_id>>;

/// Runs workers with odd numbers on threads, or all workers on stacks.
log steps_of(bool threads, std::set<std::thread::id>& seen) {
  engine machine(0, 7);
  log said;
  for (worker_id w = 0; w < 64; ++w)
    machine.add(
        [&, w] {
          for (int i = 0; i < 20; ++i) {
            machine.pass(machine.random(100));
            if (i == 10 && w > 0) machine.wake(w - 1);
            if (i == 5 && w % 3 == 0) machine.wait(2000);
            said.push_back({machine.now(), machine.self()});
            seen.insert(std::this_thread::get_id());
          }
        },
        0, 0, threads && w % 2 == 1 ? runs_on::own_thread : runs_on::stack);
  machine.run();
  return said;
}

TEST(engine_own_threads, are_the_same_as_stacks) {
  std::set<std::thread::id> of_stacks, of_threads;
  const log stacks = steps_of(false, of_stacks), threads = steps_of(true, of_threads);
  EXPECT_EQ(stacks, threads);
  EXPECT_EQ(of_stacks.size(), 1u);
  EXPECT_GE(of_threads.size(), 2u);  // the system reuses the ids of ended threads
}

TEST(engine_own_threads, are_named_when_they_wait_forever_and_may_be_abandoned) {
  for (int repetition = 0; repetition < 20;
       ++repetition) {  // the last thread may still be about to sleep when the engine ends
    engine machine(0, 1);
    for (int i = 0; i < 3; ++i) machine.add([&] { machine.wait(); }, 0, 0, runs_on::own_thread);
    EXPECT_THROW(machine.run(), stuck);
  }
}

TEST(engine_own_threads, throw_what_a_body_throws) {
  engine machine(0, 1);
  machine.add([&] { machine.pass(5), throw std::runtime_error("at five"); }, 0, 0, runs_on::own_thread);
  machine.add([&] { machine.wait(); }, 0, 0, runs_on::stack);
  machine.add([&] { machine.wait(); }, 0, 0, runs_on::own_thread);
  EXPECT_THROW(machine.run(), std::runtime_error);
}

TEST(engine_own_threads, replace_threads_that_have_ended) {
  engine machine(0, 1);
  int ran = 0;
  for (int i = 0; i < 50; ++i) {
    const auto where = i % 3 == 0 ? runs_on::stack : runs_on::own_thread;
    machine.run_until(machine.add([&] { machine.pass(10), ++ran; }, 0, 0, where));
  }
  EXPECT_EQ(ran, 50);
  EXPECT_EQ(machine.workers(), 1u);
}

TEST(engine_own_threads, are_run_by_one_thread_after_the_other) {
  engine machine(0, 1);
  const worker_id sleeper = machine.add([&] { machine.wait(); }, 0, 0, runs_on::own_thread);
  for (int i = 0; i < 4; ++i)
    std::thread([&] {
      machine.run_until(machine.add([&] { machine.pass(10); }, 0, 0, runs_on::stack));
    }).join();
  machine.add([&] { machine.wake(sleeper); }, 0, 0, runs_on::own_thread);
  machine.run();
  EXPECT_EQ(machine.events(), 11u)
      << "two events for each thread that passed time, and those of waiting, waking and beginning";
}

}  // namespace
}  // namespace skua::simulator::engine_own_threads_test
