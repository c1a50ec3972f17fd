// Carbon: its queues and the times of its messages, with the numbers of the paper's chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "simulator/adm/carbon.hpp"

namespace skua::simulator::carbon_test {
namespace {

// ---- the global unit, without time

/// Threads in a row: the distance of two threads is the difference of their numbers.
carbon_unit unit_of(std::uint32_t threads, std::uint32_t queue_tasks = 32) {
  std::vector<std::vector<thread_number>> near(threads);
  for (thread_number t = 0; t < threads; ++t) {
    for (thread_number o = 0; o < threads; ++o)
      if (o != t) near[t].push_back(o);
    std::ranges::sort(near[t], {}, [t](thread_number o) { return std::pair(o < t ? t - o : o - t, o); });
  }
  return carbon_unit({queue_tasks}, near);
}

std::string text(const carbon_unit::replies& replies) {
  static constexpr const char* names[] = {"task", "end", "overflow", "underflow"};
  std::string all;
  for (const carbon_reply& r : replies) {
    all += std::string(names[static_cast<std::size_t>(r.type)]) + " to " + std::to_string(r.thread);
    if (r.type == carbon_reply::kind::task) all += " " + std::to_string(r.task.content + r.task.first);
    all += "; ";
  }
  return all;
}

TEST(carbon_unit, gives_the_newest_to_their_own_thread_and_the_oldest_to_the_nearest_thief) {
  carbon_unit unit = unit_of(4);
  carbon_unit::replies out;
  for (std::uint64_t i = 0; i < 5; ++i) unit.enqueue(1, {i}, false, out);
  for (std::uint64_t i = 10; i < 13; ++i) unit.enqueue(3, {i}, false, out);
  EXPECT_EQ(text(out), "");
  unit.dequeue(1, {1}, out);
  unit.dequeue(0, {1}, out);  // takes two of thread 1's four tasks: 0 and 1
  unit.dequeue(2, {1}, out);  // thread 1 is as near as thread 3 and comes first: 2
  EXPECT_EQ(text(out), "task to 1 4; task to 0 1; task to 2 2; ");
  EXPECT_EQ(unit.entries(0), 1u);
  EXPECT_EQ(unit.entries(1), 1u);
  EXPECT_EQ(unit.entries(3), 3u);
  EXPECT_EQ(unit.steals(), 2u);
  EXPECT_EQ(unit.tasks_stolen(), 3u);
}

TEST(carbon_unit, marks_tasks_that_are_stolen_once_or_more_often) {
  carbon_unit unit = unit_of(3);
  carbon_unit::replies out;
  for (std::uint64_t i = 0; i < 4; ++i) unit.enqueue(0, {i}, false, out);
  unit.dequeue(0, {1}, out);  // a task of its own
  unit.dequeue(1, {1}, out);  // steals two tasks of thread 0 and gets one
  unit.dequeue(2, {1}, out);  // gets the other one
  unit.dequeue(0, {2}, out);
  std::vector<bool> stolen;
  for (const carbon_reply& r : out) stolen.push_back(r.task.stolen);
  EXPECT_EQ(text(out), "task to 0 3; task to 1 1; task to 2 0; task to 0 2; ");
  EXPECT_EQ(stolen, (std::vector{false, true, true, false}));
}

TEST(carbon_unit, ends_the_phase_when_all_wait_and_not_before) {
  carbon_unit unit = unit_of(3);
  carbon_unit::replies out;
  unit.dequeue(0, {1}, out);
  unit.dequeue(2, {1}, out);
  unit.enqueue(1, {7}, false, out);
  EXPECT_EQ(text(out), "task to 0 7; ");
  out.clear();
  unit.dequeue(1, {1}, out);
  EXPECT_EQ(text(out), "");
  unit.dequeue(0, {2}, out);
  EXPECT_EQ(text(out), "end to 0; end to 1; end to 2; ");
  out.clear();
  unit.enqueue(1, {8}, false, out);  // the next phase
  unit.dequeue(0, {3}, out);
  EXPECT_EQ(text(out), "task to 0 8; ");
}

TEST(carbon_unit, serves_no_prefetch_while_there_are_fewer_tasks_than_threads) {
  carbon_unit unit = unit_of(4);
  carbon_unit::replies out;
  for (std::uint64_t i = 0; i < 4; ++i) unit.enqueue(0, {i}, false, out);
  unit.dequeue(1, {1, true}, out);
  EXPECT_EQ(text(out), "task to 1 1; ");
  unit.dequeue(2, {1, true}, out);
  EXPECT_EQ(unit.prefetches_not_served(), 1u);
  out.clear();
  unit.dequeue(2, {1, false}, out);  // now it needs the task
  unit.dequeue(1, {1, false}, out);  // the request and the answer crossed
  EXPECT_EQ(text(out), "task to 2 0; ");
}

TEST(carbon_unit, partitions_a_loop_and_halves_its_stolen_part) {
  carbon_unit unit = unit_of(4);
  carbon_unit::replies out;
  unit.dequeue(3, {1}, out);
  unit.enqueue(0, {0, 100, 110}, false, out);  // parts of 3, 3, 2 and 2 of the ten
  EXPECT_EQ(text(out), "task to 3 108; ");
  EXPECT_EQ(unit.tasks(), 9u);
  out.clear();
  unit.dequeue(3, {2}, out);
  unit.dequeue(3, {3}, out);  // the back half of thread 2's part of two
  EXPECT_EQ(text(out), "task to 3 109; task to 3 107; ");
  EXPECT_EQ(unit.tasks_stolen(), 1u);
}

TEST(carbon_unit, interrupts_at_three_quarters_and_at_one) {
  carbon_unit unit = unit_of(2);
  carbon_unit::replies out;
  for (std::uint64_t i = 0; i < 23; ++i) unit.enqueue(0, {i}, false, out);
  EXPECT_EQ(text(out), "");
  unit.enqueue(0, {23}, false, out);
  EXPECT_EQ(text(out), "overflow to 0; ");
  out.clear();
  std::uint64_t number = 0;
  while (unit.entries(0) > 9) unit.dequeue(0, {++number}, out);
  EXPECT_EQ(text(out).find("underflow"), std::string::npos);
  out.clear();
  unit.dequeue(1, {1}, out);  // takes five of the nine tasks
  EXPECT_EQ(text(out), "underflow to 0; task to 1 4; ");
  out.clear();
  unit.enqueue(0, {50}, true, out);  // software gives one task and has more; the queue is still nearly empty
  EXPECT_EQ(text(out), "underflow to 0; ");
}

// ---- in virtual time

const adm_hardware chip = find_adm_hardware("adm-cmp-64c", 1);

std::vector<carbon_event> until(carbon& tasks, cycles then) {
  std::vector<carbon_event> told;
  tasks.advance(then, told);
  return told;
}

TEST(carbon, takes_a_message_there_and_one_back_on_the_ideal_network) {
  carbon tasks(chip, tile_network(chip, tile_network::kind::ideal), 2);
  EXPECT_EQ(tasks.enqueue(0, {7}, 0), carbon::operation);
  const carbon::dequeued none = tasks.dequeue(1, 0);
  EXPECT_EQ(none.task, std::nullopt);
  const auto told = until(tasks, 1000);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].type, carbon_event::kind::task);
  EXPECT_EQ(told[0].thread, 1u);
  EXPECT_EQ(told[0].at, 50u);
  EXPECT_EQ(told[0].task.content, 7u);
}

// Thread 40 is in the middle tile, 15 cycles from the global unit. The third flit of a task arrives there at 17. The request
// behind it leaves at 3 and arrives at 18. The task, of three flits, is back at 18 + 15 + 2.
TEST(carbon, moves_a_flit_a_cycle) {
  carbon tasks(chip, tile_network(chip, tile_network::kind::routed), 64);
  tasks.enqueue(40, {7}, 0);
  tasks.dequeue(40, 0);
  const auto told = until(tasks, 1000);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].at, 35u);
}

// Four cores of the middle tile send one task each. All tasks are at the port at 15, and have passed it at 17, 20, 23 and
// 26.
TEST(carbon, takes_tasks_from_one_port) {
  carbon tasks(chip, tile_network(chip, tile_network::kind::routed), 64);
  for (thread_number t = 40; t < 44; ++t) tasks.enqueue(t, {t}, 0);
  until(tasks, 16);
  EXPECT_EQ(tasks.global_unit().tasks(), 0u);
  until(tasks, 17);
  EXPECT_EQ(tasks.global_unit().tasks(), 1u);
  until(tasks, 25);
  EXPECT_EQ(tasks.global_unit().tasks(), 3u);
  until(tasks, 26);
  EXPECT_EQ(tasks.global_unit().tasks(), 4u);
  EXPECT_EQ(tasks.counted().waited_at_unit, 3u + 6 + 9);
}

TEST(carbon, prefetches_tasks_for_its_thread) {
  carbon tasks(chip, tile_network(chip, tile_network::kind::ideal), 1);
  for (std::uint64_t i = 0; i < 4; ++i) tasks.enqueue(0, {i}, 0);
  EXPECT_EQ(tasks.enqueue(0, {4}, 0), std::nullopt) << "four tasks in the local unit";
  EXPECT_EQ(until(tasks, 25).size(), 1u) << "the local unit has room again";
  tasks.dequeue(0, 100);
  EXPECT_EQ(until(tasks, 150).size(), 1u);
  until(tasks, 200);
  EXPECT_EQ(tasks.dequeue(0, 300).task, (carbon_task{2})) << "the task was prefetched";
}

// 64 threads wait and the phase ends. 64 packets of three flits leave one after the other, so the last one leaves 189 cycles
// after the first. On the ideal network all leave at once.
TEST(carbon, sends_the_end_of_a_phase_to_all_through_one_port) {
  const auto last_end = [](tile_network::kind kind) {
    carbon tasks(chip, tile_network(chip, kind), 64);
    for (thread_number t = 0; t < 64; ++t) tasks.dequeue(t, 0);
    cycles first = ~cycles{0}, last = 0;
    const auto told = until(tasks, 10'000);
    EXPECT_EQ(told.size(), 64u);
    for (const carbon_event& e : told) {
      EXPECT_EQ(e.type, carbon_event::kind::end);
      first = std::min(first, e.at);
      last = std::max(last, e.at);
    }
    return last - first;
  };
  EXPECT_EQ(last_end(tile_network::kind::ideal), 0u);
  EXPECT_GE(last_end(tile_network::kind::routed), 189u - 21)
      << "the last tile may be nearer to the centre than the first";
  EXPECT_LE(last_end(tile_network::kind::routed), 189u + 21);
}

TEST(carbon, goes_to_the_software_queue_when_its_own_is_nearly_full) {
  carbon tasks(chip, tile_network(chip, tile_network::kind::ideal), 2);
  cycles now = 0;
  std::vector<carbon_event> told;
  for (std::uint64_t i = 0; i < 100; ++i, now += 100) {
    tasks.advance(now, told);
    ASSERT_TRUE(tasks.enqueue(0, {i}, now));
  }
  tasks.advance(now, told);
  EXPECT_EQ(tasks.global_unit().entries(0), 24u);
  EXPECT_EQ(tasks.counted().to_software, 76u);
  EXPECT_EQ(tasks.counted().overflows, 1u);
  EXPECT_EQ(tasks.dequeue(0, now).task, (carbon_task{99}));
  EXPECT_EQ(tasks.dequeue(0, now).busy, 37u) << "the cost of a local queue in Table 5";
  // A thief takes half, 12, and then half again, 6. Then 6 are left, and the 8 oldest tasks of the software queue follow.
  for (int i = 0; i < 14; ++i) {
    tasks.dequeue(1, now);
    tasks.advance(now += 1000, told);
  }
  EXPECT_EQ(tasks.counted().underflows, 1u);
  EXPECT_EQ(tasks.global_unit().entries(0), 6u + 8);
  EXPECT_EQ(tasks.dequeue(0, now).task, (carbon_task{97})) << "the newest tasks stay in hardware";
}

// ---- whole phases

/// Each task n below the number of tasks must run once. Task n creates tasks 2n+1 and 2n+2. Everything depends only on the
/// seed.
struct phase {
  carbon tasks;
  std::vector<int> runs;
  std::uint64_t state;
  cycles ended = 0;

  phase(tile_network::kind kind, std::size_t count, std::uint64_t seed)
      : tasks(chip, tile_network(chip, kind), 64), runs(count), state(base::generator_state(seed, 0)) {}

  struct thread_state {
    cycles free_at = 0;
    std::vector<std::uint64_t> to_enqueue;
    bool waits = false, ended = false;
  };
  std::vector<thread_state> threads{64};

  void step(thread_number t, cycles now) {
    thread_state& me = threads[t];
    if (!me.to_enqueue.empty()) {
      const auto busy = tasks.enqueue(t, {me.to_enqueue.back()}, now);
      me.waits = !busy;
      if (!busy) return;
      me.to_enqueue.pop_back();
      me.free_at = now + *busy;
      return;
    }
    const carbon::dequeued reply = tasks.dequeue(t, now);
    me.free_at = now + reply.busy;
    me.waits = !reply.task;
    if (reply.task) run(t, *reply.task);
  }
  void run(thread_number t, const carbon_task& task) {
    thread_state& me = threads[t];
    ++runs[task.content];
    me.free_at += base::random_below(2000, state);
    for (const std::uint64_t child : {2 * task.content + 1, 2 * task.content + 2})
      if (child < runs.size()) me.to_enqueue.push_back(child);
  }
  bool all_ended() const {
    return std::ranges::all_of(threads, [](const thread_state& t) { return t.ended; });
  }
  void tell(const carbon_event& e) {
    thread_state& t = threads[e.thread];
    t.free_at = std::max(t.free_at, e.at) + e.busy;
    if (e.type == carbon_event::kind::handler) return;
    EXPECT_TRUE(t.waits);
    t.waits = false;
    if (e.type == carbon_event::kind::end) t.ended = true;
    if (e.type == carbon_event::kind::task) run(e.thread, e.task);
  }
  /// Returns whether the phase ends.
  bool go() {
    threads[0].to_enqueue = {0};
    while (!all_ended()) {
      thread_number next = 0;
      cycles at = ~cycles{0};
      for (thread_number t = 0; t < threads.size(); ++t)
        if (!threads[t].waits && !threads[t].ended && threads[t].free_at < at) at = threads[next = t].free_at;
      if (tasks.next() && *tasks.next() <= at) {
        std::vector<carbon_event> told;
        tasks.advance(*tasks.next(), told);
        for (const carbon_event& e : told) tell(e);
      } else if (at != ~cycles{0}) {
        step(next, at);
      } else {
        return false;
      }
    }
    for (const thread_state& t : threads) ended = std::max(ended, t.free_at);
    return true;
  }
};

TEST(carbon, runs_every_task_once_and_ends) {
  for (const auto kind : {tile_network::kind::routed, tile_network::kind::ideal})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      phase one(kind, 5000, seed), again(kind, 5000, seed);
      ASSERT_TRUE(one.go()) << seed;
      for (const int n : one.runs) ASSERT_EQ(n, 1);
      EXPECT_LE(one.tasks.global_unit().longest_queue(), chip.carbon.queue_tasks);
      EXPECT_EQ(one.tasks.global_unit().tasks(), 0u);
      ASSERT_TRUE(again.go());
      EXPECT_EQ(one.ended, again.ended);
    }
}

}  // namespace
}  // namespace skua::simulator::carbon_test
