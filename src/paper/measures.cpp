#include "paper/measures.hpp"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace skua::paper {

namespace {

double misses_of(const run_report& run, unsigned level) {
  const auto at = run.demand_misses.find(level);
  if (at == run.demand_misses.end())
    throw std::runtime_error("the machine has no cache of level " + std::to_string(level) +
                             ", or is modelled without caches");
  return static_cast<double>(at->second);
}

/// 0 if there is nothing to take a share of.
double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

std::uint64_t sum_of(const run_report& run, std::initializer_list<const char*> activity) {
  std::uint64_t sum = 0;
  for (const char* one : activity) {
    const auto at = run.times.find(one);
    if (at == run.times.end()) throw std::runtime_error(std::string("a run has no time for ") + one);
    sum += at->second;
  }
  return sum;
}

// The thesis' division of the library's time. A worker that waits between two attempts to steal pauses, enters the kernel or
// sleeps.
std::uint64_t steal_wait(const run_report& run) { return sum_of(run, {"spinning", "kernel", "asleep"}); }
std::uint64_t stealing(const run_report& run) { return sum_of(run, {"sharing"}) + steal_wait(run); }
std::uint64_t library(const run_report& run) { return sum_of(run, {"forking"}) + stealing(run); }

double number_of(const run_report& run, const char* name) {
  const auto at = run.numbers.find(name);
  if (at == run.numbers.end()) throw std::runtime_error(std::string("the program does not count ") + name);
  return at->second;
}

constexpr std::string_view parts_of_library =
    "Library time is everything but computing and declared data: forks and chunks without a thief (spawn, "
    "get_task), words that workers share, and waiting. Stealing is the last two, so it includes the owner's "
    "own use of shared words. Waiting (`steal_wait`) is pauses between looks, the kernel, and sleep, which "
    "TBB's workers also did.";

double cycles_of(const run_report& run, std::initializer_list<const char*> parts) {
  double sum = 0;
  for (const char* part : parts)
    if (const auto at = run.times.find(part); at != run.times.end()) sum += static_cast<double>(at->second);
  return sum;
}

/// The share of the time that threads spend in or between the tasks of phases.
double part_of_phases(const run_report& run, std::initializer_list<const char*> parts) {
  return cycles_of(run, parts) / std::max(1.0, cycles_of(run, {"computing", "data", "queueing", "handling",
                                                               "waiting", "sharing", "spinning"}));
}

/// The mean time of the run's operations of a kind.
double mean_of(const run_report& run, const char* operation) {
  const auto at = run.operations.find(operation);
  if (at == run.operations.end() || at->second.times == 0)
    throw std::runtime_error(std::string("a run has no operation of the kind ") + operation);
  return static_cast<double>(at->second.cycles) / static_cast<double>(at->second.times);
}

/// Sums of the times that the workers keep.
double kept(const run_report& run, std::initializer_list<const char*> parts) {
  double sum = 0;
  for (const char* part : parts) {
    const auto at = run.kept_times.find(part);
    if (at == run.kept_times.end()) throw std::runtime_error(std::string("a run has no time for ") + part);
    sum += static_cast<double>(at->second);
  }
  return sum;
}

double all_kept(const run_report& run) {
  double sum = 0;
  for (const auto& [activity, ns] : run.kept_times) sum += static_cast<double>(ns);
  return sum;
}

double of_library(const run_report& run, std::initializer_list<const char*> parts) {
  return kept(run, parts) / std::max(1.0, kept(run, {"spawning", "own queue", "looking", "claiming", "taking",
                                                     "waiting", "suspending", "resuming"}));
}

double of_stealing(const run_report& run, std::initializer_list<const char*> parts) {
  return kept(run, parts) / std::max(1.0, kept(run, {"looking", "claiming", "taking", "waiting"}));
}

constexpr std::string_view kept_by_workers =
    "The workers keep these times (skua run --times). `spawn` is spawning, and `get_task` is the own queue. "
    "`receive_or_steal_task` is looking, claiming, taking and waiting: `lock_task_pool` is claiming, "
    "successful or not, `stealing` is taking, and `steal_wait` is the rest, pauses and choosing a victim. "
    "`lib_wait`, the rest of the library, is suspending and resuming. Sleep is not part of the thesis' "
    "library time and is left out.";

double stolen_share(const run_report& run) {
  if (run.tasks == 0) throw std::runtime_error("a run does not count its tasks, as Carbon does");
  return share(run.stolen_tasks, run.tasks);
}

constexpr std::string_view whole_operations =
    "The time of a scheduler's operation is the time of its thread, including the interrupt if a message "
    "brings it, until everything that follows from it is sent. Handlers of ULI take the time of those of ADM "
    "and of their transfers of lines.";

constexpr measure known[] = {
    {"seconds", "time of the simulated machine", false,
     [](const measured_runs& of) { return of.run.seconds; }},
    {"speedup", "time with one worker divided by the time", true,
     [](const measured_runs& of) { return of.alone.seconds / of.run.seconds; }},
    {"l2_misses", "demand misses of all L2 together", false,
     [](const measured_runs& of) { return misses_of(of.run, 2); }},
    {"l3_misses", "demand misses of all L3 together", false,
     [](const measured_runs& of) { return misses_of(of.run, 3); }},
    {"steal_miss_ratio", "failed attempts to steal, of all attempts", false,
     [](const measured_runs& of) { return share(of.run.steal_misses, of.run.attempts); }},
    {"remote_ratio", "attempts on a victim in another domain, of all attempts", false,
     [](const measured_runs& of) { return share(of.run.remote_attempts, of.run.attempts); }},
    {"steal_misses", "failed attempts to steal", false,
     [](const measured_runs& of) { return static_cast<double>(of.run.steal_misses); }},
    {"remote_misses", "failed attempts on a victim in another domain", false,
     [](const measured_runs& of) {
       return static_cast<double>(of.run.remote_attempts - of.run.remote_steals);
     }},
    {"stealing_share", "stealing and waiting, of the time in the library", false,
     [](const measured_runs& of) { return share(stealing(of.run), library(of.run)); }, parts_of_library},
    {"steal_wait_share", "waiting between attempts to steal, of stealing and waiting", false,
     [](const measured_runs& of) { return share(steal_wait(of.run), stealing(of.run)); }, parts_of_library},
    {"library_share", "time in the library, of all time", false,
     [](const measured_runs& of) {
       return share(library(of.run), library(of.run) + sum_of(of.run, {"computing", "data"}));
     },
     parts_of_library},
    {"inter_tier_share", "forks above the boundary level, of the time in which workers did something", false,
     [](const measured_runs& of) {
       return share(of.run.above_boundary,
                    sum_of(of.run, {"computing", "data", "forking", "sharing", "kernel"}));
     },
     "Tasks above the boundary level only fork, so their time is that of their forks: pools, tokens and "
     "calls to heads."},
    {"stolen_depth", "mean depth of stolen tasks", false,
     [](const measured_runs& of) { return number_of(of.run, "stolen_depth"); }},
    {"stolen_work", "mean work of stolen tasks, in leaves", false,
     [](const measured_runs& of) { return number_of(of.run, "stolen_work"); }},
    {"queue_share", "part of the threads' time that operations on task queues take", false,
     [](const measured_runs& of) { return part_of_phases(of.run, {"queueing", "sharing"}); },
     "All time with words that threads share counts as enqueue and dequeue, because software queues consist "
     "of such words. On hardware it is almost 0."},
    {"starved_share", "part of the threads' time without tasks", false,
     [](const measured_runs& of) { return part_of_phases(of.run, {"waiting", "spinning"}); }},
    {"task_cycles", "cycles that all tasks take together", false,
     [](const measured_runs& of) { return cycles_of(of.run, {"computing", "data"}); }},
    {"handler_cycles", "cycles of all handlers together", false,
     [](const measured_runs& of) { return cycles_of(of.run, {"handling"}); }},
    {"enqueue_cycles", "cycles of an enqueue, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "enqueue"); }, whole_operations},
    {"dequeue_cycles", "cycles of a dequeue that finds a task, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "dequeue"); }, whole_operations},
    {"update_cycles", "cycles in which a manager receives an update that leads to no steal, on average",
     false, [](const measured_runs& of) { return mean_of(of.run, "receive_update"); }, whole_operations},
    {"match_cycles", "cycles in which a manager finds a victim for a thief, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "match_steal"); }, whole_operations},
    {"send_cycles", "cycles in which a victim gives what it is asked for, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "send_tasks"); }, whole_operations},
    {"receive_cycles", "cycles in which a thief receives a task, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "receive_task"); }, whole_operations},
    {"reduction_cycles", "cycles of a reduction, on average", false,
     [](const measured_runs& of) { return mean_of(of.run, "reduction"); },
     "With messages, a reduction lasts from the last thread's part until the last thread has the result, "
     "which is also the end of the phase. Through shared memory, it lasts from the last thread's part until "
     "the parts are combined."},
    {"stolen_share", "tasks that have come from another thread's queue, of all tasks", false,
     [](const measured_runs& of) { return stolen_share(of.run); },
     "A task that is stolen several times counts once."},
    {"stealing_of_library", "looking, claiming, taking and waiting, of the library's time", false,
     [](const measured_runs& of) { return of_library(of.run, {"looking", "claiming", "taking", "waiting"}); },
     kept_by_workers, true},
    {"stealing_of_all", "looking, claiming, taking and waiting, of all workers' time, sleep too", false,
     [](const measured_runs& of) {
       return kept(of.run, {"looking", "claiming", "taking", "waiting"}) / std::max(1.0, all_kept(of.run));
     },
     kept_by_workers, true},
    {"spawning_of_library", "spawning, of the library's time", false,
     [](const measured_runs& of) { return of_library(of.run, {"spawning"}); }, kept_by_workers, true},
    {"own_queue_of_library", "the own queue, of the library's time", false,
     [](const measured_runs& of) { return of_library(of.run, {"own queue"}); }, kept_by_workers, true},
    {"suspending_of_library", "suspending and resuming, of the library's time", false,
     [](const measured_runs& of) { return of_library(of.run, {"suspending", "resuming"}); }, kept_by_workers,
     true},
    {"steal_wait_of_stealing", "waiting and looking, of stealing", false,
     [](const measured_runs& of) { return of_stealing(of.run, {"waiting", "looking"}); }, kept_by_workers,
     true},
    {"waiting_of_stealing", "pauses between two rounds, of stealing", false,
     [](const measured_runs& of) { return of_stealing(of.run, {"waiting"}); }, kept_by_workers, true},
    {"looking_of_stealing", "looks at others, of stealing", false,
     [](const measured_runs& of) { return of_stealing(of.run, {"looking"}); }, kept_by_workers, true},
    {"claiming_of_stealing", "tries, with success or without, of stealing", false,
     [](const measured_runs& of) { return of_stealing(of.run, {"claiming"}); }, kept_by_workers, true},
    {"taking_of_stealing", "from a claim to the task's beginning, of stealing", false,
     [](const measured_runs& of) { return of_stealing(of.run, {"taking"}); }, kept_by_workers, true},
};

}  // namespace

std::span<const measure> measures() noexcept { return known; }

const measure* find_measure(std::string_view name) noexcept {
  const auto at = std::ranges::find(known, name, &measure::name);
  return at == std::end(known) ? nullptr : at;
}

run_report read_report(const std::string& text) try {
  const auto json = nlohmann::json::parse(text);
  run_report report;
  report.verified = json.at("verified");
  if (!report.verified)
    throw std::runtime_error("the answer of " + json.at("name").get<std::string>() +
                             " is wrong: " + json.at("answer").get<std::string>());
  report.seconds = json.at("seconds");
  const auto& counted = json.at("counters");
  report.attempts = counted.at("attempts");
  report.steal_misses = counted.at("steal_misses");
  report.remote_attempts = counted.at("remote_attempts");
  report.remote_steals = counted.at("remote_steals");
  for (const auto& cache : json.at("simulated").at("caches"))
    report.demand_misses[cache.at("level")] = cache.at("demand_misses");
  report.times = json.at("simulated").at("times");
  if (json.contains("times")) report.kept_times = json.at("times").at("ns");
  for (const auto& [name, of] : json.at("simulated").at("operations").items())
    report.operations[name] = {of.at("times"), of.at("cycles")};
  report.tasks = json.at("simulated").at("tasks").at("run");
  report.stolen_tasks = json.at("simulated").at("tasks").at("stolen");
  report.above_boundary = json.at("simulated").at("above_boundary_cycles");
  report.numbers = json.at("numbers");
  return report;
} catch (const nlohmann::json::exception& error) {
  throw std::runtime_error(std::string("the run did not print a valid report: ") + error.what());
}

}  // namespace skua::paper
