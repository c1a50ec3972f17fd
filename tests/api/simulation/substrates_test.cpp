// Phases on the substrates of a simulated chip. They do everything that a phase promises, in virtual time, and each run is
// the same.
#include <skua/declare.hpp>
#include <skua/parallel_for.hpp>
#include <skua/phase.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/sanitizers.hpp"

namespace substrates_test {
namespace {

constexpr double ghz = 2.0;  // of the chip

skua::scheduler_options chip(const std::string& substrate, int workers,
                             const std::string& machine = "adm-cmp-64c",
                             skua::detail_level level = skua::detail_level::steps) {
  return {.workers = workers,
          .policy = "nearest",
          .simulate = {{.machine = machine, .level = level, .pages = {}, .substrate = substrate}}};
}

struct crew {
  const char* substrate;
  int workers;
  skua::detail_level level = skua::detail_level::steps;
};
constexpr skua::detail_level by_lines = skua::detail_level::lines;

class substrate_with_workers : public testing::TestWithParam<crew> {
 protected:
  skua::scheduler pool{chip(GetParam().substrate, GetParam().workers, "adm-cmp-64c", GetParam().level)};
  bool is_carbon() const { return std::string(GetParam().substrate) == "carbon"; }
};
INSTANTIATE_TEST_SUITE_P(workers, substrate_with_workers,
                         testing::Values(crew{"software", 2}, crew{"software", 64}, crew{"carbon", 1},
                                         crew{"carbon", 2}, crew{"carbon", 7}, crew{"carbon", 64},
                                         crew{"carbon", 128}, crew{"uli", 1}, crew{"uli", 2}, crew{"uli", 7},
                                         crew{"uli", 64}, crew{"uli", 128}, crew{"adm", 1}, crew{"adm", 2},
                                         crew{"adm", 7}, crew{"adm", 64}, crew{"adm", 128},
                                         crew{"software", 16, by_lines}, crew{"carbon", 64, by_lines},
                                         crew{"uli", 64, by_lines}, crew{"adm", 64, by_lines}),
                         [](const testing::TestParamInfo<crew>& of) {
                           return std::string(of.param.substrate) + "_" + std::to_string(of.param.workers) +
                                  (of.param.level == by_lines ? "_lines" : "");
                         });

/// A task of four words. Each word must arrive.
struct node {
  std::uint64_t id, depth, c, d;
  bool operator<(const node& other) const { return id < other.id; }
};

/// Returns how often each node of a binary tree has run. The right number is 1.
std::vector<int> run_tree(skua::order by, int levels, double cycles) {
  skua::phase<node> p(by);
  std::vector<int> runs(std::size_t{1} << levels);
  p.enqueue({1, 0, 3, 4});
  p.run([&](node t) {
    if (t.c != 3 || t.d != 4) throw std::logic_error("words were lost");
    skua::costs(cycles + static_cast<double>(t.id % 5) * cycles / 4);
    ++runs[t.id];
    if (static_cast<int>(t.depth) + 1 == levels) return;
    p.enqueue({2 * t.id, t.depth + 1, 3, 4});
    p.enqueue({2 * t.id + 1, t.depth + 1, 3, 4});
  });
  runs[0] = 1;
  return runs;
}

TEST_P(substrate_with_workers, runs_every_task_once_in_any_order) {
  pool.run([] {
    for (const skua::order by : {skua::order::lifo, skua::order::fifo, skua::order::priority})
      ASSERT_EQ(run_tree(by, 11, 500), std::vector<int>(1 << 11, 1)) << static_cast<int>(by);
  });
}

TEST_P(substrate_with_workers, runs_tasks_that_take_no_time) {
  pool.run([] { ASSERT_EQ(run_tree(skua::order::lifo, 12, 0), std::vector<int>(1 << 12, 1)); });
}

TEST_P(substrate_with_workers, runs_ranges_position_by_position) {
  pool.run([] {
    for (const skua::order by : {skua::order::lifo, skua::order::fifo, skua::order::priority}) {
      std::vector<int> runs(2'000);
      skua::phase<std::int64_t> p(by);
      p.enqueue_range(-1'000, 0);
      p.enqueue_range(1, 1'000);
      p.enqueue(0);
      p.enqueue_range(5, 5);
      p.run([&](std::int64_t i) {
        skua::costs(300);
        ++runs[static_cast<std::size_t>(i + 1'000)];
      });
      ASSERT_EQ(runs, std::vector<int>(2'000, 1));
    }
  });
}

// There are more tasks at once than a hardware queue, a local unit and a receive buffer hold.
TEST_P(substrate_with_workers, holds_more_tasks_than_its_buffers) {
  pool.run([] {
    std::vector<int> runs(3'000);
    skua::phase<int> p;
    p.enqueue(-1);
    p.run([&](int task) {
      if (task >= 0) return void(++runs[static_cast<std::size_t>(task)]);
      for (int i = 0; i < 3'000; ++i) p.enqueue(i);
    });
    ASSERT_EQ(runs, std::vector<int>(3'000, 1));
  });
}

TEST_P(substrate_with_workers, runs_round_after_round) {
  const int rounds = GetParam().workers > 16 ? 7 : 60;
  pool.run([&] {
    skua::phase<int> p(skua::order::fifo);
    for (int round = 0; round < rounds; ++round) {
      int ran = 0;
      for (int i = 0; i < round % 7; ++i) p.enqueue(i);
      p.run([&](int) {
        skua::costs(round * 10);
        ++ran;
      });
      ASSERT_EQ(ran, round % 7);
    }
  });
}

// The phase must not end before the tasks of later levels have run. Here each task creates the next one, while the other
// workers find nothing and want to end.
TEST_P(substrate_with_workers, does_not_end_while_one_task_makes_the_next) {
  pool.run([] {
    skua::phase<int> p;
    int links = 0;
    p.enqueue(0);
    p.run([&](int link) {
      skua::costs(2'000);
      ++links;
      if (link < 200) p.enqueue(link + 1);
    });
    ASSERT_EQ(links, 201);
  });
}

TEST_P(substrate_with_workers, ends_once_for_each_body_of_the_second_form) {
  pool.run([&] {
    skua::phase<int> p;
    int ran = 0, ends = 0, bodies = 0;
    for (int i = 0; i < 500; ++i) p.enqueue(i);
    p.run([&] {
      ++bodies;
      for (int task; p.dequeue(task);) {
        skua::costs(4'000);
        ++ran;
      }
      ++ends;
    });
    EXPECT_EQ(ran, 500);
    EXPECT_EQ(ends, bodies);
    EXPECT_LE(bodies, GetParam().workers);
  });
}

TEST_P(substrate_with_workers, reduces) {
  pool.run([] {
    for (int round = 0; round < 3; ++round) {
      skua::phase<std::int64_t> p;
      p.enqueue_range(0, 1'000);
      const std::int64_t sum = p.run(
          [](std::int64_t i, std::int64_t& part) {
            skua::costs(500);
            part += i;
          },
          std::int64_t{0}, std::plus<>{});
      ASSERT_EQ(sum, 999 * 1'000 / 2);
      const std::int64_t none =
          p.run([](std::int64_t i, std::int64_t& part) { part += i; }, std::int64_t{7}, std::plus<>{});
      ASSERT_EQ(none, 7);
    }
  });
}

TEST_P(substrate_with_workers, throws_what_a_body_throws_and_drops_the_rest) {
  pool.run([] {
    skua::phase<int> p;
    int ran = 0;
    for (int i = 0; i < 1'000; ++i) p.enqueue(i);
    EXPECT_THROW(p.run([&](int i) {
      skua::costs(1'000);
      ++ran;
      if (i == 500) throw std::runtime_error("500");
    }),
                 std::runtime_error);
    EXPECT_GE(ran, 1);
    EXPECT_LE(ran, 1'000);
    int later = 0;
    p.enqueue(1);
    p.run([&](int) { ++later; });
    EXPECT_EQ(later, 1) << "no task was left over";
  });
}

TEST_P(substrate_with_workers, stops_when_a_body_returns_early) {
  pool.run([] {
    skua::phase<int> p;
    int ran = 0;
    for (int i = 0; i < 10'000; ++i) p.enqueue(i);
    p.run([&] {
      int task;
      if (p.dequeue(task)) ++ran;
    });
    EXPECT_GE(ran, 1);
    EXPECT_LE(ran, 128);
  });
}

TEST_P(substrate_with_workers, runs_inside_another_phase) {
  pool.run([] {
    skua::phase<int> outer;
    int ran = 0;
    outer.enqueue_range(0, 6);
    outer.run([&](int) {
      skua::phase<int> inner;
      inner.enqueue_range(0, 20);
      inner.run([&](int) {
        skua::costs(1'000);
        ++ran;
      });
    });
    EXPECT_EQ(ran, 120);
  });
}

TEST_P(substrate_with_workers, is_the_same_run_again) {
  const auto stream = [] {
    skua::scheduler fresh(chip(GetParam().substrate, GetParam().workers, "adm-cmp-64c", GetParam().level));
    fresh.run([] { run_tree(skua::order::lifo, 10, 700); });
    const skua::simulation_report r = fresh.simulated();
    return std::pair(r.stream, r.cycles);
  };
  EXPECT_EQ(stream(), stream());
}

// There are 2,000 tasks of 40,000 cycles. The bound includes the last tasks of up to 128 workers, and the time until the
// workers have arrived.
TEST_P(substrate_with_workers, shares_long_tasks_among_all) {
  const double tasks = 2'000, cycles = 40'000, workers = GetParam().workers;
  pool.run([&] {
    skua::phase<int> p;
    p.enqueue_range(0, static_cast<int>(tasks));
    p.run([&](int) { skua::costs(cycles); });
  });
  const double taken = pool.simulated().seconds * ghz * 1e9, min = tasks * cycles / workers;
  EXPECT_GE(taken, min);
  EXPECT_LE(taken, 1.7 * min + 100'000) << "in cycles, where " << min << " are the least";
}

// ---- what is charged

double cycles_of(const std::string& substrate, const std::function<void()>& code) {
  skua::scheduler pool(chip(substrate, 1));
  const double before = static_cast<double>(pool.simulated().cycles);
  pool.run(code);
  return static_cast<double>(pool.simulated().cycles) - before;
}

// There is one worker, so each task adds the cost of one enqueue and one dequeue, which Table 5 of the paper states. For
// Carbon these take 13 cycles each. A latency that a task of 1,000 cycles hides adds nothing.
TEST(substrates, charge_queue_operations_as_the_paper_says) {
  const auto tasks = [](int n) {
    return [n] {
      skua::phase<int> p;
      p.enqueue(0);
      p.run([&](int task) {
        skua::costs(1'000);
        if (task + 1 < n) p.enqueue(task + 1);
      });
    };
  };
  const auto each = [&](const char* substrate) {
    return (cycles_of(substrate, tasks(1'101)) - cycles_of(substrate, tasks(101))) / 1'000 - 1'000;
  };
  EXPECT_EQ(each("adm"), 57 + 37);
  EXPECT_EQ(each("uli"), 66 + 60);
  // A task also goes to the global unit and back before it runs: two trips of at most 50 cycles each, besides the operations.
  EXPECT_GE(each("carbon"), 13 + 13);
  EXPECT_LE(each("carbon"), 13 + 13 + 100);
}

/// The cycles of one phase, when workers that stand by run it again and again.
double cycles_of_a_phase(const std::string& substrate, int workers, const std::function<void()>& phase) {
  skua::scheduler pool(chip(substrate, workers, "adm-cmp-64c", skua::detail_level::lines));
  const auto cycles_of_many = [&](int rounds) {
    const double before = static_cast<double>(pool.simulated().cycles);
    pool.run([&] {
      for (int i = 0; i < rounds; ++i) phase();
    });
    return static_cast<double>(pool.simulated().cycles) - before;
  };
  // This phase is long enough for all workers to arrive.
  pool.run([=] {
    skua::phase<int> first;
    first.enqueue_range(0, 100 * workers);
    first.run([](int) { skua::costs(10'000); });
  });
  const double few = cycles_of_many(2);
  return (cycles_of_many(102) - few) / 100;
}

void add_up(bool reduces, int tasks, double cycles = 500) {
  skua::phase<int> p;
  p.enqueue_range(0, tasks);
  if (reduces)
    EXPECT_EQ(p.run([=](int, int& sum) { skua::costs(cycles), ++sum; }, 0, std::plus<>{}), tasks);
  else
    p.run([=](int) { skua::costs(cycles); });
}

// The threads of the paper are present when a phase begins: 4,000 cycles are enough for its short phases with their tasks.
TEST(substrates, begin_and_end_a_phase_at_once) {
  if constexpr (under_address_sanitizer)
    GTEST_SKIP() << "no memory is used again soon, so each phase pays for lines that no cache has";
  for (const char* substrate : {"carbon", "adm"})
    for (const int workers : {16, 64, 128})
      EXPECT_LE(cycles_of_a_phase(substrate, workers, [] { add_up(false, 0); }), 4'000)
          << substrate << ", " << workers << " workers";
}

double cycles_until_a_phase_ends(const skua::scheduler_options& options,
                                 const std::function<void()>& before) {
  skua::scheduler pool(options);
  pool.run([&] {
    before();
    add_up(false, 10 * static_cast<int>(*options.workers), 2'000);
  });
  return pool.simulated().seconds * ghz * 1e9;
}

// 256 threads run 2,560 tasks of 2,000 cycles. Calling these threads one by one would take at least a million cycles.
TEST(substrates, have_all_threads_in_the_first_phase) {
  for (const char* substrate : {"carbon", "adm"}) {
    skua::scheduler_options options = chip(substrate, 256, "adm-cmp-64c", by_lines);
    options.simulate->threads_a_core = 4;
    EXPECT_LT(cycles_until_a_phase_ends(options, [] {}), 700'000) << substrate;
  }
}

// The limit includes a sixty-fourth of the loop's 6.4 million cycles, and the phase. A worker that stands by would stop by
// itself only long after that.
TEST(substrates, give_up_the_first_phase_for_forks) {
  const auto forks = [] { skua::parallel_for(0, 640, [](int) { skua::costs(10'000); }, {.grain = 1}); };
  for (const char* substrate : {"software", "carbon", "adm"})
    EXPECT_LT(cycles_until_a_phase_ends(chip(substrate, 64), forks), 600'000) << substrate;
}

TEST(substrates, give_up_the_first_phase_for_external_threads) {
  skua::scheduler pool(chip("adm", 4));
  std::vector<std::thread> outside;
  std::atomic<int> ran = 0;
  for (int i = 0; i < 6; ++i) outside.emplace_back([&] { pool.run([&] { skua::costs(100'000), ++ran; }); });
  for (std::thread& one : outside) one.join();
  EXPECT_EQ(ran, 6);
  EXPECT_LT(pool.simulated().seconds, 0.005) << "less than half of the wait that was avoided";
}

/// Returns the stacks on which each worker ran the tasks of a phase. One worker first does something else, and until it ends
/// no other thread attaches to that worker. The others find no tasks, leave their workers and are called back.
std::map<int, std::set<const void*>> stacks_of_workers(const skua::scheduler_options& options) {
  skua::scheduler pool(options);
  std::map<int, std::set<const void*>> stacks;  // needs no lock, since virtual threads run one at a time
  pool.run([&] {
    skua::task_group elsewhere;
    elsewhere.run([] { skua::costs(40e6); });
    skua::costs(2e6);  // until another worker has taken that task
    skua::phase<int> p;
    p.enqueue(0);
    p.run([&](int task) {
      stacks[skua::worker_index()].insert(skua::detail::current);
      skua::costs(task == 0 ? 10e6 : 50e3);
      for (int i = 0; task == 0 && i < 200; ++i) p.enqueue(1);
    });
    elsewhere.wait();
  });
  return stacks;
}

TEST(substrates, have_one_stack_for_each_worker) {
  for (const char* substrate : {"software", "carbon", "uli", "adm", ""})
    for (const int workers : {3, 8}) {
      const auto stacks = stacks_of_workers(chip(substrate, workers));
      EXPECT_GE(stacks.size(), 2u) << substrate << ", " << workers << " workers";
      for (const auto& [worker, its] : stacks)
        EXPECT_EQ(its.size(), 1u) << substrate << ", worker " << worker << " of " << workers;
    }
}

// The paper states 4,000 cycles for 128 threads through shared memory. With ADM a reduction travels on messages that are
// sent anyway.
TEST(substrates, charge_the_cost_of_a_reduction) {
  // A reduction changes which worker runs which task, by some hundred cycles in either direction. So the median of three
  // lengths of tasks counts. A sanitizer needs one.
  const auto more = [](const char* substrate, int workers) {
    std::vector<double> differences;
    for (const double cycles : {600, 400, 700}) {
      if (under_sanitizer && !differences.empty()) break;
      const auto taken = [=](bool reduces) {
        return cycles_of_a_phase(substrate, workers, [=] { add_up(reduces, 4 * workers, cycles); });
      };
      differences.push_back(taken(true) - taken(false));
    }
    std::ranges::sort(differences);
    return differences[differences.size() / 2];
  };
  EXPECT_NEAR(more("carbon", 128), 4'000, 1'300);
  EXPECT_NEAR(more("carbon", 8), 4'000.0 * 3 / 7, 500);
  EXPECT_LE(more("adm", 128), 800);
}

// ---- what is counted

skua::simulation_report report_of(const char* substrate, int workers, const std::function<void()>& code) {
  skua::scheduler pool(chip(substrate, workers));
  pool.run(code);
  return pool.simulated();
}

double mean(const skua::simulated_operation& of) {
  return static_cast<double>(of.cycles) / static_cast<double>(of.times);
}

/// One thread has all tasks, and the others get them from it.
void run_fan_out() {
  skua::phase<int> p;
  p.enqueue(-1);
  p.run([&](int task) {
    skua::costs(2'000);
    if (task < 0)
      for (int i = 0; i < 500; ++i) p.enqueue(i);
  });
}

// The threads begin within the first microsecond, and the first call enters late, so that it finds all of them. A later call
// waits for no thread.
TEST(substrates, only_the_first_run_begins_late) {
  skua::scheduler pool(chip("adm", 16));
  const std::uint64_t microsecond = 2'000;
  pool.run([] {});
  const std::uint64_t first = pool.simulated().cycles;
  EXPECT_GE(first, microsecond);
  pool.run([] {});
  EXPECT_LT(pool.simulated().cycles - first, microsecond);
}

// The costs of Table 5 are the input of the model, so they are also its output. A match inside a thread has no interrupt.
TEST(substrates, count_operations_as_the_paper_names_them) {
  const skua::simulated_operations adm = report_of("adm", 16, run_fan_out).operations;
  EXPECT_EQ(adm.enqueue.times, 501u);
  EXPECT_EQ(adm.dequeue.times, 501u);
  EXPECT_EQ(mean(adm.enqueue), 57);
  EXPECT_EQ(mean(adm.dequeue), 37);
  EXPECT_EQ(mean(adm.receive_update), 52);
  EXPECT_EQ(mean(adm.send_tasks), 76);
  EXPECT_EQ(mean(adm.receive_task), 47);
  EXPECT_GE(mean(adm.match_steal), 310 - 52);
  EXPECT_LE(mean(adm.match_steal), 310);
  EXPECT_GE(adm.receive_task.times, adm.send_tasks.times) << "a victim marks the last task of each steal";
  EXPECT_EQ(adm.reduction.times, 0u);
}

// A message that is received takes its handler two more lines, 44 to 180 cycles. A message that is sent takes as many.
TEST(substrates, count_the_cost_of_messages_through_memory) {
  const skua::simulated_operations adm = report_of("adm", 64, run_fan_out).operations,
                                   uli = report_of("uli", 64, run_fan_out).operations;
  EXPECT_GE(mean(uli.enqueue), 66) << "some calls also send an update";
  EXPECT_GE(mean(uli.dequeue), 60);
  EXPECT_GE(mean(uli.receive_update), 52 + 44);
  EXPECT_LE(mean(uli.receive_update), 52 + 180 + 180);
  EXPECT_GE(mean(uli.send_tasks), 76 + 44 + 2 * 44) << "one message to a thief and one to a manager";
  EXPECT_GE(mean(uli.receive_task), 47 + 44);
  EXPECT_GT(mean(uli.match_steal), mean(adm.match_steal));
}

TEST(substrates, count_reductions) {
  const auto reductions = [](const char* substrate, int workers, int times = 3) {
    return report_of(substrate, workers,
                     [times] {
                       for (int i = 0; i < times; ++i) add_up(true, 300);
                       add_up(false, 300);
                     })
        .operations.reduction;
  };
  for (const char* substrate : {"software", "carbon", "uli", "adm"})
    EXPECT_EQ(reductions(substrate, 16).times, 3u) << substrate;
  EXPECT_EQ(mean(reductions("carbon", 128)), 4'000);
  // A reduction goes up the tree and down again. Each of the three levels takes a handler of about 50 cycles and a message
  // of 25. At first a manager looks up one child after the other, and handlers of the phase before may still run.
  EXPECT_LE(mean(reductions("adm", 128, 20)), 8 * 100);
  EXPECT_GE(mean(reductions("adm", 128, 20)), 390)
      << "the paper's number, with each manager on its own thread";
  EXPECT_GT(mean(reductions("uli", 128)), mean(reductions("adm", 128)));
}

TEST(substrates, count_the_tasks_that_carbon_steals) {
  const skua::simulated_tasks alone = report_of("carbon", 1, run_fan_out).tasks,
                              several = report_of("carbon", 16, run_fan_out).tasks;
  EXPECT_EQ(alone.run, 501u);
  EXPECT_EQ(alone.stolen, 0u);
  EXPECT_EQ(several.run, 501u);
  EXPECT_GT(several.stolen, 300u) << "all tasks are stolen except those that their own thread runs";
  EXPECT_LT(several.stolen, 501u);
}

// A core has two slots. Four threads on it take twice as long as one thread, and two threads take as long as one.
TEST(substrates, share_the_slots_of_a_core) {
  const auto seconds = [](int workers, unsigned threads_a_core) {
    skua::scheduler_options options = chip("adm", workers);
    options.simulate->threads_a_core = threads_a_core;
    skua::scheduler pool(options);
    const auto phase = [&] {
      skua::phase<int> p;
      p.enqueue_range(0, 4 * workers);
      p.run([](int) { skua::costs(100'000); });
    };
    pool.run(phase);  // until all workers have arrived
    const double before = pool.simulated().seconds;
    pool.run(phase);
    return (pool.simulated().seconds - before) * ghz * 1e9;
  };
  EXPECT_NEAR(seconds(64, 1), 400'000, 30'000);
  EXPECT_NEAR(seconds(128, 2), 400'000, 30'000);
  EXPECT_NEAR(seconds(256, 4), 800'000, 50'000);
}

TEST(substrates, take_the_slowdown_of_their_cores) {
  skua::scheduler_options options = chip("adm", 1);
  options.simulate->slowdown = 2.5;
  skua::scheduler pool(options);
  pool.run([] { skua::costs(1'000'000); });
  EXPECT_EQ(pool.simulated().times.computing, 2'500'000u);
}

// ---- what is refused

std::string refusal(const skua::scheduler_options& options) {
  try {
    skua::scheduler pool(options);
    pool.run([] {
      skua::phase<int> p;
      p.run([](int) {});
    });
  } catch (const skua::bad_input& e) {
    return e.what();
  }
  return "";
}

TEST(substrates, have_the_threads_that_their_machines_allow) {
  skua::scheduler_options options = chip("adm", 2);
  options.simulate->threads_a_core = 3;
  EXPECT_EQ(refusal(options),
            "threads_a_core of a simulation of 'adm-cmp-64c' is 3; allowed: 0 for the default, or one of "
            "[1,2,4]; nearest: 0");
}

TEST(substrates, are_refused_with_a_message) {
  EXPECT_EQ(refusal(chip("carbom", 2)),
            "substrate of a simulation is 'carbom'; allowed: software, carbon, uli or adm; nearest: carbon");
  EXPECT_NE(refusal(chip("adm", 2, "opteron-8380-4s")).find("substrates"), std::string::npos);
  EXPECT_EQ(
      refusal(chip("adm", 129)),
      "workers is 129, and two of them share a CPU; allowed with a substrate: one per hardware thread, 1 to "
      "128; nearest: 128");
}

}  // namespace
}  // namespace substrates_test
