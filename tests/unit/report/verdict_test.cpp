// The limit of a run: one made-up record for each limit, in several sizes, and records at the thresholds between limits.
#include "report/verdict.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "made_up_runs.hpp"
#include "report/account.hpp"
#include "report/thresholds.hpp"

namespace skua::reports::verdict_test {

// Prints the name of a limit in the messages of tests.
void PrintTo(limit what, std::ostream* out) { *out << limit_names[static_cast<std::size_t>(what)]; }

namespace {

using made_up::give_timeline;
using made_up::give_work_span;
using made_up::ms;
using made_up::run_of;
using made_up::us;
using observe::run_record;

class Verdict : public testing::TestWithParam<std::size_t> {
 protected:
  static std::size_t workers() { return GetParam(); }
  static run_record idle_run(double idle) { return run_of(workers(), {{activity::waiting, idle}}); }
};

INSTANTIATE_TEST_SUITE_P(Workers, Verdict, testing::Values(2, 8, 64),
                         [](const auto& one) { return std::to_string(one.param); });

bool says(const verdict& v, const std::string& part) {
  if (v.sentence.find(part) != std::string::npos) return true;
  for (const std::string& line : v.evidence)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

TEST_P(Verdict, NothingLimitsABusyRun) {
  run_record run = run_of(workers(), {{activity::spawning, 0.02}, {activity::waiting, 0.05}});
  give_work_span(run, 0.93, 0.001);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::nothing);
  EXPECT_TRUE(says(v, "93%")) << v.sentence;
  EXPECT_TRUE(says(v, "total loss: 7.0%"));
  EXPECT_TRUE(says(v, ": more workers would help"));
}

TEST_P(Verdict, MoreWorkersDoNotHelpWithoutMoreParallelism) {
  run_record run = run_of(workers(), {{activity::spawning, 0.02}, {activity::waiting, 0.05}});
  give_work_span(run, 0.93, 0.93);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::nothing);
  EXPECT_TRUE(says(v, "parallelism "));
  EXPECT_FALSE(says(v, "more workers would help"));
}

TEST_P(Verdict, ALongChainIsTooLittleParallelism) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.8);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::parallelism);
  EXPECT_TRUE(says(v, "40%")) << v.sentence;
  EXPECT_TRUE(says(v, "solve(int)"));
}

TEST_P(Verdict, WithoutWorkAndSpanIdleWorkersShowIt) {
  const verdict v = judge(idle_run(0.45));
  EXPECT_EQ(v.what, limit::parallelism);
  EXPECT_TRUE(says(v, "45%")) << v.sentence;
}

TEST_P(Verdict, TimeOutsideIsTooLittleParallelism) {
  run_record run = run_of(workers(), {{activity::asleep, 0.8}});
  run.inside_seconds = 0.2 * run.seconds;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::parallelism);
  EXPECT_TRUE(says(v, "80%")) << v.sentence;
  EXPECT_TRUE(says(v, "outside")) << v.sentence;
}

TEST_P(Verdict, ForkingAndStealingCostMoreThanTasks) {
  run_record run = run_of(workers(), {{activity::spawning, 0.3}, {activity::taking, 0.1}});
  run.task_size = {};
  run.task_size.add(900, 1000);
  give_work_span(run, 0.6, 0.001);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::task_size);
  EXPECT_TRUE(says(v, "40%")) << v.sentence;
}

TEST_P(Verdict, TheBurdenOfStealsIsTaskSize) {
  run_record run = idle_run(0.5);
  give_work_span(run, 0.5, 0.001, 0.9);
  EXPECT_EQ(judge(run).what, limit::task_size);
}

TEST_P(Verdict, WithoutWorkAndSpanTinyStolenTasksShowIt) {
  run_record run = idle_run(0.5);
  run.task_size = {};
  run.task_size.add(2 * us, 100);
  EXPECT_EQ(judge(run).what, limit::task_size);
}

TEST_P(Verdict, OneLongTaskIsImbalance) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.8);
  run.task_size.add(78 * ms);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::imbalance);
  EXPECT_TRUE(says(v, "one task took 78 ms")) << v.sentence;
}

TEST_P(Verdict, ALongTaskThatAThiefTookIsImbalance) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.8);
  run.task_size.add(70 * ms);
  EXPECT_EQ(judge(run).what, limit::imbalance);
}

TEST_P(Verdict, ALongLoopPieceIsNoImbalanceIfOthersWorkMeanwhile) {
  run_record run = idle_run(0.4);
  run.task_size.add(70 * ms);
  EXPECT_EQ(judge(run).what, limit::imbalance);
  give_timeline(run, std::vector<double>(workers(), 1));
  EXPECT_NE(judge(run).what, limit::imbalance);
}

TEST_P(Verdict, AWorkerThatRunsOnAloneIsImbalance) {
  run_record run = idle_run(0.35);
  give_work_span(run, 0.65, 0.75);
  std::vector<double> until(workers(), 0.3);
  until.back() = 1;
  give_timeline(run, until);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::imbalance);
  EXPECT_TRUE(says(v, "workers computed")) << v.sentence;
  EXPECT_TRUE(says(v, "one task ran alone for 70 ms")) << "how long it took is not known: " << v.sentence;
}

TEST_P(Verdict, AWorkerThatIsLateWithSmallTasksIsNoImbalance) {
  run_record run = idle_run(0.5);
  give_work_span(run, 0.5, 0.0001);
  std::vector<double> until(workers(), 0.3);
  until.back() = 1;
  give_timeline(run, until);
  EXPECT_EQ(judge(run).what, limit::imbalance);
  worker_times& late = run.workers.back().times;
  std::swap(late.ns[static_cast<std::size_t>(activity::user)],
            late.ns[static_cast<std::size_t>(activity::spawning)]);
  EXPECT_EQ(judge(run).what, limit::task_size);
}

TEST_P(Verdict, AWorkerThatRunsOnAloneExplainsIdleTimeWithoutWorkAndSpan) {
  const double others = static_cast<double>(workers() - 1) / static_cast<double>(workers());
  run_record run = idle_run(0.35 * others);
  std::vector<double> until(workers(), 0.65);
  until.front() = 1;
  give_timeline(run, until);
  EXPECT_EQ(judge(run).what, limit::imbalance);
  run = idle_run(0.8 * others);
  give_timeline(run, until);
  EXPECT_EQ(judge(run).what, limit::parallelism);
}

TEST_P(Verdict, ASerialBeginningIsTooLittleParallelism) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.8);
  run.work_span->sites[0].span_ns = 2 * ms;
  run.task_size.add(70 * ms);
  EXPECT_EQ(judge(run).what, limit::parallelism);
}

TEST_P(Verdict, WorkForAllThatNoWorkerFindsIsImbalance) {
  run_record run = idle_run(0.5);
  give_work_span(run, 0.5, 0.0001);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::imbalance);
  EXPECT_TRUE(says(v, "although there was work for all")) << v.sentence;
}

TEST_P(Verdict, TasksThatBlockAreSleeping) {
  run_record run = idle_run(0.05);
  for (observe::worker_record& worker : run.workers) worker.kernel->blocked_ns = 60 * ms;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::sleeping);
  EXPECT_TRUE(says(v, "60%")) << v.sentence;
}

TEST_P(Verdict, OtherProgramsAreNamedBeforeLargerLosses) {
  run_record run = idle_run(0.3);
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 25 * ms;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::other_programs);
  EXPECT_TRUE(says(v, "Other programs")) << v.sentence;
}

TEST_P(Verdict, ALittleWaitingForCpusIsNoReason) {
  run_record run = idle_run(0.6);
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 4 * ms;
  EXPECT_EQ(judge(run).what, limit::parallelism);
}

TEST_P(Verdict, WithoutKernelRecordsTheCpuTimeOfOthersShowsOtherPrograms) {
  run_record run = idle_run(0.05);
  for (observe::worker_record& worker : run.workers) worker.kernel.reset();
  run.other_cpu_seconds = 0.4 * run.seconds * static_cast<double>(workers());
  EXPECT_EQ(judge(run).what, limit::other_programs);
  run.machine.pus = 2 * workers();  // enough for both programs
  EXPECT_EQ(judge(run).what, limit::nothing);
}

TEST_P(Verdict, ThreadsOfTheProgramAreNoOtherProgram) {
  run_record run = idle_run(0.3);
  double on_cpu_seconds = 0;
  for (observe::worker_record& worker : run.workers) {
    worker.kernel->waiting_ns = 15 * ms;
    on_cpu_seconds += static_cast<double>(worker.kernel->on_cpu_ns) * 1e-9;
  }
  run.process_cpu_seconds = on_cpu_seconds + 0.5 * run.seconds;
  give_work_span(run, 0.6, 0.8);
  EXPECT_EQ(judge(run).what, limit::parallelism);  // 25%, more than 15%
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 60 * ms;
  EXPECT_TRUE(says(judge(run), "Other threads of the program limit the run")) << judge(run).sentence;
  run.other_cpu_seconds = 0.6 * run.seconds;
  EXPECT_TRUE(says(judge(run), "Other programs limit the run")) << judge(run).sentence;
}

TEST_P(Verdict, MoreWorkersThanCpusHasItsOwnSentence) {
  run_record run = idle_run(0);
  run.machine.pus = 1;
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 50 * ms;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::few_cpus);
  EXPECT_TRUE(says(v, " share 1 CPU:")) << v.sentence;
  EXPECT_FALSE(says(v, "apart from that")) << "no other value is reliable";
}

/// Makes the same work take almost twice as long as on one worker.
void become_slower(run_record& run) {
  run.baseline =
      observe::baseline_record{.seconds = run.seconds * 0.5 * static_cast<double>(run.workers.size()),
                               .parallel_seconds = run.seconds};
}

TEST_P(Verdict, ASlowerPaceThanOneWorkersIsSlowerWork) {
  run_record run = idle_run(0.02);
  become_slower(run);
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::slower_work);
  EXPECT_TRUE(says(v, "1.96 times")) << v.sentence;
}

TEST_P(Verdict, ASlowerPaceWithManyDeclaredBytesIsMemoryBandwidth) {
  run_record run = idle_run(0.02);
  become_slower(run);
  run.bytes_declared = 200'000'000 * workers();  // 2 GB/s for each worker
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::memory_bandwidth);
  EXPECT_TRUE(says(v, "1.96 times")) << v.sentence;
  run.bytes_declared /= 10;
  EXPECT_EQ(judge(run).what, limit::slower_work);
}

TEST_P(Verdict, ASlowerPaceWithManyMissesIsMemoryBandwidth) {
  run_record run = idle_run(0.02);
  become_slower(run);
  run.hardware = {
      {.event = "last-level misses", .workers = std::vector<observe::hardware_counts>(workers())}};
  for (observe::hardware_counts& of : run.hardware[0].workers) of.of[0] = 3'000'000;  // of 64 bytes each
  EXPECT_EQ(judge(run).what, limit::memory_bandwidth);
  for (observe::hardware_counts& of : run.hardware[0].workers) of.of[0] = 100'000;
  EXPECT_EQ(judge(run).what, limit::slower_work);
}

TEST_P(Verdict, TimeWithoutACpuIsNotSlowerWork) {
  run_record run = idle_run(0);
  become_slower(run);
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 40 * ms;
  EXPECT_EQ(judge(run).what, limit::other_programs);
  EXPECT_NEAR(account_of(run).slower, 0.1, 0.01);  // 60% of the time instead of 50%
}

TEST_P(Verdict, WaitsForAMutexAreLockContention) {
  run_record run = idle_run(0.5);
  give_work_span(run, 0.5, 0.1);
  run.locks = {{.name = "add(int)", .times = 200, .in_line = 180, .waited_ns = 90 * ms * workers()},
               {.name = "take()", .times = 10, .spun_ns = 200 * us}};
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::locks);
  EXPECT_TRUE(says(v, "add(int)")) << v.sentence;
  EXPECT_TRUE(says(v, "50%")) << v.sentence;
  run.locks.push_back(run.locks.front());
  EXPECT_TRUE(says(judge(run), "400 calls of lock() in add(int) waited"))
      << "no line is known: one function, one row";
  run.locks.front().line = "a.cpp:7";
  run.locks.back().line = "a.cpp:9";
  EXPECT_TRUE(says(judge(run), "200 calls of lock() in add(int) at a.cpp:7 waited"));
  EXPECT_TRUE(says(judge(run), "200 calls of lock() in add(int) at a.cpp:9 waited"));
  run.locks.pop_back();
  run.locks.front().waited_ns = 10 * ms * workers();  // 10% of the time; there is another reason for the rest
  EXPECT_EQ(judge(run).what, limit::imbalance);
}

TEST_P(Verdict, LookingAtAMutexIsLockContention) {
  run_record run = idle_run(0.02);
  become_slower(run);
  run.locks = {{.name = "add(int)", .times = 100, .spun_ns = 40 * ms * workers()}};
  EXPECT_EQ(judge(run).what, limit::locks);
  EXPECT_NEAR(account_of(run).locks, 0.4, 0.01);
}

TEST_P(Verdict, CallsThatFindAMutexLockedCostMoreThanTheirWait) {
  run_record run = idle_run(0.02);
  run.locks = {{.name = "add(int)", .times = 50'000 * workers(), .spun_ns = 1 * ms}};  // in 100 ms
  EXPECT_EQ(judge(run).what, limit::locks);
  EXPECT_NEAR(account_of(run).locks, 0.25, 0.011);
  run.locks.front().times = 10'000 * workers();
  EXPECT_EQ(judge(run).what, limit::nothing);
  // With a baseline, the work that became slower is the mutex's too, up to a bound.
  become_slower(run);
  EXPECT_EQ(judge(run).what, limit::slower_work);
  run.locks.front().times = 20'000 * workers();
  EXPECT_EQ(judge(run).what, limit::locks);
  EXPECT_NEAR(account_of(run).locks, 0.4, 0.011);
}

TEST_P(Verdict, ManyLoopsOfAFewMicrosecondsAreTooSmall) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.55);
  run.work_span->sites = {{.name = "code outside of forks, loops and group tasks",
                           .kind = "serial",
                           .span_ns = run.work_span->span_ns},
                          {.name = "main", .kind = "loop", .work_ns = 1 * ms, .times = 7500 * workers()}};
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::task_size);
  EXPECT_TRUE(says(v, "8.0 us of work each")) << v.sentence;
  // The loops are inside tasks that are large enough.
  run.work_span->sites.push_back({.name = "main", .kind = "join", .work_ns = 50 * ms, .times = 100});
  EXPECT_EQ(judge(run).what, limit::parallelism);
}

TEST_P(Verdict, TinyTasksOfOneMakerAreTooSmall) {
  run_record run = idle_run(0.4);
  give_work_span(run, 0.6, 0.8);
  run.work_span->forks = 1;
  run.work_span->group_tasks = run.work_span->work_ns / 100;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::task_size);
  EXPECT_TRUE(says(v, "making a task takes about as long as running it, which costs 40%")) << v.sentence;
  run.work_span->group_tasks = run.work_span->work_ns / 1000;  // of a microsecond each
  EXPECT_EQ(judge(run).what, limit::parallelism);
}

TEST_P(Verdict, TinyTasksThatAnExternalThreadMakesAreTooSmall) {
  run_record run = idle_run(0.7);
  give_work_span(run, 0.3, 0.001);
  run.inside_seconds = 0.01 * run.seconds;  // the wait for the group
  run.work_span->forks = 0;
  run.work_span->group_tasks = 500'000 * workers();  // made in 100 ms
  EXPECT_EQ(judge(run).what, limit::task_size) << judge(run).sentence;
  run.work_span->group_tasks = 100;
  EXPECT_EQ(judge(run).what, limit::parallelism);
  EXPECT_TRUE(says(judge(run), "70% of its 100 ms outside of skua")) << judge(run).sentence;
}

TEST_P(Verdict, ALongTaskShouldBeginFirstIfThereIsEnoughOtherWork) {
  run_record run = idle_run(0.35);
  std::vector<double> until(workers(), 0.65 - 0.35 / static_cast<double>(workers()));
  until[0] = 1;
  give_timeline(run, until);
  give_work_span(run, 0.65, 0.5);
  EXPECT_EQ(judge(run).what, limit::imbalance);
  EXPECT_TRUE(judge(run).advice.starts_with("Start the longest task first")) << judge(run).advice;
  give_work_span(run, 0.65, 0.8);
  EXPECT_TRUE(judge(run).advice.starts_with("Split the longest task")) << judge(run).advice;
}

TEST_P(Verdict, AQuotaThatIsUsedUpIsNamed) {
  run_record run = idle_run(0);
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 50 * ms;
  run.machine.cpu_quota = 0.5 * static_cast<double>(workers());
  run.process_cpu_seconds = 0.95 * run.machine.cpu_quota * run.seconds;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::cpu_quota);
  EXPECT_TRUE(says(v, "50% of the time")) << v.sentence;
  run.process_cpu_seconds /= 2;  // other programs had the CPUs before the quota was used up
  EXPECT_EQ(judge(run).what, limit::other_programs);
  run.process_cpu_seconds *= 2;
  run.machine.cpu_quota = 2 * static_cast<double>(workers());
  EXPECT_EQ(judge(run).what, limit::other_programs);
}

TEST_P(Verdict, ATopologyWithMoreCpusThanTheProcessMayUseAddsNone) {
  run_record run = idle_run(0);
  run.machine.usable_cpus = 1;
  for (observe::worker_record& worker : run.workers) worker.kernel->waiting_ns = 50 * ms;
  EXPECT_EQ(judge(run).what, limit::few_cpus);
  EXPECT_TRUE(says(judge(run), " share 1 CPU:")) << judge(run).sentence;
}

TEST_P(Verdict, ASlowerPaceWithManyRemoteStealsIsRemoteSteals) {
  run_record run = idle_run(0.02);
  run.baseline = observe::baseline_record{.seconds = run.seconds * 0.5 * static_cast<double>(workers()),
                                          .parallel_seconds = run.seconds};
  for (observe::worker_record& worker : run.workers) worker.counts.remote_steals = 50;
  run.task_size.add(1 * ms, 60 * workers());
  EXPECT_EQ(judge(run).what, limit::remote_steals);
  EXPECT_TRUE(judge(run).advice.find("policy bitier or affinity instead of nearest,") != std::string::npos);
  run.policy = "bitier(rounds=2)";
  EXPECT_TRUE(judge(run).advice.find("policy nearest or affinity instead of bitier(rounds=2),") !=
              std::string::npos);
  run.policy = "random";
  EXPECT_TRUE(judge(run).advice.find("policy nearest, bitier or affinity instead of random,") !=
              std::string::npos);
  run.machine.domains = 1;
  EXPECT_EQ(judge(run).what, limit::slower_work);
}

/// A simulated run whose workers wait for data. The busier of two memories delivers the share `full` of its bandwidth. The
/// share `remote` of the bytes is remote, and the share `busiest` comes from that memory.
run_record waits_for_data(std::size_t workers, double full, double remote, double busiest) {
  run_record run = run_of(workers, {});
  run.machine.simulated = true;
  for (observe::worker_record& worker : run.workers) {
    worker.kernel.reset();
    worker.counts.remote_steals = 40;
  }
  observe::simulated_record simulated;
  simulated.times.computing = 1000;
  simulated.times.data = 9000;
  simulated.cycles = 1000;
  const double bytes = 1e6;
  simulated.memory_bytes_a_cycle = bytes * busiest / 1000 / full;
  for (const double part : {busiest, 1 - busiest})
    simulated.nodes.push_back({.bytes_read = static_cast<std::uint64_t>(bytes * part),
                               .bytes_read_remotely = static_cast<std::uint64_t>(bytes * part * remote)});
  run.simulated = simulated;
  return run;
}

TEST_P(Verdict, FullMemoriesOfASimulatedMachine) {
  const verdict v = judge(waits_for_data(workers(), 0.9, 0.2, 0.5));
  EXPECT_EQ(v.what, limit::memory_bandwidth);
  EXPECT_TRUE(says(v, "90% of its bandwidth"));
  EXPECT_EQ(judge(waits_for_data(workers(), 0.4, 0, 0.5)).what, limit::nothing);
}

TEST_P(Verdict, FarMemoriesOfASimulatedMachine) {
  const verdict v = judge(waits_for_data(workers(), 0.05, 0.8, 0.5));
  EXPECT_EQ(v.what, limit::remote_steals);
  EXPECT_TRUE(says(v, "80% of the lines")) << v.evidence.front();
}

TEST_P(Verdict, DataInOneMemoryAreMemoryBandwidth) {
  const verdict v = judge(waits_for_data(workers(), 0.05, 0.8, 0.99));
  EXPECT_EQ(v.what, limit::memory_bandwidth);
  EXPECT_TRUE(says(v, "one memory of several served 99%"));
}

TEST_P(Verdict, InterleavedPagesAreMemoryBandwidth) {
  run_record run = waits_for_data(workers(), 0.05, 0.8, 0.5);
  run.simulated->pages_dealt_out = true;
  const verdict v = judge(run);
  EXPECT_EQ(v.what, limit::memory_bandwidth);
  EXPECT_TRUE(says(v, "interleaved")) << v.sentence;
  run.simulated->transfers = {{.distance = "same L3", .data = 1000}, {.distance = "2 hops", .data = 100'000}};
  EXPECT_EQ(judge(run).what, limit::remote_steals) << "lines in caches of other domains count as remote";
}

TEST_P(Verdict, LinesFromFarCachesAreRemote) {
  run_record run = waits_for_data(workers(), 0.05, 0, 0.5);
  run.simulated->transfers = {{.distance = "same L3", .data = 1000}, {.distance = "2 hops", .data = 100'000}};
  EXPECT_EQ(judge(run).what, limit::remote_steals);
  // Other chiplets of the package are other domains too.
  run.simulated->transfers[1].distance = "same package";
  EXPECT_EQ(judge(run).what, limit::remote_steals);
  run.simulated->transfers[0].distance = "same L2";
  run.simulated->transfers[1].distance = "same L3";
  EXPECT_NE(judge(run).what, limit::remote_steals);
}

TEST_P(Verdict, NeedsAReasonOnlyAboveTheThreshold) {
  for (const double idle : {thresholds::negligible_loss - 0.01, thresholds::negligible_loss + 0.01})
    EXPECT_EQ(judge(idle_run(idle)).what,
              idle < thresholds::negligible_loss ? limit::nothing : limit::parallelism);
}

TEST_P(Verdict, TheAccountAddsUp) {
  run_record run =
      run_of(workers(), {{activity::waiting, 0.2}, {activity::claiming, 0.1}, {activity::asleep, 0.3}});
  run.inside_seconds = 0.8 * run.seconds;
  for (observe::worker_record& worker : run.workers) {
    worker.kernel->blocked_ns = 10 * ms;
    worker.kernel->waiting_ns = 5 * ms;
  }
  const account a = account_of(run);
  EXPECT_NEAR(a.useful + a.lost() + a.unattributed, 1, 1e-6);
  EXPECT_NEAR(a.blocked, 0.1, 1e-6);
  EXPECT_NEAR(a.waiting_for_cpu, 0.05, 1e-6);
  EXPECT_NEAR(a.unattributed, 0, 1e-6);
  EXPECT_GT(a.outside, 0);
}

TEST(VerdictOfOneWorker, IsNotTooLittleParallelism) {
  run_record run = run_of(1, {{activity::spawning, 0.02}});
  give_work_span(run, 0.98, 0.9);
  EXPECT_EQ(judge(run).what, limit::nothing);
}

TEST(VerdictOfAShortRun, RecommendsALongerRun) {
  run_record run = run_of(2, {{activity::waiting, 0.4}});
  EXPECT_FALSE(says(judge(run), "a longer run shows more"));
  run.seconds = 0.0002;
  EXPECT_TRUE(says(judge(run), "the run took only 200 us"));
  run.machine.simulated = true;
  EXPECT_FALSE(says(judge(run), "a longer run shows more"));
}

TEST(VerdictOfNothing, IsASentence) {
  run_record run;
  run.workers.resize(1);
  EXPECT_EQ(judge(run).what, limit::nothing);
  EXPECT_FALSE(judge(run).sentence.empty());
}

}  // namespace
}  // namespace skua::reports::verdict_test
